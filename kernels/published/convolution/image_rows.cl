// What every form of the convolution takes: the image, the filter and how they lie on each other.
// The filter's pixel (top, left) lies on the result's pixel. 0 <= top < filter_rows, likewise left.
typedef struct {
  int rows;
  int columns;
  int result_rows;
  int result_columns;
  int filter_rows;
  int filter_columns;
  int top;
  int left;
  int border;  // 0: none, the result is where the filter fits; 1: zeros; 2: the nearest pixel;
               // 3: mirrored at the middle of the outermost pixels
} Shape;

// Where the border takes pixel i of n from; -1 for a zero.
int source_pixel(int i, int n, int border) {
  if (i >= 0 && i < n) return i;
  if (border == 2) return clamp(i, 0, n - 1);
  if (border != 3) return -1;
  if (n == 1) return 0;
  const uint period = 2 * (uint)(n - 1);
  const uint phase = abs(i) % period;
  return min(phase, period - phase);
}

// Pixel x of a row of the image; 0 where the row itself is -1, beyond a border of zeros.
float pixel_or_border(global const float* image, int row, int x, Shape shape) {
  const int source = source_pixel(x, shape.columns, shape.border);
  return row < 0 || source < 0 ? 0.0f : image[(long)row * shape.columns + source];
}
