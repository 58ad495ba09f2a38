// For GPUs: an item sums 4 columns of ROWS rows in registers, straight from the cache, where its
// neighbours' loads have put most of what it needs. Quads of 4 columns start at multiples of 4 of
// the image, SHIFT columns before the first pixel that is needed, so that they are aligned loads.
// Filter size and weights as in tiled.cl; CENTRED says whether `left` is 0 or half the filter.
#define SHIFT ((4 - (CENTRED ? FILTER_COLUMNS / 2 : 0) % 4) % 4)
#define WINDOW_QUADS ((SHIFT + FILTER_COLUMNS + 6) / 4)
#define WINDOW (4 * WINDOW_QUADS)
#define WINDOW_ROWS (ROWS + FILTER_ROWS - 1)

typedef struct {
  float values[FILTER_ROWS * FILTER_COLUMNS];
} Weights;

void store_quad(float4 quad, global float* result, int row, int x, Shape shape) {
  global float* out = result + (long)row * shape.result_columns + x;
  if (shape.result_columns % 4 == 0) {
    *(global float4*)out = quad;
    return;
  }
  out[0] = quad.x;
  if (x + 1 < shape.result_columns) out[1] = quad.y;
  if (x + 2 < shape.result_columns) out[2] = quad.z;
  if (x + 3 < shape.result_columns) out[3] = quad.w;
}

#define LOAD_INSIDE(window, i)                                                                    \
  {                                                                                               \
    global const float4* quads = (global const float4*)(first + (long)(i)*shape.columns);         \
    _Pragma("unroll") for (int q = 0; q < WINDOW_QUADS; ++q) {                                    \
      const float4 quad = quads[q];                                                               \
      window[4 * q] = quad.x;                                                                     \
      window[4 * q + 1] = quad.y;                                                                 \
      window[4 * q + 2] = quad.z;                                                                 \
      window[4 * q + 3] = quad.w;                                                                 \
    }                                                                                             \
  }

// sources [WINDOW]: where each column of the window comes from.
#define LOAD_GUARDED(window, i)                                                                   \
  {                                                                                               \
    const int row = source_pixel(window_y + (i), shape.rows, shape.border);                       \
    global const float* pixels = image + (long)max(row, 0) * shape.columns;                       \
    _Pragma("unroll") for (int c = 0; c < WINDOW; ++c) {                                          \
      const float pixel = pixels[max(sources[c], 0)];                                             \
      window[c] = row < 0 || sources[c] < 0 ? 0.0f : pixel;                                       \
    }                                                                                             \
  }

// Every row of the window is read once and added to all the rows of the result that it belongs to.
#define CORRELATE(LOAD)                                                                           \
  _Pragma("unroll") for (int i = 0; i < WINDOW_ROWS; ++i) {                                       \
    float window[WINDOW];                                                                         \
    LOAD(window, i)                                                                               \
    _Pragma("unroll") for (int r = 0; r < ROWS; ++r) {                                            \
      if (i < r || i - r >= FILTER_ROWS) continue;                                                \
      _Pragma("unroll") for (int k = 0; k < FILTER_COLUMNS; ++k) {                                \
        sums[r] += weights.values[(i - r) * FILTER_COLUMNS + k] *                                 \
                   (float4)(window[SHIFT + k], window[SHIFT + k + 1], window[SHIFT + k + 2],      \
                            window[SHIFT + k + 3]);                                               \
      }                                                                                           \
    }                                                                                             \
  }

kernel __attribute__((reqd_work_group_size(LANES, GROUP_ROWS, 1))) void correlate_registers(
    global const float* restrict image, global float* restrict result, Shape shape,
    Weights weights) {
  const int x = get_global_id(0) * 4;
  const int y = get_global_id(1) * ROWS;
  if (x >= shape.result_columns) return;
  const int window_x = x - shape.left - SHIFT;
  const int window_y = y - shape.top;
  float4 sums[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) sums[r] = (float4)(0);
  if (shape.columns % 4 == 0 && window_x >= 0 && window_x + WINDOW <= shape.columns &&
      window_y >= 0 && window_y + WINDOW_ROWS <= shape.rows) {
    global const float* first = image + (long)window_y * shape.columns + window_x;
    CORRELATE(LOAD_INSIDE)
  } else {
    int sources[WINDOW];
#pragma unroll
    for (int c = 0; c < WINDOW; ++c) {
      sources[c] = source_pixel(window_x + c, shape.columns, shape.border);
    }
    CORRELATE(LOAD_GUARDED)
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    if (y + r < shape.result_rows) store_quad(sums[r], result, y + r, x, shape);
  }
}
