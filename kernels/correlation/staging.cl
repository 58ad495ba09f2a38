// Before dot_gpu.cl or matrix.cl, the integer forms for GPUs: a work-group of GROUP_ITEMS items has
// TILE_WIDTH x TILE_HEIGHT positions and walks the pattern in strips of STRIP_WORDS * 4 columns and
// the image rows under the tile in chunks of CHUNK, both through local memory as bytes, four to a
// word.
//
// The tile consists of bands of BAND positions below one another, which share what is read of an
// image row: row r, counted from the top of a band, meets pattern row r for the band's first
// position row, r - 1 for the second and so on. Missing pattern rows are zero.
//
// 32 bits hold the sum of PART_PIXELS products of at most 255 * 128; larger patterns are taken in
// parts of PART_PIXELS pixels, whose sums are added in 64 bits.
// After job.cl and correlations.cl, with WIDTH 4.
// Build: -D TILE_WIDTH, TILE_HEIGHT: 64 x 64 or 128 x 32; BAND: 8 or 16; GROUP_ITEMS: 128;
// STRIP_WORDS: 16; CHUNK: 32; PART_PIXELS: kPartPixels.
#define WINDOW_ROWS (CHUNK + TILE_HEIGHT - BAND)
#define WINDOW_WORDS (TILE_WIDTH / 4 + STRIP_WORDS)
#define PIECE_ROWS (CHUNK + BAND - 1)
// 4 words more than a multiple of 8, so that 8 rows of 4 words lie in 32 different banks.
#define PIECE_PITCH (STRIP_WORDS + 4)

// Fours of positions side by side that an item sums.
#define FOURS (TILE_WIDTH * TILE_HEIGHT / 4 / GROUP_ITEMS)

// The file of the form defines the next five functions.
// Adds image row `row`, counted from the top of a band, to the item's sums. `line` is at the item's
// first word of the image row, `piece` at its first word of the pattern row that the row meets.
void add_line(int4* sums, local const uint* line, local const uint* piece, int row,
              int pattern_height);
// Return where `line` lies in the window, and `piece` in the piece, for row 0 of a chunk.
int first_of_window(void);
int first_of_piece(void);
// Return the item's four number i, and its place in the map.
int4 four_of(const int4* sums, int i);
int2 place_of(const Tile* tile, int i);

// Loads the image rows of a chunk, from the pixel at (left, top) on. Past the image's edges it
// reads other memory, which meets zeros of the pattern or positions outside the map.
void load_window(local uint* window, global const uchar* images, const Tile* tile, int left,
                 int top) {
  const Job* job = &tile->job;
  for (int i = (int)get_local_id(0); i < WINDOW_ROWS * WINDOW_WORDS; i += GROUP_ITEMS) {
    const int y = min(top + i / WINDOW_WORDS, job->image_height - 1);
    global const uint* row =
        (global const uint*)(images + job->image + (ulong)y * job->image_pitch + left);
    window[i] = row[i % WINDOW_WORDS];
  }
}

// Loads the pattern rows that a chunk meets, from (left, top) on.
void load_piece(local uint* piece, global const char* patterns, const Job* job, int left, int top) {
  for (int i = (int)get_local_id(0); i < PIECE_ROWS * STRIP_WORDS; i += GROUP_ITEMS) {
    const int column = i % STRIP_WORDS;
    const int y = top + i / STRIP_WORDS;
    const bool inside =
        y >= 0 && y < job->pattern_height && left + 4 * column < job->pattern_pitch;
    global const uint* row =
        (global const uint*)(patterns + job->pattern + (long)y * job->pattern_pitch + left);
    piece[i / STRIP_WORDS * PIECE_PITCH + column] = inside ? row[column] : 0;
  }
}

// Stores the products of four positions side by side, in 64 bits, added to those of earlier parts.
void store_products(global long* products, const Job* job, int x, int y, int4 sums, bool first) {
  if (x >= job->map_width || y >= job->map_height) return;
  global long* place = products + job->map + (ulong)y * job->pitch + x;
  const long4 before = first ? (long4)(-128 * job->pattern_sum) : vload4(0, place);
  vstore4(before + convert_long4(sums), 0, place);
}

// Stores the correlations of four positions side by side.
void store_correlations(global float* map, global const int* window_sums,
                        global const Real* inverses, const Job* job, int x, int y, int4 sums,
                        Real pattern_inverse) {
  if (x >= job->map_width || y >= job->map_height) return;
  const ulong place = (ulong)y * job->pitch + x;
  const ulong window = job->statistics + place;
  const long4 products = convert_long4(sums) - 128 * job->pattern_sum;
  vstore4(correlations(products, vload4(0, window_sums + window), vload4(0, inverses + window), job,
                       pattern_inverse),
          0, map + job->map + place);
}

// Sums over the image rows [begin, end), counted from the top of each band.
void add_lines(int4* sums, local uint* window, local uint* piece, const Tile* tile,
               global const uchar* images, global const char* patterns, int begin, int end) {
  local const uint* const lines = window + first_of_window();
  local const uint* const words = piece + first_of_piece();
#pragma unroll
  for (int i = 0; i < FOURS; ++i) sums[i] = 0;
  for (int strip = 0; strip < tile->job.pattern_pitch; strip += 4 * STRIP_WORDS) {
    for (int chunk = begin; chunk < end; chunk += CHUNK) {
      barrier(CLK_LOCAL_MEM_FENCE);
      load_window(window, images, tile, tile->left + strip, tile->top + chunk);
      load_piece(piece, patterns, &tile->job, strip, chunk - (BAND - 1));
      barrier(CLK_LOCAL_MEM_FENCE);
      const int rows = min(CHUNK, end - chunk);
      for (int r = 0; r < rows; ++r) {
        add_line(sums, lines + r * WINDOW_WORDS, words + r * PIECE_PITCH, chunk + r,
                 tile->job.pattern_height);
      }
    }
  }
}

// Computes a tile's products, of patterns of any size; a work-group per tile.
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void window_products(
    global const Job* jobs, uint first_job, uint job_count, global const uchar* images,
    global const char* patterns, global long* products) {
  local uint window[WINDOW_ROWS * WINDOW_WORDS];
  local uint piece[PIECE_ROWS * PIECE_PITCH];
  const Tile tile = tile_of(jobs + first_job, job_count, TILE_WIDTH, TILE_HEIGHT);
  const int lines = tile.job.pattern_height + BAND - 1;
  const int part_lines = PART_PIXELS / tile.job.pattern_width;
  for (int begin = 0; begin < lines; begin += part_lines) {
    int4 sums[FOURS];
    add_lines(sums, window, piece, &tile, images, patterns, begin, min(begin + part_lines, lines));
#pragma unroll
    for (int i = 0; i < FOURS; ++i) {
      const int2 place = place_of(&tile, i);
      store_products(products, &tile.job, place.x, place.y, four_of(sums, i), begin == 0);
    }
  }
}

// Computes a tile's correlations, of patterns of at most PART_PIXELS pixels; a work-group per tile.
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void window_correlations(
    global const Job* jobs, uint first_job, uint job_count, global const uchar* images,
    global const char* patterns, global const int* window_sums, global const Real* inverses,
    global float* map) {
  local uint window[WINDOW_ROWS * WINDOW_WORDS];
  local uint piece[PIECE_ROWS * PIECE_PITCH];
  const Tile tile = tile_of(jobs + first_job, job_count, TILE_WIDTH, TILE_HEIGHT);
  int4 sums[FOURS];
  add_lines(sums, window, piece, &tile, images, patterns, 0, tile.job.pattern_height + BAND - 1);
  const Real pattern_inverse = inverse_of(tile.job.pattern_spread);
#pragma unroll
  for (int i = 0; i < FOURS; ++i) {
    const int2 place = place_of(&tile, i);
    store_correlations(map, window_sums, inverses, &tile.job, place.x, place.y, four_of(sums, i),
                       pattern_inverse);
  }
}
