// For GPUs: a work-group of 16 x 16 takes a tile of 128 descriptors and walks the words in tiles of
// 128, each work-item summing 8 x 8 products in registers. Slices of SLICE dimensions go through
// local memory, double-buffered: the next slice travels while this one is used. The n x k matrix is
// never written; each work-item keeps the best groups of 8 words and the work-group merges them.
// Score of a word c for x: x.c - |c|^2 / 2, which falls as the distance grows.
#define SIDE 16
#define SLICE 8
#define QUADS (SLICE * TILE / 4)
#define SLICES (DIMENSIONS / SLICE)

float best_of(float8 scores) {
  const float4 four = select(scores.lo, scores.hi, scores.hi > scores.lo);
  const float2 two = select(four.lo, four.hi, four.hi > four.lo);
  return two.y > two.x ? two.y : two.x;
}

// Merges a candidate of any group: equal scores keep the lower group in front.
void merge_candidate(Candidates* candidates, float score, uint group) {
  for (int c = 0; c < NEAREST; ++c) {
    const float old_score = candidates->scores[c];
    const uint old_group = candidates->groups[c];
    if (score > old_score || (score == old_score && group < old_group)) {
      candidates->scores[c] = score;
      candidates->groups[c] = group;
      score = old_score;
      group = old_group;
    }
  }
  candidates->scores[NEAREST] = fmax(candidates->scores[NEAREST], score);
}

// Adds the products of one staged slice: rows 4y..4y+3 and 64+4y..64+4y+3 of the descriptors' tile
// against the same columns of the words' tile, which reads local memory without bank conflicts.
void add_products(local const float4* descriptors, local const float4* words, uint x, uint y,
                  float8* scores) {
#pragma unroll
  for (int i = 0; i < SLICE; ++i) {
    const float4 low = descriptors[i * (TILE / 4) + y];
    const float4 high = descriptors[i * (TILE / 4) + SIDE + y];
    const float8 w =
        (float8)(words[i * (TILE / 4) + x], words[i * (TILE / 4) + SIDE + x]);
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

// descriptors [tiles][DIMENSIONS][TILE]   words [word_tiles][DIMENSIONS][TILE], a group's words at
// columns 4x..4x+3 and 64+4x..64+4x+3      half_norms [word_tiles * TILE], by word
// groups [n][NEAREST]   next_scores [n]: the best score of a group that is not in groups
kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void scan_fused(
    global const float4* descriptors, global const float4* words, global const float8* half_norms,
    uint n, uint word_tiles, global uint* groups, global float* next_scores) {
  local float4 staged_descriptors[2][QUADS];
  local float4 staged_words[2][QUADS];
  local float merge_scores[SIDE][SIDE][NEAREST + 1];
  local uint merge_groups[SIDE][SIDE][NEAREST];
  const uint x = get_local_id(0);
  const uint y = get_local_id(1);
  const uint item = y * SIDE + x;
  const uint first = get_group_id(1) * TILE;
  descriptors += (ulong)first * (DIMENSIONS / 4);

  Candidates candidates[8];
#pragma unroll
  for (int r = 0; r < 8; ++r) clear_candidates(&candidates[r]);
  staged_descriptors[0][item] = descriptors[item];
  staged_words[0][item] = words[item];
  barrier(CLK_LOCAL_MEM_FENCE);

  const uint steps = word_tiles * SLICES;
  uint step = 0;
  for (uint tile = 0; tile < word_tiles; ++tile) {
    float8 scores[8];
    const float8 start = -half_norms[tile * SIDE + x];
#pragma unroll
    for (int r = 0; r < 8; ++r) scores[r] = start;
    for (uint slice = 0; slice < SLICES; ++slice, ++step) {
      const uint now = step & 1;
      const uint next = step + 1 < steps ? step + 1 : 0;
      const float4 next_descriptors = descriptors[(next % SLICES) * QUADS + item];
      const float4 next_words = words[(ulong)next * QUADS + item];
      add_products(staged_descriptors[now], staged_words[now], x, y, scores);
      staged_descriptors[now ^ 1][item] = next_descriptors;
      staged_words[now ^ 1][item] = next_words;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (int r = 0; r < 8; ++r) {
      insert_candidate(&candidates[r], best_of(scores[r]), tile * (TILE / 8) + x);
    }
  }

#pragma unroll
  for (int r = 0; r < 8; ++r) {
#pragma unroll
    for (int c = 0; c < NEAREST; ++c) merge_groups[y][x][c] = candidates[r].groups[c];
#pragma unroll
    for (int c = 0; c <= NEAREST; ++c) merge_scores[y][x][c] = candidates[r].scores[c];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint row = first + (r / 4) * (TILE / 2) + y * 4 + r % 4;
    if (x == 0 && row < n) {
      Candidates merged = candidates[r];
      for (uint other = 1; other < SIDE; ++other) {
        for (int c = 0; c < NEAREST; ++c) {
          merge_candidate(&merged, merge_scores[y][other][c], merge_groups[y][other][c]);
        }
        merged.scores[NEAREST] = fmax(merged.scores[NEAREST], merge_scores[y][other][NEAREST]);
      }
      for (int c = 0; c < NEAREST; ++c) groups[(ulong)row * NEAREST + c] = merged.groups[c];
      next_scores[row] = merged.scores[NEAREST];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
