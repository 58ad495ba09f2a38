// One pattern to look for in one image; CorrelationJob on the host has the same layout.
// Offsets count elements of their buffers. Pixels are taken less 128, which leaves the correlation
// as it is and keeps every sum below 64 bits.
typedef struct {
  ulong image;    // uchar [image_height][image_width]
  ulong pattern;  // float, less 128: [pattern_height + 2 * PATTERN_MARGIN][pattern_width], the
                  // margin rows zero
  ulong sums;     // [image_height][pitch]
  ulong map;      // [map_height][pitch]
  long pattern_sum;
  long pattern_spread;  // n * sum of squares - square of the sum
  int image_width;
  int image_height;
  int pattern_width;
  int pattern_height;
  int map_width;
  int map_height;
  int pitch;  // map_width rounded up, so that whole vectors stay within a row
  int unused;
} Job;

// The job that a block belongs to: job i has the blocks [first[i], first[i + 1]).
uint find_job(global const uint* first, uint jobs, uint block) {
  uint low = 0;
  uint high = jobs;
  while (high - low > 1) {
    const uint middle = (low + high) / 2;
    if (first[middle] <= block) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}
