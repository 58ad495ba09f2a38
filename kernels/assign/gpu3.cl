// gpu2 in vectors of four: a quarter of the loads of words and of the loop's overhead.
// descriptors [DIMENSIONS][n]   words [k][DIMENSIONS / 4]
// nearest_words, squared_distances [n][NEAREST]
kernel void assign_gpu3(global const float* descriptors, global const float4* words, uint n, uint k,
                        global uint* nearest_words, global float* squared_distances) {
  const uint row = get_global_id(0);
  if (row >= n) return;
  descriptors += row;
  NearestWords nearest;
  clear_nearest(&nearest);
  for (uint word = 0; word < k; ++word) {
    global const float4* w = words + (ulong)word * (DIMENSIONS / 4);
    float4 sums = (float4)(0);
    for (uint i = 0; i < DIMENSIONS; i += 4) {
      global const float* x = descriptors + (ulong)i * n;
      const float4 difference = (float4)(x[0], x[n], x[2 * (ulong)n], x[3 * (ulong)n]) - w[i / 4];
      sums += difference * difference;
    }
    insert_word(&nearest, sums.x + sums.y + sums.z + sums.w, word);
  }
  store_nearest(&nearest, row, nearest_words, squared_distances);
}
