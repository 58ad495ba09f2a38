// Before the source of each form: what all of them take, and the border.
// Build: -D FILTER_ROWS, FILTER_COLUMNS: the filter's size, 1 to 15; known here, so that all loops
// over it unroll.

// Convolution::run fills this. The filter's pixel (top, left) lies on the result's pixel, with
// 0 <= top < FILTER_ROWS and 0 <= left < FILTER_COLUMNS.
typedef struct {
  int rows;
  int columns;
  int result_rows;
  int result_columns;
  int top;
  int left;
  int border;  // 0: the result ends where the filter does; 1: zeros; 2: the nearest pixel;
               // 3: mirrored at the middle of the outermost pixels
} Shape;

// Weights by value, so that a weight is an operand and not a load.
typedef struct {
  float values[FILTER_ROWS * FILTER_COLUMNS];
} Weights;

// Returns the index that the border takes pixel i of n from; -1 for a zero.
int source_pixel(int i, int n, int border) {
  if (i >= 0 && i < n) return i;
  if (border == 2) return clamp(i, 0, n - 1);
  if (border != 3) return -1;
  if (n == 1) return 0;
  const uint period = 2 * (uint)(n - 1);
  const uint phase = abs(i) % period;
  return min(phase, period - phase);
}

// Returns pixel x of a row of the image; 0 where the row is -1, beyond a border of zeros.
float pixel_or_border(global const float* image, int row, int x, Shape shape) {
  const int source = source_pixel(x, shape.columns, shape.border);
  return row < 0 || source < 0 ? 0.0f : image[(long)row * shape.columns + source];
}

void put_quad(float4 quad, float* to) {
  to[0] = quad.x;
  to[1] = quad.y;
  to[2] = quad.z;
  to[3] = quad.w;
}

// Adds the products of a row of the filter to 4 columns of the result. The pixels under the row
// begin at window[0] for the first column, at window[1] for the second, and so on. A macro, so that
// the weights stay operands.
#define ADD_FILTER_ROW(sum, window, filter_row)                                            \
  _Pragma("unroll") for (int k = 0; k < FILTER_COLUMNS; ++k) {                             \
    sum += weights.values[(filter_row)*FILTER_COLUMNS + k] *                               \
           (float4)((window)[k], (window)[k + 1], (window)[k + 2], (window)[k + 3]);       \
  }
