// The scan on a GPU: a work-group of 256 takes a tile of 128 descriptors and walks the words in
// tiles of 128, each item summing 8 x 8 products in registers. Slices of SLICE dimensions go
// through local memory, double-buffered: the next slice travels while this one is used. The n x k
// matrix is never written: after each tile of words the best score of each group of 8 words goes to
// local memory, where one item per descriptor selects the best of them.
// After candidates.cl, with SCORE float.
// Build: -D TILE: 128.
#define SIDE 16
#define SLICE 8  // dimensions
#define ITEMS (SIDE * SIDE)
#define QUADS (SLICE * TILE / 4)
#define SLICES (DIMENSIONS / SLICE)
// Floats of a row of group scores, four of them unused, so that rows start in different banks.
#define SCORE_PITCH (TILE + 4)

// Packs descriptors [n][DIMENSIONS] to [tiles][DIMENSIONS][TILE], so that a slice of dimensions is
// one contiguous run. Rows past the end become zero. Item (row of any tile, quad of dimensions).
kernel void pack_tiles(global const float4* descriptors, uint n, global float* tiles) {
  const uint row = get_global_id(0);
  const uint quad = get_global_id(1);
  float4 values = (float4)(0);
  if (row < n) values = descriptors[(ulong)row * (DIMENSIONS / 4) + quad];
  global float* column =
      tiles + ((ulong)(row / TILE) * DIMENSIONS + quad * 4) * TILE + row % TILE;
  column[0] = values.x;
  column[TILE] = values.y;
  column[2 * TILE] = values.z;
  column[3 * TILE] = values.w;
}

float best_of(float8 scores) {
  const float4 four = fmax(scores.lo, scores.hi);
  const float2 two = fmax(four.lo, four.hi);
  return fmax(two.x, two.y);
}

void load_slice(global const float4* from, uint item, float4* quads) {
#pragma unroll
  for (int q = 0; q < QUADS / ITEMS; ++q) quads[q] = from[q * ITEMS + item];
}

void stage_slice(const float4* quads, uint item, local float4* to) {
#pragma unroll
  for (int q = 0; q < QUADS / ITEMS; ++q) to[q * ITEMS + item] = quads[q];
}

// Adds the products of one staged slice: rows 4y..4y+3 and 64+4y..64+4y+3 of the descriptors' tile
// with the same columns of the words' tile, which reads local memory without bank conflicts.
void add_products(local const float4* descriptors, local const float4* words, float8* scores) {
#pragma unroll
  for (int i = 0; i < SLICE; ++i) {
    const float4 low = descriptors[i * (TILE / 4)];
    const float4 high = descriptors[i * (TILE / 4) + SIDE];
    const float8 w = (float8)(words[i * (TILE / 4)], words[i * (TILE / 4) + SIDE]);
    scores[0] += low.x * w;
    scores[1] += low.y * w;
    scores[2] += low.z * w;
    scores[3] += low.w * w;
    scores[4] += high.x * w;
    scores[5] += high.y * w;
    scores[6] += high.z * w;
    scores[7] += high.w * w;
  }
}

// Inserts the groups of a tile of words into the candidates of a row of descriptors.
void insert_groups(local const float* row_scores, uint tile, local Candidates* best) {
  Candidates candidates = *best;
  for (uint g = 0; g < SIDE; ++g) {
    insert_candidate(&candidates, row_scores[g * SCORE_PITCH], tile * SIDE + g);
  }
  *best = candidates;
}

// Finds the best groups of each descriptor.
// descriptors [tiles][DIMENSIONS][TILE]   words [word_tiles][DIMENSIONS][TILE], a group's words at
// columns 4x..4x+3 and 64+4x..64+4x+3      half_norms [word_tiles * TILE], by word
// groups [n][CANDIDATES]   next_scores [n]: the best score of a group that is not in groups
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void scan_fused(
    global const float4* descriptors, global const float4* words, global const float8* half_norms,
    uint n, uint word_tiles, global uint* groups, global float* next_scores) {
  local float4 staged_descriptors[2][QUADS];
  local float4 staged_words[2][QUADS];
  local float4 group_scores[SIDE * SCORE_PITCH / 4];
  local Candidates best[TILE];  // by row; in registers only while the scores are not
  const uint item = get_local_id(0);
  // The 32 work-items of a warp form a block of 8 x 4: they read 8 and 4 different quads.
  const uint x = item / 32 % 2 * 8 + item % 8;
  const uint y = item / 64 * 4 + item % 32 / 8;
  const uint first = get_group_id(0) * TILE;
  descriptors += (ulong)first * (DIMENSIONS / 4);
  float4 quads[QUADS / ITEMS];
  load_slice(descriptors, item, quads);
  stage_slice(quads, item, staged_descriptors[0]);
  load_slice(words, item, quads);
  stage_slice(quads, item, staged_words[0]);
  Candidates candidates;
  clear_candidates(&candidates);
  if (item < TILE) best[item] = candidates;
  barrier(CLK_LOCAL_MEM_FENCE);

  uint step = 0;
  for (uint tile = 0; tile < word_tiles; ++tile) {
    float8 scores[8];
    const float8 start = -half_norms[tile * SIDE + x];
#pragma unroll
    for (int r = 0; r < 8; ++r) scores[r] = start;
#pragma unroll 1
    for (uint slice = 0; slice < SLICES; ++slice, ++step) {
      const uint now = step & 1;
      float4 next_words[QUADS / ITEMS];
      load_slice(descriptors + (slice + 1) % SLICES * QUADS, item, quads);
      load_slice(words + (step + 1 < word_tiles * SLICES ? (ulong)(step + 1) * QUADS : 0), item,
                 next_words);
      add_products(staged_descriptors[now] + y, staged_words[now] + x, scores);
      stage_slice(quads, item, staged_descriptors[now ^ 1]);
      stage_slice(next_words, item, staged_words[now ^ 1]);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    group_scores[x * (SCORE_PITCH / 4) + y] = (float4)(best_of(scores[0]), best_of(scores[1]),
                                                       best_of(scores[2]), best_of(scores[3]));
    group_scores[x * (SCORE_PITCH / 4) + SIDE + y] =
        (float4)(best_of(scores[4]), best_of(scores[5]), best_of(scores[6]), best_of(scores[7]));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < TILE) insert_groups((local const float*)group_scores + item, tile, best + item);
  }
  const uint row = first + item;
  if (item < TILE && row < n) {
    for (uint c = 0; c < CANDIDATES; ++c) {
      groups[(ulong)row * CANDIDATES + c] = best[item].groups[c];
    }
    next_scores[row] = best[item].scores[CANDIDATES];
  }
}
