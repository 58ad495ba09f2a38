// A filter that is the product of a column and a row, in one launch: the rows of a tile are
// filtered into local memory, then the columns from there. GPUs take vectors of WIDTH 1 and many
// items; CPUs vectors of 16 and one item, for which local memory is a part of the cache.
#if WIDTH == 1
typedef float Vector;
#define LOAD(row, x) pixel_or_border(image, row, x, shape)
#define LOAD_INSIDE(row, x) image[(long)(row)*shape.columns + (x)]
#define LOAD_FILTERED(i) filtered[i]
#define STORE_FILTERED(value, i) filtered[i] = value
#define STORE(value, row, x) \
  if (x < shape.result_columns) result[(long)(row)*shape.result_columns + (x)] = value
#else
typedef float16 Vector;
#define LOAD(row, x) load_sixteen(image, row, x, shape)
#define LOAD_INSIDE(row, x) vload16(0, image + (long)(row)*shape.columns + (x))
#define LOAD_FILTERED(i) vload16(i, filtered)
#define STORE_FILTERED(value, i) vstore16(value, i, filtered)
#define STORE(value, row, x) \
  if (x < shape.result_columns) store_sixteen(value, result, row, x, shape)
#endif
#define ITEMS (LANES * GROUP_ROWS)
#define TILE_ROWS (GROUP_ROWS * ROWS)

// weights: filter_rows of the column, then filter_columns of the row
// filtered [TILE_ROWS + filter_rows - 1][TILE_LANES] vectors
kernel __attribute__((reqd_work_group_size(LANES, GROUP_ROWS, 1))) void correlate_separable(
    global const float* image, global float* result, Shape shape, constant float* weights,
    local float* filtered) {
  constant float* row_weights = weights + shape.filter_rows;
  const int item = get_local_id(1) * LANES + get_local_id(0);
  const int first_column = get_group_id(0) * (TILE_LANES * WIDTH);
  const int first_row = get_group_id(1) * TILE_ROWS;
  const int filtered_rows = TILE_ROWS + shape.filter_rows - 1;
  for (int i = item; i < filtered_rows * TILE_LANES; i += ITEMS) {
    const int y = first_row - shape.top + i / TILE_LANES;
    const int row = source_pixel(y, shape.rows, shape.border);
    const int x = first_column - shape.left + i % TILE_LANES * WIDTH;
    Vector sum = (Vector)(0);
    if (row >= 0 && x >= 0 && x + shape.filter_columns + WIDTH - 1 <= shape.columns) {
      for (int k = 0; k < shape.filter_columns; ++k) {
        sum += row_weights[k] * LOAD_INSIDE(row, x + k);
      }
    } else {
      for (int k = 0; k < shape.filter_columns; ++k) sum += row_weights[k] * LOAD(row, x + k);
    }
    STORE_FILTERED(sum, i);
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  for (int lane = get_local_id(0); lane < TILE_LANES; lane += LANES) {
    const int start = get_local_id(1) * ROWS;
    Vector sums[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) sums[r] = (Vector)(0);
    for (int i = 0; i < shape.filter_rows; ++i) {
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        sums[r] += weights[i] * LOAD_FILTERED((start + i + r) * TILE_LANES + lane);
      }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const int y = first_row + start + r;
      const int x = first_column + lane * WIDTH;
      if (y < shape.result_rows) STORE(sums[r], y, x);
    }
  }
}
