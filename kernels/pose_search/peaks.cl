typedef struct {
  int template_index, x, y;
  float score;
} Peak;

// Positions of each run's map that reach min_score and are not below a neighbour (of equals, the
// first). counters: peaks, of which the first `capacity` are written; then flags, whether there are
// flat windows and whether there are others.
kernel void find_peaks(global const float* best, global const int* chosen, int width, int height,
                       int runs, int map_pitch, int map_rows, float min_score, global Peak* peaks,
                       uint capacity, global uint* counters) {
  const int x = (int)get_global_id(0);
  const int y = (int)get_global_id(1);
  const int run = (int)get_global_id(2);
  if (x >= width || y >= height || run >= runs) return;
  const ulong first = (ulong)run * map_rows * map_pitch;
  const float here = best[first + (ulong)y * map_pitch + x];
  if (here == FLAT) counters[1] = 1;
  if (here > FLAT) counters[2] = 1;
  if (!(here >= min_score)) return;
  for (int i = 0; i < 9; ++i) {
    const int nx = x + i % 3 - 1;
    const int ny = y + i / 3 - 1;
    if (i == 4 || nx < 0 || ny < 0 || nx >= width || ny >= height) continue;
    const float there = best[first + (ulong)ny * map_pitch + nx];
    if (i < 4 ? there >= here : there > here) return;
  }
  const uint slot = atomic_inc(counters);
  if (slot < capacity) {
    peaks[slot] = (Peak){chosen[first + (ulong)y * map_pitch + x], x, y, here};
  }
}
