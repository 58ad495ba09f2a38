// The NEAREST nearest words of one descriptor: squared distances in rising order, equal ones by
// word. Places without a word hold word 0 at an infinite distance.
// Before gpu1_to_gpu5.cl, cells.cl and refine.cl.
// Build: -D NEAREST: 1 to 8.
typedef struct {
  float squared_distances[NEAREST];
  uint words[NEAREST];
} NearestWords;

void clear_nearest(NearestWords* nearest) {
  for (int m = 0; m < NEAREST; ++m) {
    nearest->squared_distances[m] = INFINITY;
    nearest->words[m] = 0;
  }
}

void insert_word(NearestWords* nearest, float squared_distance, uint word) {
  for (int m = 0; m < NEAREST; ++m) {
    const float old_distance = nearest->squared_distances[m];
    const uint old_word = nearest->words[m];
    if (squared_distance < old_distance || (squared_distance == old_distance && word < old_word)) {
      nearest->squared_distances[m] = squared_distance;
      nearest->words[m] = word;
      squared_distance = old_distance;
      word = old_word;
    }
  }
}

void store_nearest(const NearestWords* nearest, ulong row, global uint* words,
                   global float* squared_distances) {
  for (uint m = 0; m < NEAREST; ++m) {
    words[row * NEAREST + m] = nearest->words[m];
    squared_distances[row * NEAREST + m] = nearest->squared_distances[m];
  }
}

void load_nearest(NearestWords* nearest, ulong row, global const uint* words,
                  global const float* squared_distances) {
  for (uint m = 0; m < NEAREST; ++m) {
    nearest->words[m] = words[row * NEAREST + m];
    nearest->squared_distances[m] = squared_distances[row * NEAREST + m];
  }
}
