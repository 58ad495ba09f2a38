// Sum of window times pattern at every position with a GPU's byte dot products: an item has four
// positions side by side and BAND below one another, and reads the four "quads" that start at its
// pixels, four pixels each, out of two neighbouring words.
#define ITEMS_X (TILE_WIDTH / 4)

// sum + the dot product of four unsigned and four signed bytes.
int add_dot_product(int sum, uint pixels, uint pattern) {
#ifdef PTX
  __asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(pixels), "r"(pattern));
  return sum;
#else
  const int4 products = convert_int4(as_uchar4(pixels)) * convert_int4(as_char4(pattern));
  return sum + products.x + products.y + products.z + products.w;
#endif
}

// Adds one image row to the item's sums; `line` is at the item's first pixel, `piece` at the
// pattern row that the band's first position row meets.
void add_line(int4 sums[BAND], local const uint* line, local const uint* piece) {
  uint low = line[0];
  for (int word = 0; word < STRIP_WORDS; ++word) {
    const uint high = line[word + 1];
    const uint quad1 = low >> 8 | high << 24;
    const uint quad2 = low >> 16 | high << 16;
    const uint quad3 = low >> 24 | high << 8;
#pragma unroll
    for (int row = 0; row < BAND; ++row) {
      const uint pattern = piece[word - row * PIECE_PITCH];
      sums[row].x = add_dot_product(sums[row].x, low, pattern);
      sums[row].y = add_dot_product(sums[row].y, quad1, pattern);
      sums[row].z = add_dot_product(sums[row].z, quad2, pattern);
      sums[row].w = add_dot_product(sums[row].w, quad3, pattern);
    }
    low = high;
  }
}

// The sums over the image rows [begin, end), counted from the top of each band.
void add_lines(int4 sums[BAND], local uint* window, local uint* piece, const Tile* tile,
               global const uchar* images, global const char* patterns, int begin, int end) {
  const int item = (int)get_local_id(0);
  const int band = item / ITEMS_X * BAND;
#pragma unroll
  for (int row = 0; row < BAND; ++row) sums[row] = 0;
  for (int strip = 0; strip < tile->job.pattern_pitch; strip += 4 * STRIP_WORDS) {
    for (int chunk = begin; chunk < end; chunk += CHUNK) {
      barrier(CLK_LOCAL_MEM_FENCE);
      load_window(window, images, tile, tile->left + strip, tile->top + chunk);
      load_piece(piece, patterns, &tile->job, strip, chunk - (BAND - 1));
      barrier(CLK_LOCAL_MEM_FENCE);
      const int lines = min(CHUNK, end - chunk);
      for (int r = 0; r < lines; ++r) {
        add_line(sums, window + (band + r) * WINDOW_WORDS + item % ITEMS_X,
                 piece + (r + BAND - 1) * PIECE_PITCH);
      }
    }
  }
}

// One block, a work-group: TILE_WIDTH x TILE_HEIGHT positions. Patterns of any size.
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void window_products(
    global const Job* jobs, uint first_job, uint job_count, global const uchar* images,
    global const char* patterns, global long* products) {
  local uint window[WINDOW_ROWS * WINDOW_WORDS];
  local uint piece[PIECE_ROWS * PIECE_PITCH];
  const Tile tile = tile_of(jobs + first_job, job_count);
  const int x = tile.left + (int)get_local_id(0) % ITEMS_X * 4;
  const int y = tile.top + (int)get_local_id(0) / ITEMS_X * BAND;
  const int part_lines = PART_PIXELS / tile.job.pattern_width;
  for (int begin = 0; begin < tile.lines; begin += part_lines) {
    int4 sums[BAND];
    add_lines(sums, window, piece, &tile, images, patterns, begin,
              min(begin + part_lines, tile.lines));
#pragma unroll
    for (int row = 0; row < BAND; ++row) {
      store_products(products, &tile.job, x, y + row, sums[row], begin == 0);
    }
  }
}

// Patterns of at most PART_PIXELS pixels, normalised at once.
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void window_correlations(
    global const Job* jobs, uint first_job, uint job_count, global const uchar* images,
    global const char* patterns, global const int* window_sums, global const Real* inverses,
    global float* map) {
  local uint window[WINDOW_ROWS * WINDOW_WORDS];
  local uint piece[PIECE_ROWS * PIECE_PITCH];
  const Tile tile = tile_of(jobs + first_job, job_count);
  const int x = tile.left + (int)get_local_id(0) % ITEMS_X * 4;
  const int y = tile.top + (int)get_local_id(0) / ITEMS_X * BAND;
  int4 sums[BAND];
  add_lines(sums, window, piece, &tile, images, patterns, 0, tile.lines);
  const Real pattern_inverse = inverse_of(tile.job.pattern_spread);
#pragma unroll
  for (int row = 0; row < BAND; ++row) {
    store_correlations(map, window_sums, inverses, &tile.job, x, y + row, sums[row],
                       pattern_inverse);
  }
}
