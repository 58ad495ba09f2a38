// The steps gpu1 to gpu5 of Kaeli, Mistry, Schaa and Zhang, "Heterogeneous Computing with OpenCL
// 2.0", 2015, chapter 9: one item per descriptor, every distance summed directly. All take
//   descriptors [n][DIMENSIONS] for gpu1, [DIMENSIONS][n] for the others   words [k][DIMENSIONS]
//   nearest_words, squared_distances [n][NEAREST]
// After nearest.cl.
// Build: as nearest.cl, and -D DIMENSIONS: of descriptors, a multiple of 4; GROUP_ITEMS: items of a
// group of gpu4 and gpu5 whose descriptors fit local memory, 1 to 64; not defined for the others.

// Compares a descriptor with every word: the baseline.
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

// Reads transposed descriptors: in each step the items of a warp read one contiguous run instead of
// values that lie a whole descriptor apart.
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

// Compares in vectors of four: a quarter of the loads of words and of the loop's overhead.
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

#ifdef GROUP_ITEMS

// Stages the work-group's descriptors in local memory: they are read from global memory once, not
// once for each word. An item reads back only what it staged itself, which needs no barrier.
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

// Reads the words from constant memory, whose cache hands one value to a whole warp at a time. It
// is small, so the words come in rounds: `words` begins at word first_word, and every round but the
// first starts from the answer of the round before.
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
#endif
