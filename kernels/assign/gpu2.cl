// gpu1 with the descriptors transposed: in each step the work-items of a warp read one contiguous
// run instead of values that lie a whole descriptor apart.
// descriptors [DIMENSIONS][n]   words [k][DIMENSIONS]
// nearest_words, squared_distances [n][NEAREST]
kernel void assign_gpu2(global const float* descriptors, global const float* words, uint n, uint k,
                        global uint* nearest_words, global float* squared_distances) {
  const uint row = get_global_id(0);
  if (row >= n) return;
  NearestWords nearest;
  clear_nearest(&nearest);
  for (uint word = 0; word < k; ++word) {
    global const float* w = words + (ulong)word * DIMENSIONS;
    float sum = 0;
    for (uint i = 0; i < DIMENSIONS; ++i) {
      const float difference = descriptors[(ulong)i * n + row] - w[i];
      sum += difference * difference;
    }
    insert_word(&nearest, sum, word);
  }
  store_nearest(&nearest, row, nearest_words, squared_distances);
}
