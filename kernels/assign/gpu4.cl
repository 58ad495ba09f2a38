// gpu3 with the work-group's descriptors staged in local memory: they are read from global memory
// once, not once for each word. A work-item reads back only what it staged itself, so that no
// barrier is needed.
// descriptors [DIMENSIONS][n]   words [k][DIMENSIONS / 4]
// nearest_words, squared_distances [n][NEAREST]
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void assign_gpu4(
    global const float* descriptors, global const float4* words, uint n, uint k,
    global uint* nearest_words, global float* squared_distances) {
  local float staged[DIMENSIONS][GROUP_ITEMS];
  const uint row = get_global_id(0);
  const uint item = get_local_id(0);
  if (row >= n) return;
  for (uint i = 0; i < DIMENSIONS; ++i) staged[i][item] = descriptors[(ulong)i * n + row];
  NearestWords nearest;
  clear_nearest(&nearest);
  for (uint word = 0; word < k; ++word) {
    global const float4* w = words + (ulong)word * (DIMENSIONS / 4);
    float4 sums = (float4)(0);
    for (uint i = 0; i < DIMENSIONS; i += 4) {
      const float4 x = (float4)(staged[i][item], staged[i + 1][item], staged[i + 2][item],
                                staged[i + 3][item]);
      const float4 difference = x - w[i / 4];
      sums += difference * difference;
    }
    insert_word(&nearest, sums.x + sums.y + sums.z + sums.w, word);
  }
  store_nearest(&nearest, row, nearest_words, squared_distances);
}
