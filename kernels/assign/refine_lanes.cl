// refine for GPUs: eight work-items a row, each with one word of every kept group, so that the
// words of a group are read as whole lines. The first of the eight then puts the words in order.
#define LANES 8
#define ROWS (GROUP_ITEMS / LANES)

// Arguments as refine's.
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void refine_lanes(
    global const float4* descriptors, global const float* words, global const uint* groups,
    global const float* next_scores, uint n, uint k, float max_norm, global uint* nearest_words,
    global float* squared_distances, volatile global uint* doubtful) {
  local float distances[ROWS][KEPT][LANES];
  const uint lane = get_local_id(0) % LANES;
  const uint line = get_local_id(0) / LANES;
  const uint row = get_global_id(0) / LANES;
  const bool is_row = row < n;
  float squared_norm = 0;
  for (uint c = 0; c < KEPT && is_row; ++c) {
    const uint group = min(groups[(ulong)row * KEPT + c], (k - 1) / LANES);
    global const float4* x = descriptors + (ulong)row * (DIMENSIONS / 4);
    global const float* word = words + (ulong)group * DIMENSIONS * LANES + lane;
    float even = 0, odd = 0, squares = 0;
    for (uint i = 0; i < DIMENSIONS / 4; ++i, word += 4 * LANES) {
      const float4 value = x[i];
      const float4 difference =
          value - (float4)(word[0], word[LANES], word[2 * LANES], word[3 * LANES]);
      even += difference.x * difference.x;
      odd += difference.y * difference.y;
      even += difference.z * difference.z;
      odd += difference.w * difference.w;
      squares += dot(value, value);
    }
    distances[line][c][lane] = even + odd;
    squared_norm = squares;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane > 0 || !is_row) return;
  NearestWords nearest;
  clear_nearest(&nearest);
  for (uint c = 0; c < KEPT; ++c) {
    const uint group = groups[(ulong)row * KEPT + c];
    if (group == UINT_MAX) continue;
    for (uint j = 0; j < LANES && group * LANES + j < k; ++j) {
      insert_word(&nearest, distances[line][c][j], group * LANES + j);
    }
  }
  store_nearest(&nearest, row, nearest_words, squared_distances);
  if (is_doubtful(&nearest, squared_norm, next_scores[row], max_norm)) {
    doubtful[1 + atomic_inc(doubtful)] = row;
  }
}
