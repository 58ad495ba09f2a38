// The published form, after image.cl: a work-group of LANES x GROUP_ROWS takes 4 * LANES columns
// and GROUP_ROWS * ROWS rows of the result, with the pixels under the filter there in local memory.
// An item sums 4 columns of ROWS rows in registers.
// Build: as image.cl, and -D LANES: 32; GROUP_ROWS: 8; ROWS: rows of an item, 2.
#define TILE_COLUMNS (4 * LANES)
#define TILE_ROWS (GROUP_ROWS * ROWS)
#define STAGED_QUADS (LANES + (FILTER_COLUMNS + 2) / 4)
#define STAGED_COLUMNS (4 * STAGED_QUADS)
#define STAGED_ROWS (TILE_ROWS + FILTER_ROWS - 1)
#define WINDOW_QUADS ((FILTER_COLUMNS + 6) / 4)

void store_quad(float4 quad, global float* result, int row, int x, Shape shape) {
  global float* out = result + (long)row * shape.result_columns + x;
  if (shape.result_columns % 4 == 0) {
    if (x < shape.result_columns) *(global float4*)out = quad;
    return;
  }
  if (x < shape.result_columns) out[0] = quad.x;
  if (x + 1 < shape.result_columns) out[1] = quad.y;
  if (x + 2 < shape.result_columns) out[2] = quad.z;
  if (x + 3 < shape.result_columns) out[3] = quad.w;
}

// Loads the tile and its halo; neighbours load neighbours, whatever the alignment of the rows.
void stage(global const float* image, int first_row, int first_column, Shape shape,
           local float* staged) {
  const bool inside = first_row >= 0 && first_row + STAGED_ROWS <= shape.rows &&
                      first_column >= 0 && first_column + STAGED_COLUMNS <= shape.columns;
  for (int i = get_local_id(1); i < STAGED_ROWS; i += GROUP_ROWS) {
    const int row = source_pixel(first_row + i, shape.rows, shape.border);
#pragma unroll
    for (int lap = 0; lap < (STAGED_COLUMNS + LANES - 1) / LANES; ++lap) {
      const int x = lap * LANES + get_local_id(0);
      if (x >= STAGED_COLUMNS) break;
      staged[i * STAGED_COLUMNS + x] =
          inside ? image[(long)row * shape.columns + first_column + x]
                 : pixel_or_border(image, row, first_column + x, shape);
    }
  }
}

kernel __attribute__((reqd_work_group_size(LANES, GROUP_ROWS, 1))) void correlate_tiled(
    global const float* image, global float* result, Shape shape, Weights weights) {
  local float4 staged[STAGED_ROWS * STAGED_QUADS];
  const int first_column = get_group_id(0) * TILE_COLUMNS;
  const int first_row = get_group_id(1) * TILE_ROWS;
  stage(image, first_row - shape.top, first_column - shape.left, shape, (local float*)staged);
  barrier(CLK_LOCAL_MEM_FENCE);

  float4 sums[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) sums[r] = (float4)(0);
  local const float4* quads = staged + get_local_id(1) * (ROWS * STAGED_QUADS) + get_local_id(0);
  // Every staged row is read once and added to all the rows of the result that need it.
#pragma unroll
  for (int i = 0; i < ROWS + FILTER_ROWS - 1; ++i) {
    float window[4 * WINDOW_QUADS];
#pragma unroll
    for (int q = 0; q < WINDOW_QUADS; ++q) put_quad(quads[i * STAGED_QUADS + q], window + 4 * q);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      if (i >= r && i - r < FILTER_ROWS) {
        ADD_FILTER_ROW(sums[r], window, i - r)
      }
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const int y = first_row + get_local_id(1) * ROWS + r;
    if (y < shape.result_rows) {
      store_quad(sums[r], result, y, first_column + get_local_id(0) * 4, shape);
    }
  }
}
