// The fastest form, after image.cl: an item sums 4 columns of ROWS rows in registers, straight from
// the cache, where its neighbours' loads have put most of what it needs.
// Build: as image.cl, and -D LANES: 32; GROUP_ROWS: 8; ROWS: rows of an item, 5; WINDOW_QUADS:
// quads of 4 columns that an item loads of a row (1 to 4); they start at multiples of 4 of the
// image, SHIFT columns (0 to 3) before the first pixel that is needed; ALIGNED: 1 where rows hold
// whole quads, else 0; PTX: NVIDIA's hints for the cache.
#define WINDOW (4 * WINDOW_QUADS)
#define WINDOW_ROWS (ROWS + FILTER_ROWS - 1)

// The block of the result whose windows lie within the image, in items of 4 columns x ROWS rows.
// The first groups of the launch take the pixels around it, an item each: looking up a border's
// pixels within the block would hold up a group's other items. Block in convolution.cpp is the
// same.
typedef struct {
  int first_row;
  int first_column;  // a multiple of 4
  int items_down;
  int items_across;
  int edge_groups;
} Block;

// Sums one pixel outside the block. `weights` lie in memory here: an index would have a copy by
// value kept there, too.
void correlate_edge(global const float* restrict image, global float* restrict result, Shape shape,
                    global const float* weights, Block block) {
  const int block_rows = block.items_down * ROWS;
  const int block_columns = block.items_across * 4;
  const long above = (long)block.first_row * shape.result_columns;
  const long below = (long)(shape.result_rows - block_rows) * shape.result_columns - above;
  long i = ((long)get_group_id(0) * GROUP_ROWS + get_local_id(1)) * LANES + get_local_id(0);
  int y, x;
  if (i < above + below) {
    y = i / shape.result_columns + (i < above ? 0 : block_rows);
    x = i % shape.result_columns;
  } else {
    i -= above + below;
    const int beside = max(1, shape.result_columns - block_columns);
    if (i >= (long)(shape.result_columns - block_columns) * block_rows) return;
    y = block.first_row + i / beside;
    x = i % beside;
    if (x >= block.first_column) x += block_columns;
  }
  float sum = 0;
  for (int r = 0; r < FILTER_ROWS; ++r) {
    const int row = source_pixel(y - shape.top + r, shape.rows, shape.border);
    for (int k = 0; k < FILTER_COLUMNS; ++k) {
      sum += weights[r * FILTER_COLUMNS + k] *
             pixel_or_border(image, row, x - shape.left + k, shape);
    }
  }
  result[(long)y * shape.result_columns + x] = sum;
}

// Loads four pixels; the hint has the whole line of 128 bytes fetched.
float4 load_quad(global const float* pixels) {
#if ALIGNED && defined(PTX)
  float4 quad;
  __asm__("ld.global.nc.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
          : "=f"(quad.x), "=f"(quad.y), "=f"(quad.z), "=f"(quad.w)
          : "l"((ulong)pixels));
  return quad;
#elif ALIGNED
  return *(global const float4*)pixels;
#else
  return vload4(0, pixels);
#endif
}

// Makes the second-level cache fetch what groups further down will need: a line of 128 bytes for
// every eighth item and each of its rows. 128 rows ahead is the fastest of 6 to 256 (sweep on an
// H200).
#define ROWS_AHEAD 128
void prefetch_ahead(global const float* first, int row, Shape shape) {
#ifdef PTX
  if (get_local_id(0) % 8 != 0) return;
#pragma unroll
  for (int r = ROWS_AHEAD; r < ROWS_AHEAD + ROWS; ++r) {
    if (row + r >= shape.rows) return;
    __asm__ volatile("prefetch.global.L2 [%0];" : : "l"((ulong)(first + (long)r * shape.columns)));
  }
#endif
}

kernel __attribute__((reqd_work_group_size(LANES, GROUP_ROWS, 1))) void correlate_registers(
    global const float* restrict image, global float* restrict result, Shape shape,
    Weights weights, global const float* indexed_weights, Block block) {
  const int group = (int)get_group_id(0) - block.edge_groups;
  if (group < 0) {
    correlate_edge(image, result, shape, indexed_weights, block);
    return;
  }
  const int groups_across = (block.items_across + LANES - 1) / LANES;
  const int across = group % groups_across * LANES + get_local_id(0);
  const int down = group / groups_across * GROUP_ROWS + get_local_id(1);
  if (across >= block.items_across || down >= block.items_down) return;
  const int x = block.first_column + across * 4;
  const int y = block.first_row + down * ROWS;
  global const float* first =
      image + (long)(y - shape.top) * shape.columns + (x - shape.left - SHIFT);
  prefetch_ahead(first, y - shape.top, shape);
  float4 sums[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) sums[r] = (float4)(0);
  // Every row of the window is read once and added to all the rows of the result that need it.
#pragma unroll
  for (int i = 0; i < WINDOW_ROWS; ++i) {
    float window[WINDOW];
#pragma unroll
    for (int q = 0; q < WINDOW_QUADS; ++q) {
      put_quad(load_quad(first + (long)i * shape.columns + 4 * q), window + 4 * q);
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      if (i < r || i - r >= FILTER_ROWS) continue;
      ADD_FILTER_ROW(sums[r], window + SHIFT, i - r)
    }
  }
  global float* out = result + (long)y * shape.result_columns + x;
#pragma unroll
  for (int r = 0; r < ROWS; ++r, out += shape.result_columns) {
    if (shape.result_columns % 4 == 0) {
      *(global float4*)out = sums[r];
    } else {
      vstore4(sums[r], 0, out);
    }
  }
}
