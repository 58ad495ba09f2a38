// Sum of window times pattern at every position with a CPU's byte dot products (AVX-512 VNNI or
// AVX-VNNI): each item keeps ROWS rows of VECTORS x WIDTH positions in registers. Position x reads
// a "quad", the pixels x to x + 3 as one integer, and a lane adds four products of pixels, which
// are unsigned, and pattern, which is signed, at once.
//
// 32 bits hold the sum of PART_PIXELS products of at most 255 * 128; larger patterns are taken in
// parts of PART_PIXELS pixels, whose sums are added in 64 bits.
// After job.cl and correlations.cl, with WIDTH 16 or 8.
// Build: -D VEX: with AVX-VNNI, else AVX-512; ROWS: 6; VECTORS: 4 or 2; PATTERN_MARGIN: rows of
// zeros above a pattern, ROWS - 1; PART_PIXELS: kPartPixels.
#define POSITIONS (WIDTH * VECTORS)
#define STRIP 64

#ifdef VEX
#define DOT_PRODUCT "%{vex%} vpdpbusd"  // AVX-VNNI
#else
#define DOT_PRODUCT "vpdpbusd"  // AVX-512 VNNI
#endif

typedef VECTOR(uint) Uints;

// Adds to each lane the dot product of the four bytes of its quad and of `pattern`.
Ints add_dot_products(Ints sums, Ints quads, Ints pattern) {
  __asm__(DOT_PRODUCT " %2, %1, %0" : "+v"(sums) : "v"(quads), "v"(pattern));
  return sums;
}

// Loads the quads of one image row that a strip of the pattern meets.
void load_quads(uint* quads, global const uchar* pixels) {
  for (int i = 0; i < POSITIONS + STRIP; i += WIDTH) {
    const Uints quad = CONVERT(uint)(LOAD(0, pixels + i)) |
                       CONVERT(uint)(LOAD(0, pixels + i + 1)) << 8 |
                       CONVERT(uint)(LOAD(0, pixels + i + 2)) << 16 |
                       CONVERT(uint)(LOAD(0, pixels + i + 3)) << 24;
    STORE(quad, 0, quads + i);
  }
}

// Adds the products of one image row with the ROWS pattern rows that meet it: pattern row r for the
// first row of positions, r - 1 for the second and so on. `width` and `pitch` count quads.
void add_line(Ints sums[ROWS][VECTORS], const uint* quads, global const int* pattern, int width,
              int pitch) {
  for (int tx = 0; tx < width; ++tx) {
    Ints pixels[VECTORS];
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) {
      pixels[v] = JOIN(as_, VECTOR(int))(LOAD(0, quads + 4 * tx + WIDTH * v));
    }
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
      const Ints t = pattern[tx - row * pitch];
#pragma unroll
      for (int v = 0; v < VECTORS; ++v) {
        sums[row][v] = add_dot_products(sums[row][v], pixels[v], t);
      }
    }
  }
}

// Adds the products of the image rows [begin, end), counted from the top of the tile.
void add_lines(Ints sums[ROWS][VECTORS], const Job* job, global const uchar* image,
               global const char* pattern, int top, int begin, int end) {
  for (int strip = 0; strip < job->pattern_pitch; strip += STRIP) {
    const int width = min(STRIP, job->pattern_pitch - strip) / 4;
    for (int r = begin; r < end; ++r) {
      uint quads[POSITIONS + STRIP];
      const int y = min(top + r, job->image_height - 1);
      load_quads(quads, image + (ulong)y * job->image_pitch + strip);
      global const char* row = pattern + (ulong)(r + PATTERN_MARGIN) * job->pattern_pitch + strip;
      add_line(sums, quads, (global const int*)row, width, job->pattern_pitch / 4);
    }
  }
}

void clear(Ints sums[ROWS][VECTORS]) {
#pragma unroll
  for (int i = 0; i < ROWS * VECTORS; ++i) sums[i / VECTORS][i % VECTORS] = 0;
}

// Returns the number of image rows that the tile meets. The pattern's margins of zeros let the
// first and the last of them take part for some of the ROWS only.
int lines_of(const Tile* tile) {
  return tile->job.pattern_height + min(ROWS, tile->job.map_height - tile->top) - 1;
}

// Computes a tile's products, of patterns of any size; an item per tile of ROWS x POSITIONS.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void window_products(
    global const Job* jobs, uint first_job, uint job_count, global const uchar* images,
    global const char* patterns, global long* products) {
  const Tile tile = tile_of(jobs + first_job, job_count, POSITIONS, ROWS);
  const Job job = tile.job;
  const int rows = min(ROWS, job.map_height - tile.top);
  const int lines = lines_of(&tile);
  const int part_lines = PART_PIXELS / job.pattern_width;
  global long* out = products + job.map + (ulong)tile.top * job.pitch + tile.left;
  for (int begin = 0; begin < lines; begin += part_lines) {
    Ints sums[ROWS][VECTORS];
    clear(sums);
    add_lines(sums, &job, images + job.image + tile.left, patterns + job.pattern, tile.top, begin,
              min(begin + part_lines, lines));
    for (int row = 0; row < rows; ++row) {
      for (int v = 0; v < VECTORS && tile.left + WIDTH * v < job.map_width; ++v) {
        global long* place = out + (ulong)row * job.pitch + WIDTH * v;
        const Longs before = begin == 0 ? (Longs)(-128 * job.pattern_sum) : LOAD(0, place);
        STORE(before + CONVERT(long)(sums[row][v]), 0, place);
      }
    }
  }
}

// Computes a tile's correlations, of patterns of at most PART_PIXELS pixels; an item per tile.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void window_correlations(
    global const Job* jobs, uint first_job, uint job_count, global const uchar* images,
    global const char* patterns, global const int* window_sums, global const Real* inverses,
    global float* map) {
  const Tile tile = tile_of(jobs + first_job, job_count, POSITIONS, ROWS);
  const Job job = tile.job;
  Ints sums[ROWS][VECTORS];
  clear(sums);
  add_lines(sums, &job, images + job.image + tile.left, patterns + job.pattern, tile.top, 0,
            lines_of(&tile));
  const int rows = min(ROWS, job.map_height - tile.top);
  const Real pattern_inverse = inverse_of(job.pattern_spread);
  const ulong place = (ulong)tile.top * job.pitch + tile.left;
  for (int row = 0; row < rows; ++row) {
    for (int v = 0; v < VECTORS && tile.left + WIDTH * v < job.map_width; ++v) {
      const ulong i = place + (ulong)row * job.pitch + WIDTH * v;
      const Longs products = CONVERT(long)(sums[row][v]) - 128 * job.pattern_sum;
      STORE(correlations(products, LOAD(0, window_sums + job.statistics + i),
                         LOAD(0, inverses + job.statistics + i), &job, pattern_inverse),
            0, map + job.map + i);
    }
  }
}
