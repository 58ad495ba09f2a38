// Sum of window times pattern at every position with NVIDIA's matrix units (PTX mma.sync m16n8k32
// on bytes, compute capability 8.0 on). A warp of 32 items has 64 positions side by side, in four
// sets of 16, and BAND below one another, eight to a block of rows. For image row r and 32 pattern
// columns from k on, one instruction adds to set i and block b
//   A[m][k] B[k][n],  A[m][k] = image[r][4 m + i + k],  B[k][n] = pattern[r - 8 b - n][k],
// which is the share of that image row in position 4 m + i of the block's position row n. Lane
// 4 g + t of the warp holds the words of four bytes
//   A: rows g and g + 8, columns 4 t and 4 t + 16     B: rows 4 t and 4 t + 16, column g
//   sums: rows g and g + 8, columns 2 t and 2 t + 1.
#define SETS 4
#define BLOCKS (BAND / 8)
#define WARP_WIDTH 64
#define WARPS_X (TILE_WIDTH / WARP_WIDTH)

typedef struct {
  int4 values[BLOCKS][SETS];  // (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1)
} Sums;

void multiply_add(int4* sum, uint4 a, uint2 b) {
  __asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sum->x), "+r"(sum->y), "+r"(sum->z), "+r"(sum->w)
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
}

// The word that starts `shift` bytes into `low`.
uint word_at(uint low, uint high, int shift) {
  return shift == 0 ? low : low >> 8 * shift | high << (32 - 8 * shift);
}

// Adds image row r of a chunk; `line` is at the lane's first word, `piece` at its first word of the
// pattern row that block 0 meets with n = 0. Blocks beyond their last pattern row, or before their
// first, are left out.
void add_line(Sums* sums, local const uint* line, local const uint* piece, int row, int lines) {
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
      if (row < 8 * block || row >= lines + 8 * block) continue;
      local const uint* words = piece + step - 8 * block * PIECE_PITCH;
      const uint2 b = (uint2)(words[0], words[4]);
#pragma unroll
      for (int set = 0; set < SETS; ++set) {
        const uint4 a = (uint4)(word_at(low[0], high[0], set), word_at(low[2], high[2], set),
                                word_at(low[1], high[1], set), word_at(low[3], high[3], set));
        multiply_add(&sums->values[block][set], a, b);
      }
    }
  }
}

// The sums over the image rows [begin, end), counted from the top of each band.
void add_lines(Sums* sums, local uint* window, local uint* piece, const Tile* tile,
               global const uchar* images, global const char* patterns, int begin, int end) {
  const int item = (int)get_local_id(0);
  const int lane = item % 32;
  const int warp = item / 32;
  const int band = warp / WARPS_X * BAND;
  const int column = warp % WARPS_X * (WARP_WIDTH / 4) + lane / 4 + lane % 4;
  const int block_lines = tile->job.pattern_height + 7;
#pragma unroll
  for (int i = 0; i < BLOCKS * SETS; ++i) sums->values[i / SETS][i % SETS] = 0;
  for (int strip = 0; strip < tile->job.pattern_pitch; strip += 4 * STRIP_WORDS) {
    for (int chunk = begin; chunk < end; chunk += CHUNK) {
      barrier(CLK_LOCAL_MEM_FENCE);
      load_window(window, images, tile, tile->left + strip, tile->top + chunk);
      load_piece(piece, patterns, &tile->job, strip, chunk - (BAND - 1));
      barrier(CLK_LOCAL_MEM_FENCE);
      const int lines = min(CHUNK, end - chunk);
      for (int r = 0; r < lines; ++r) {
        add_line(sums, window + (band + r) * WINDOW_WORDS + column,
                 piece + (r + BAND - 1 - lane / 4) * PIECE_PITCH + lane % 4, chunk + r,
                 block_lines);
      }
    }
  }
}

// Four positions side by side: 4 g to 4 g + 3, of position row n = 2 t + odd, or 32 more.
int4 four_sums(const Sums* sums, int block, int odd, int right) {
  const int4* sets = sums->values[block];
  const int4 left_even = (int4)(sets[0].x, sets[1].x, sets[2].x, sets[3].x);
  const int4 left_odd = (int4)(sets[0].y, sets[1].y, sets[2].y, sets[3].y);
  const int4 right_even = (int4)(sets[0].z, sets[1].z, sets[2].z, sets[3].z);
  const int4 right_odd = (int4)(sets[0].w, sets[1].w, sets[2].w, sets[3].w);
  return right ? (odd ? right_odd : right_even) : (odd ? left_odd : left_even);
}

// Where the lane's first four positions are.
int2 place_of(const Tile* tile) {
  const int lane = (int)get_local_id(0) % 32;
  const int warp = (int)get_local_id(0) / 32;
  return (int2)(tile->left + warp % WARPS_X * WARP_WIDTH + lane / 4 * 4,
                tile->top + warp / WARPS_X * BAND + lane % 4 * 2);
}

// One block, a work-group: TILE_WIDTH x TILE_HEIGHT positions. Patterns of any size.
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void window_products(
    global const Job* jobs, uint first_job, uint job_count, global const uchar* images,
    global const char* patterns, global long* products) {
  local uint window[WINDOW_ROWS * WINDOW_WORDS];
  local uint piece[PIECE_ROWS * PIECE_PITCH];
  const Tile tile = tile_of(jobs + first_job, job_count);
  const int2 place = place_of(&tile);
  const int part_lines = PART_PIXELS / tile.job.pattern_width;
  for (int begin = 0; begin < tile.lines; begin += part_lines) {
    Sums sums;
    add_lines(&sums, window, piece, &tile, images, patterns, begin,
              min(begin + part_lines, tile.lines));
#pragma unroll
    for (int i = 0; i < BLOCKS * 4; ++i) {
      store_products(products, &tile.job, place.x + i / 2 % 2 * 32, place.y + i / 4 * 8 + i % 2,
                     four_sums(&sums, i / 4, i % 2, i / 2 % 2), begin == 0);
    }
  }
}

// Patterns of at most PART_PIXELS pixels, normalised at once.
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void window_correlations(
    global const Job* jobs, uint first_job, uint job_count, global const uchar* images,
    global const char* patterns, global const int* window_sums, global const Real* inverses,
    global float* map) {
  local uint window[WINDOW_ROWS * WINDOW_WORDS];
  local uint piece[PIECE_ROWS * PIECE_PITCH];
  const Tile tile = tile_of(jobs + first_job, job_count);
  const int2 place = place_of(&tile);
  Sums sums;
  add_lines(&sums, window, piece, &tile, images, patterns, 0, tile.lines);
  const Real pattern_inverse = inverse_of(tile.job.pattern_spread);
#pragma unroll
  for (int i = 0; i < BLOCKS * 4; ++i) {
    store_correlations(map, window_sums, inverses, &tile.job, place.x + i / 2 % 2 * 32,
                       place.y + i / 4 * 8 + i % 2, four_sums(&sums, i / 4, i % 2, i / 2 % 2),
                       pattern_inverse);
  }
}
