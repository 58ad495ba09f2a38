// One work-item per descriptor, every distance summed directly: the first step of Kaeli, Mistry,
// Schaa and Zhang, "Heterogeneous Computing with OpenCL 2.0", 2015, chapter 9.
// descriptors [n][DIMENSIONS]   words [k][DIMENSIONS]
// nearest_words, squared_distances [n][NEAREST]
kernel void assign_gpu1(global const float* descriptors, global const float* words, uint n, uint k,
                        global uint* nearest_words, global float* squared_distances) {
  const uint row = get_global_id(0);
  if (row >= n) return;
  descriptors += (ulong)row * DIMENSIONS;
  NearestWords nearest;
  clear_nearest(&nearest);
  for (uint word = 0; word < k; ++word) {
    global const float* w = words + (ulong)word * DIMENSIONS;
    float sum = 0;
    for (uint i = 0; i < DIMENSIONS; ++i) {
      const float difference = descriptors[i] - w[i];
      sum += difference * difference;
    }
    insert_word(&nearest, sum, word);
  }
  store_nearest(&nearest, row, nearest_words, squared_distances);
}
