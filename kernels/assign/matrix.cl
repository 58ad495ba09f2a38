// The scan on NVIDIA's matrix units (compute capability 8.0 and up), which OpenCL C reaches through
// inline PTX. A value is split into two bfloat16, high + low, and a product becomes three: high *
// high + high * low + low * high, summed in float by the units. A warp holds ROW_TILES tiles of 16
// descriptors in registers, split, and walks the words in blocks of 32; the words come packed so
// that each lane reads the 16 bytes that it hands to the units.
// After candidates.cl, with SCORE float.
// Build: -D ROW_TILES: 2 up to 64 dimensions, else 1; GROUP_ITEMS: 64, a multiple of WARP.
#define WARP 32
#define STEPS ((DIMENSIONS + 15) / 16)
#define ROWS (2 * ROW_TILES)

// Rounds two floats to bfloat16, the first in the low half.
uint high_pair(float2 v) {
  uint pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(v.y), "f"(v.x));
  return pair;
}

// Rounds what high_pair leaves of two floats.
uint low_pair(float2 v, uint high) {
  return high_pair(v - (float2)(as_float(high << 16), as_float(high & 0xffff0000U)));
}

// Computes sums [16][8] += a [16][16] * b [16][8]. Lane l holds rows l / 4 and l / 4 + 8: in `a` at
// columns 2 (l % 4) + {0, 1} and + {8, 9}, in `sums` at columns 2 (l % 4) + {0, 1}.
void multiply_add(float* sums, const uint* a, uint2 b) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x), "r"(b.y));
}

// Loads the lane's part of a tile of 16 descriptors.
//   rows: indexes of the lane's two descriptors, rows l / 4 and l / 4 + 8 of the tile
void load_rows(global const float2* descriptors, const uint* rows, uint lane, uint high[STEPS][4],
               uint low[STEPS][4]) {
#pragma unroll
  for (int s = 0; s < STEPS; ++s) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int pair = s * 8 + e / 2 * 4;
      const float2 v = pair < DIMENSIONS / 2
                           ? descriptors[(ulong)rows[e % 2] * (DIMENSIONS / 2) + pair + lane % 4]
                           : (float2)(0);
      high[s][e] = high_pair(v);
      low[s][e] = low_pair(v, high[s][e]);
    }
  }
}

// Merges a candidate of any group: equal scores keep the lower group in front.
void merge_candidate(Candidates* candidates, float score, uint group) {
  for (int c = 0; c < CANDIDATES; ++c) {
    const float old_score = candidates->scores[c];
    const uint old_group = candidates->groups[c];
    if (score > old_score || (score == old_score && group < old_group)) {
      candidates->scores[c] = score;
      candidates->groups[c] = group;
      score = old_score;
      group = old_group;
    }
  }
  candidates->scores[CANDIDATES] = fmax(candidates->scores[CANDIDATES], score);
}

// Scores 16 words of a block, two of each group, for the warp's rows, and raises `best`, by row.
void score_words(uint high[ROW_TILES][STEPS][4], uint low[ROW_TILES][STEPS][4],
                 global const uint4* words, global const float2* half_norms, float* best) {
  float sums[2][ROW_TILES][4];
#pragma unroll
  for (int j = 0; j < 2; ++j) {
#pragma unroll
    for (int t = 0; t < ROW_TILES; ++t) {
      sums[j][t][0] = sums[j][t][2] = -half_norms[j].x;
      sums[j][t][1] = sums[j][t][3] = -half_norms[j].y;
    }
  }
#pragma unroll
  for (int s = 0; s < STEPS; ++s) {
    const uint4 w[2] = {words[s * WARP], words[(STEPS + s) * WARP]};
    // The small products first; tiles in turn, so that the units need not wait for a sum.
#pragma unroll
    for (int i = 0; i < 2 * ROW_TILES; ++i) {
      multiply_add(sums[i % 2][i / 2], low[i / 2][s], w[i % 2].xy);
    }
#pragma unroll
    for (int i = 0; i < 2 * ROW_TILES; ++i) {
      multiply_add(sums[i % 2][i / 2], high[i / 2][s], w[i % 2].zw);
    }
#pragma unroll
    for (int i = 0; i < 2 * ROW_TILES; ++i) {
      multiply_add(sums[i % 2][i / 2], high[i / 2][s], w[i % 2].xy);
    }
  }
#pragma unroll
  for (int i = 0; i < 2 * ROW_TILES; ++i) {
    const float* tile = sums[i % 2][i / 2];
    best[i / 2 * 2] = fmax(best[i / 2 * 2], fmax(tile[0], tile[1]));
    best[i / 2 * 2 + 1] = fmax(best[i / 2 * 2 + 1], fmax(tile[2], tile[3]));
  }
}

// Scores blocks of words for the warp's rows: a lane keeps the best of every fourth group.
//   candidates [ROWS]
void scan_blocks(uint high[ROW_TILES][STEPS][4], uint low[ROW_TILES][STEPS][4],
                 global const uint4* words, global const float2* half_norms, uint lane, uint first,
                 uint end, Candidates* candidates) {
  for (uint block = first; block < end; ++block) {
    float best[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) best[r] = -INFINITY;
#pragma unroll
    for (int half_block = 0; half_block < 2; ++half_block) {
      score_words(high, low, words + (block * 4UL + half_block * 2) * (STEPS * WARP) + lane,
                  half_norms + block * 16 + lane % 4 * 4 + half_block * 2, best);
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) insert_candidate(&candidates[r], best[r], block * 4 + lane % 4);
  }
}

// Returns the row of the warp to which the lane's candidates r belong.
uint row_of(uint lane, int r) {
  return r / 2 * 16 + lane / 4 + r % 2 * 8;
}

// Merges another lane's or cell's candidates for the same row.
void merge_candidates(Candidates* candidates, const Candidates* others) {
  for (int c = 0; c < CANDIDATES; ++c) {
    merge_candidate(candidates, others->scores[c], others->groups[c]);
  }
  candidates->scores[CANDIDATES] =
      fmax(candidates->scores[CANDIDATES], others->scores[CANDIDATES]);
}

// Merges the candidates of a row's four lanes into those of the first. All items of a work-group
// call it.
void merge_lanes(Candidates* candidates, local Candidates* found, uint item) {
  found[item] = *candidates;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint other = item + 1; item % 4 == 0 && other < item + 4; ++other) {
    const Candidates others = found[other];
    merge_candidates(candidates, &others);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Finds the best groups of each descriptor.
// descriptors [n][DIMENSIONS]   words [blocks][4][STEPS][WARP]: as pack_fragments
// half_norms [blocks * 32], by word   groups [n][CANDIDATES]
// next_scores [n]: the best score of a group that is not in groups
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void scan_matrix(
    global const float2* descriptors, global const uint4* words, global const float2* half_norms,
    uint n, uint blocks, global uint* groups, global float* next_scores) {
  local Candidates found[GROUP_ITEMS];
  const uint item = get_local_id(0);
  const uint lane = item % WARP;
  const uint first = get_global_id(0) / WARP * (16 * ROW_TILES);
  uint high[ROW_TILES][STEPS][4], low[ROW_TILES][STEPS][4];
#pragma unroll
  for (int t = 0; t < ROW_TILES; ++t) {
    // Rows past the end repeat the last one.
    const uint rows[2] = {min(first + row_of(lane, t * 2), n - 1),
                          min(first + row_of(lane, t * 2 + 1), n - 1)};
    load_rows(descriptors, rows, lane, high[t], low[t]);
  }
  Candidates candidates[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) clear_candidates(&candidates[r]);
  scan_blocks(high, low, words, half_norms, lane, 0, blocks, candidates);
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    merge_lanes(&candidates[r], found, item);
    const uint row = first + row_of(lane, r);
    if (lane % 4 == 0 && row < n) {
      for (int c = 0; c < CANDIDATES; ++c) {
        groups[(ulong)row * CANDIDATES + c] = candidates[r].groups[c];
      }
      next_scores[row] = candidates[r].scores[CANDIDATES];
    }
  }
}
