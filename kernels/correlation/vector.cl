// Sum of window times pattern at every position, for CPUs: each item keeps ROWS rows of VECTORS x
// 16 positions in registers, so that a vector of pixels serves ROWS products.
//
// Products are floats, yet exact: each is at most 2^14 in size, and STRIP x STRIP = 1024 of them
// stay within the 2^24 up to which a float holds every integer. Then they move to 64 bits.
// After job.cl.
// Build: -D ROWS: 6; VECTORS: 2; PATTERN_MARGIN: rows of zeros above a pattern, ROWS - 1.
#define POSITIONS (16 * VECTORS)
#define STRIP 32

// Loads the pixels of one image row that a strip of the pattern meets, as floats.
void load_line(float* line, global const uchar* pixels) {
  for (int i = 0; i < POSITIONS + STRIP; i += 16) {
    vstore16(convert_float16(vload16(0, pixels + i)) - 128.0f, 0, line + i);
  }
}

// Adds the products of one image row with the ROWS pattern rows that meet it: pattern row r for the
// first row of positions, r - 1 for the second and so on.
void add_line(float16 sums[ROWS][VECTORS], const float* line, global const float* pattern,
              int width, int pitch) {
  for (int tx = 0; tx < width; ++tx) {
    float16 pixels[VECTORS];
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) pixels[v] = vload16(0, line + tx + 16 * v);
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
      const float t = pattern[tx - row * pitch];
#pragma unroll
      for (int v = 0; v < VECTORS; ++v) sums[row][v] += pixels[v] * t;
    }
  }
}

void move_sums(float16 sums[ROWS][VECTORS], long16 totals[ROWS][VECTORS]) {
#pragma unroll
  for (int row = 0; row < ROWS; ++row) {
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) {
      totals[row][v] += convert_long16(sums[row][v]);
      sums[row][v] = 0.0f;
    }
  }
}

// Computes a tile's products; an item per tile of ROWS x POSITIONS. The pattern's margins of zeros
// let the first and the last image rows take part for some of the ROWS only.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void window_products(
    global const Job* jobs, uint first_job, uint job_count, global const uchar* images,
    global const float* patterns, global long* products) {
  const Tile tile = tile_of(jobs + first_job, job_count, POSITIONS, ROWS);
  const Job job = tile.job;
  const int lines = job.pattern_height + ROWS - 1;

  long16 totals[ROWS][VECTORS];
  float16 sums[ROWS][VECTORS];
  for (int i = 0; i < ROWS * VECTORS; ++i) {
    totals[i / VECTORS][i % VECTORS] = 0;
    sums[i / VECTORS][i % VECTORS] = 0.0f;
  }
  for (int strip = 0; strip < job.pattern_width; strip += STRIP) {
    const int width = min(STRIP, job.pattern_width - strip);
    global const uchar* image = images + job.image + tile.left + strip;
    global const float* pattern =
        patterns + job.pattern + (ulong)PATTERN_MARGIN * job.pattern_pitch + strip;
    for (int r = 0; r < lines; ++r) {
      float line[POSITIONS + STRIP];
      const int image_row = min(tile.top + r, job.image_height - 1);
      load_line(line, image + (ulong)image_row * job.image_pitch);
      add_line(sums, line, pattern + (ulong)r * job.pattern_pitch, width, job.pattern_pitch);
      if (r % STRIP == STRIP - 1 || r == lines - 1) move_sums(sums, totals);
    }
  }
  const int rows = min(ROWS, job.map_height - tile.top);
  for (int row = 0; row < rows; ++row) {
    global long* out = products + job.map + (ulong)(tile.top + row) * job.pitch + tile.left;
    for (int v = 0; v < VECTORS; ++v) vstore16(totals[row][v], v, out);
  }
}
