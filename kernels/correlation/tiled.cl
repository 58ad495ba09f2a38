// Sum of window times pattern at every position, as published: a work-group has SIDE x SIDE
// positions and walks the pattern in pieces of SIDE x SIDE pixels through local memory. The window
// under a piece is 2 SIDE x 2 SIDE pixels; its left half is the right half of the window before, so
// that only the other half is loaded. Source: Song and Zhou, "Fast image matching based on GPU
// parallel computing", 2011.
// After job.cl.
#define SIDE 16

typedef int Half[2 * SIDE][SIDE];

// Loads the pixels under half a window, from (left, top); zero outside the image.
void load_half(local Half* half_window, global const uchar* image, const Job* job, int left,
               int top) {
  const int x = left + (int)get_local_id(0);
  for (int row = (int)get_local_id(1); row < 2 * SIDE; row += SIDE) {
    const int y = top + row;
    const bool inside = x < job->image_width && y < job->image_height;
    (*half_window)[row][get_local_id(0)] =
        inside ? image[(ulong)y * job->image_pitch + x] - 128 : 0;
  }
}

// Returns the item's pixel of the piece at (left, top); zero past the pattern's edges.
int pattern_pixel(global const char* pattern, const Job* job, int left, int top) {
  const int x = left + (int)get_local_id(0);
  const int y = top + (int)get_local_id(1);
  const bool inside = x < job->pattern_width && y < job->pattern_height;
  return inside ? pattern[(ulong)y * job->pattern_pitch + x] : 0;
}

// Computes a tile's products; a work-group per tile, an item per position.
kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void window_products(
    global const Job* jobs, uint first_job, uint job_count, global const uchar* images,
    global const char* patterns, global long* products) {
  local Half halves[2];
  local int piece[SIDE][SIDE];
  const Tile tile = tile_of(jobs + first_job, job_count, SIDE, SIDE);
  const Job job = tile.job;
  const int x = (int)get_local_id(0);
  const int y = (int)get_local_id(1);
  global const uchar* image = images + job.image;

  long total = 0;
  for (int ty = 0; ty < job.pattern_height; ty += SIDE) {
    barrier(CLK_LOCAL_MEM_FENCE);
    load_half(&halves[0], image, &job, tile.left, tile.top + ty);
    for (int tx = 0; tx < job.pattern_width; tx += SIDE) {
      const int first = tx / SIDE % 2;
      barrier(CLK_LOCAL_MEM_FENCE);
      load_half(&halves[1 - first], image, &job, tile.left + tx + SIDE, tile.top + ty);
      piece[y][x] = pattern_pixel(patterns + job.pattern, &job, tx, ty);
      barrier(CLK_LOCAL_MEM_FENCE);
      int sum = 0;
      for (int py = 0; py < SIDE; ++py) {
        for (int px = 0; px < SIDE; ++px) {
          const int column = x + px;
          const int half_index = column < SIDE ? first : 1 - first;
          sum += halves[half_index][y + py][column % SIDE] * piece[py][px];
        }
      }
      total += sum;
    }
  }
  if (tile.left + x >= job.map_width || tile.top + y >= job.map_height) return;
  products[job.map + (ulong)(tile.top + y) * job.pitch + tile.left + x] = total;
}
