// For CPUs: an item takes ROWS rows of BAND columns of the result, 16 * VECTORS columns at a time,
// whose sums stay in vector registers. It needs no local memory. Inside the image the filter is
// walked in chunks of CHUNK rows, column by column, so that a chunk's weights stay in registers
// too; what is left, and all at the border, goes row by row.
#define SUMS (ROWS * VECTORS)

#define LOAD_INSIDE(y, x) vload16(0, image + (long)(y)*shape.columns + (x))
#define LOAD_GUARDED(y, x) \
  load_sixteen(image, source_pixel(y, shape.rows, shape.border), x, shape)

// Adds `count` rows of the filter from `first` on: a vector of pixels is loaded once for all the
// rows of the result that it belongs to. A macro, because PoCL keeps an array of sums in registers
// only where it need not pass it to a function.
#define ADD_FILTER_ROWS(first, count, LOAD)                                                    \
  for (int k = 0; k < shape.filter_columns; ++k) {                                             \
    _Pragma("unroll") for (int i = 0; i < ROWS + (count)-1; ++i) {                             \
      _Pragma("unroll") for (int v = 0; v < VECTORS; ++v) {                                    \
        const float16 pixels = LOAD(y + (first) + i, x + k + 16 * v);                          \
        _Pragma("unroll") for (int r = 0; r < ROWS; ++r) {                                     \
          if (i >= r && i - r < (count)) {                                                     \
            sums[r * VECTORS + v] +=                                                           \
                weights[((first) + i - r) * shape.filter_columns + k] * pixels;                \
          }                                                                                    \
        }                                                                                      \
      }                                                                                        \
    }                                                                                          \
  }

// Whole vectors without a call, for the same reason.
void store_inside(float16 values, global float* result, int row, int x, Shape shape) {
  global float* out = result + (long)row * shape.result_columns + x;
  if (x + 16 <= shape.result_columns) vstore16(values, 0, out);
  else store_sixteen(values, result, row, x, shape);
}

#define STORE_BLOCK()                                                                          \
  _Pragma("unroll") for (int r = 0; r < ROWS; ++r) {                                           \
    if (row + r >= shape.result_rows) continue;                                                \
    _Pragma("unroll") for (int v = 0; v < VECTORS; ++v) {                                      \
      if (column + 16 * v < shape.result_columns) {                                            \
        store_inside(sums[r * VECTORS + v], result, row + r, column + 16 * v, shape);         \
      }                                                                                        \
    }                                                                                          \
  }

// The block of the result from `row` and `column` on. A function apart from the border's, whose
// calls would have the sums kept in memory: so it took six times as long (PoCL 3.1, AVX-512).
void correlate_inside(global const float* image, global float* result, Shape shape,
                      constant float* weights, int row, int column) {
  const int y = row - shape.top;
  const int x = column - shape.left;
  float16 sums[SUMS];
#pragma unroll
  for (int i = 0; i < SUMS; ++i) sums[i] = (float16)(0);
  int first = 0;
  for (; first + CHUNK <= shape.filter_rows; first += CHUNK) {
    ADD_FILTER_ROWS(first, CHUNK, LOAD_INSIDE)
  }
  for (; first < shape.filter_rows; ++first) {
    ADD_FILTER_ROWS(first, 1, LOAD_INSIDE)
  }
  STORE_BLOCK()
}

OUTLINE void correlate_at_border(global const float* image, global float* result, Shape shape,
                                 constant float* weights, int row, int column) {
  const int y = row - shape.top;
  const int x = column - shape.left;
  float16 sums[SUMS];
#pragma unroll
  for (int i = 0; i < SUMS; ++i) sums[i] = (float16)(0);
  for (int first = 0; first < shape.filter_rows; ++first) {
    ADD_FILTER_ROWS(first, 1, LOAD_GUARDED)
  }
  STORE_BLOCK()
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void correlate_vectors(
    global const float* image, global float* result, Shape shape, constant float* weights) {
  const int row = get_group_id(1) * ROWS;
  const int first_column = get_group_id(0) * BAND;
  const int end_column = min(shape.result_columns, first_column + BAND);
  const int y = row - shape.top;
  const bool rows_inside = y >= 0 && y + ROWS + shape.filter_rows - 1 <= shape.rows;
  for (int column = first_column; column < end_column; column += 16 * VECTORS) {
    const int x = column - shape.left;
    const int end = x + 16 * VECTORS + shape.filter_columns - 1;
    if (rows_inside && x >= 0 && end <= shape.columns) {
      correlate_inside(image, result, shape, weights, row, column);
    } else {
      correlate_at_border(image, result, shape, weights, row, column);
    }
  }
}
