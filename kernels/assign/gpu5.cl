// gpu4 with the words in constant memory, whose cache hands one value to a whole warp at a time. It
// is small, so the words come in rounds, and a round takes up what the rounds before it found.
// descriptors [DIMENSIONS][n]   words [k][DIMENSIONS / 4]: those from first_word on
// nearest_words, squared_distances [n][NEAREST]: read, unless first_word is 0, and written
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void assign_gpu5(
    global const float* descriptors, constant float4* words, uint n, uint k,
    global uint* nearest_words, global float* squared_distances, uint first_word) {
  local float staged[DIMENSIONS][GROUP_ITEMS];
  const uint row = get_global_id(0);
  const uint item = get_local_id(0);
  if (row >= n) return;
  for (uint i = 0; i < DIMENSIONS; ++i) staged[i][item] = descriptors[(ulong)i * n + row];
  NearestWords nearest;
  clear_nearest(&nearest);
  if (first_word > 0) load_nearest(&nearest, row, nearest_words, squared_distances);
  for (uint word = 0; word < k; ++word) {
    constant float4* w = words + word * (DIMENSIONS / 4);
    float4 sums = (float4)(0);
    for (uint i = 0; i < DIMENSIONS; i += 4) {
      const float4 x = (float4)(staged[i][item], staged[i + 1][item], staged[i + 2][item],
                                staged[i + 3][item]);
      const float4 difference = x - w[i / 4];
      sums += difference * difference;
    }
    insert_word(&nearest, sums.x + sums.y + sums.z + sums.w, first_word + word);
  }
  store_nearest(&nearest, row, nearest_words, squared_distances);
}
