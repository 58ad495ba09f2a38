// Sum of window times pattern at every position with NVIDIA's matrix units (PTX mma.sync m16n8k32
// on bytes, compute capability 8.0 on). A warp of 32 items has 64 positions side by side, in four
// sets of 16, and BAND below one another, eight to a block of rows. For image row r and 32 pattern
// columns from k on, one instruction adds to set i and block b
//   A[m][k] B[k][n],  A[m][k] = image[r][4 m + i + k],  B[k][n] = pattern[r - 8 b - n][k],
// the share of that image row in position 4 m + i of the block's position row n. Lane 4 g + t of
// the warp holds the words of four bytes
//   A: rows g and g + 8, columns 4 t and 4 t + 16     B: rows 4 t and 4 t + 16, column g
//   sums: rows g and g + 8, columns 2 t and 2 t + 1, of set i and block b in sums[b * SETS + i].
// After staging.cl.
// Build: as staging.cl, with BAND a multiple of 8, STRIP_WORDS of 8, TILE_WIDTH of 64.
#define SETS 4
#define BLOCKS (BAND / 8)
#define WARP_WIDTH 64
#define WARPS_X (TILE_WIDTH / WARP_WIDTH)

void multiply_add(int4* sum, uint4 a, uint2 b) {
  __asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sum->x), "+r"(sum->y), "+r"(sum->z), "+r"(sum->w)
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
}

// Returns the word that starts `shift` bytes into `low`.
uint word_at(uint low, uint high, int shift) {
  return shift == 0 ? low : low >> 8 * shift | high << (32 - 8 * shift);
}

// Implements staging.cl. `piece` is at the pattern row that block 0 meets with n = 0. Skips blocks
// beyond their last pattern row or before their first.
void add_line(int4* sums, local const uint* line, local const uint* piece, int row,
              int pattern_height) {
#pragma unroll
  for (int step = 0; step < STRIP_WORDS; step += 8) {
    uint low[4];
    uint high[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      low[i] = line[step + 4 * i];
      high[i] = line[step + 4 * i + 1];
    }
#pragma unroll
    for (int block = 0; block < BLOCKS; ++block) {
      if (row < 8 * block || row >= pattern_height + 7 + 8 * block) continue;
      local const uint* words = piece + step - 8 * block * PIECE_PITCH;
      const uint2 b = (uint2)(words[0], words[4]);
#pragma unroll
      for (int set = 0; set < SETS; ++set) {
        const uint4 a = (uint4)(word_at(low[0], high[0], set), word_at(low[2], high[2], set),
                                word_at(low[1], high[1], set), word_at(low[3], high[3], set));
        multiply_add(&sums[block * SETS + set], a, b);
      }
    }
  }
}

int first_of_window(void) {
  const int lane = (int)get_local_id(0) % 32;
  const int warp = (int)get_local_id(0) / 32;
  return warp / WARPS_X * BAND * WINDOW_WORDS + warp % WARPS_X * (WARP_WIDTH / 4) + lane / 4 +
         lane % 4;
}

int first_of_piece(void) {
  const int lane = (int)get_local_id(0) % 32;
  return (BAND - 1 - lane / 4) * PIECE_PITCH + lane % 4;
}

// Implements staging.cl: positions 4 g to 4 g + 3, or 32 further right for i / 2 % 2 = 1, of
// position row n = 2 t + i % 2 of block i / 4.
int4 four_of(const int4* sums, int i) {
  const int4* sets = sums + i / 4 * SETS;
  const int4 left_even = (int4)(sets[0].x, sets[1].x, sets[2].x, sets[3].x);
  const int4 left_odd = (int4)(sets[0].y, sets[1].y, sets[2].y, sets[3].y);
  const int4 right_even = (int4)(sets[0].z, sets[1].z, sets[2].z, sets[3].z);
  const int4 right_odd = (int4)(sets[0].w, sets[1].w, sets[2].w, sets[3].w);
  const bool odd = i % 2;
  return i / 2 % 2 ? (odd ? right_odd : right_even) : (odd ? left_odd : left_even);
}

int2 place_of(const Tile* tile, int i) {
  const int lane = (int)get_local_id(0) % 32;
  const int warp = (int)get_local_id(0) / 32;
  return (int2)(tile->left + warp % WARPS_X * WARP_WIDTH + lane / 4 * 4 + i / 2 % 2 * 32,
                tile->top + warp / WARPS_X * BAND + lane % 4 * 2 + i / 4 * 8 + i % 2);
}
