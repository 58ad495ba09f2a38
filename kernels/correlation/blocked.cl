// Sum of window times pattern at every position, register-blocked: a work-group of GROUP_X x
// GROUP_Y items holds GROUP_X x (GROUP_Y * ROWS) positions and walks the pattern in PIECE x PIECE
// pieces through local memory. An item has ROWS positions below one another, so that down a column
// of the piece each pixel that it reads serves up to ROWS products.
//
// Products are floats, yet exact: each is at most 2^14 in size, and the PIECE x PIECE = 256 of a
// piece stay within the 2^24 up to which a float holds every integer. Then they move to 64 bits.
#define GROUP_X 32
#define GROUP_Y 8
#define PIECE 16
#define TILE_ROWS (GROUP_Y * ROWS)
#define WINDOW_WIDTH (GROUP_X + PIECE - 1)
#define WINDOW_HEIGHT (TILE_ROWS + PIECE - 1)

// The pixels under the tile at (left, top), zero where there is no image.
void load_window(local float* window, global const uchar* image, const Job* job, int left,
                 int top) {
  const int item = (int)(get_local_id(1) * GROUP_X + get_local_id(0));
  for (int i = item; i < WINDOW_WIDTH * WINDOW_HEIGHT; i += GROUP_X * GROUP_Y) {
    const int x = left + i % WINDOW_WIDTH;
    const int y = top + i / WINDOW_WIDTH;
    const bool inside = x < job->image_width && y < job->image_height;
    window[i] = inside ? image[(ulong)y * job->image_pitch + x] - 128.0f : 0.0f;
  }
}

// One piece of the pattern, column after column, zero past its edges.
void load_piece(local float* piece, global const char* pattern, const Job* job, int left, int top) {
  const int item = (int)(get_local_id(1) * GROUP_X + get_local_id(0));
  for (int i = item; i < PIECE * PIECE; i += GROUP_X * GROUP_Y) {
    const int x = left + i % PIECE;
    const int y = top + i / PIECE;
    const bool inside = x < job->pattern_width && y < job->pattern_height;
    piece[i % PIECE * PIECE + i / PIECE] =
        inside ? pattern[(ulong)y * job->pattern_pitch + x] : 0.0f;
  }
}

// Adds the products of one piece to the item's ROWS sums; `column` is the window at its first
// pixel.
void add_piece(float sums[ROWS], local const float* column, local const float* piece) {
  for (int tx = 0; tx < PIECE; ++tx) {
    float pixels[ROWS + PIECE - 1];
#pragma unroll
    for (int i = 0; i < ROWS + PIECE - 1; ++i) pixels[i] = column[i * WINDOW_WIDTH + tx];
#pragma unroll
    for (int ty = 0; ty < PIECE; ++ty) {
      const float t = piece[tx * PIECE + ty];
#pragma unroll
      for (int row = 0; row < ROWS; ++row) sums[row] += pixels[row + ty] * t;
    }
  }
}

// One block, a work-group: TILE_ROWS x GROUP_X positions.
kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1))) void window_products(
    global const Job* jobs, uint first_job, uint job_count, global const uchar* images,
    global const char* patterns, global long* products) {
  local float window[WINDOW_WIDTH * WINDOW_HEIGHT];
  local float piece[PIECE * PIECE];
  const Tile tile = tile_of(jobs + first_job, job_count, GROUP_X, TILE_ROWS);
  const Job job = tile.job;
  const int x = (int)get_local_id(0);
  const int y = (int)get_local_id(1) * ROWS;

  long totals[ROWS];
  for (int row = 0; row < ROWS; ++row) totals[row] = 0;
  for (int ty = 0; ty < job.pattern_height; ty += PIECE) {
    for (int tx = 0; tx < job.pattern_width; tx += PIECE) {
      barrier(CLK_LOCAL_MEM_FENCE);
      load_window(window, images + job.image, &job, tile.left + tx, tile.top + ty);
      load_piece(piece, patterns + job.pattern, &job, tx, ty);
      barrier(CLK_LOCAL_MEM_FENCE);
      float sums[ROWS];
      for (int row = 0; row < ROWS; ++row) sums[row] = 0.0f;
      add_piece(sums, window + y * WINDOW_WIDTH + x, piece);
      for (int row = 0; row < ROWS; ++row) totals[row] += (long)sums[row];
    }
  }
  if (tile.left + x >= job.map_width) return;
  for (int row = 0; row < ROWS && tile.top + y + row < job.map_height; ++row) {
    products[job.map + (ulong)(tile.top + y + row) * job.pitch + tile.left + x] = totals[row];
  }
}
