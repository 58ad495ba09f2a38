// Shared by the integer forms for GPUs: a work-group of GROUP_ITEMS items has TILE_WIDTH x
// TILE_HEIGHT positions and walks the pattern in strips of STRIP_WORDS * 4 columns and the image
// rows under the tile in chunks of CHUNK, both through local memory as bytes, four to a word.
//
// The tile consists of bands of BAND positions below one another, which share what is read of an
// image row: row r, counted from the top of a band, meets pattern row r for the band's first
// position row, r - 1 for the second and so on. Missing pattern rows are zero.
//
// 32 bits hold the sum of PART_PIXELS products of at most 255 * 128; larger patterns are taken in
// parts of that many pixels, whose sums are added in 64 bits.
#define WINDOW_ROWS (CHUNK + TILE_HEIGHT - BAND)
#define WINDOW_WORDS (TILE_WIDTH / 4 + STRIP_WORDS)
#define PIECE_ROWS (CHUNK + BAND - 1)
// 4 words more than a multiple of 8, so that 8 rows of 4 words lie in 32 different banks.
#define PIECE_PITCH (STRIP_WORDS + 4)

typedef struct {
  Job job;
  int left;   // of the tile, positions
  int top;
  int lines;  // image rows that a band meets
} Tile;

Tile tile_of(global const Job* jobs, uint job_count) {
  const uint block = get_group_id(0);
  Tile tile;
  tile.job = jobs[find_job(jobs, job_count, TILES, block)];
  const int index = (int)(block - tile.job.first[TILES]);
  const int tiles_x = (tile.job.map_width + TILE_WIDTH - 1) / TILE_WIDTH;
  tile.left = index % tiles_x * TILE_WIDTH;
  tile.top = index / tiles_x * TILE_HEIGHT;
  tile.lines = tile.job.pattern_height + BAND - 1;
  return tile;
}

// The image rows of a chunk, from the pixel at (left, top) on. Past the image's edges other memory is
// read: it meets zeros of the pattern or positions outside the map.
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

// The pattern rows that a chunk meets, from (left, top) on.
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

// Adds the products of four positions side by side, in 64 bits, to those of the parts before.
void store_products(global long* products, const Job* job, int x, int y, int4 sums, bool first) {
  if (x >= job->map_width || y >= job->map_height) return;
  global long* place = products + job->map + (ulong)y * job->pitch + x;
  const long4 before = first ? (long4)(-128 * job->pattern_sum) : vload4(0, place);
  vstore4(before + convert_long4(sums), 0, place);
}

// The same, normalised at once.
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
