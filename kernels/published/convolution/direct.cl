// The plain form to compare with: one item per pixel of the result.
kernel void correlate_direct(global const float* image, global float* result, Shape shape,
                             global const float* weights) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  if (x >= shape.result_columns || y >= shape.result_rows) return;
  float sum = 0;
  for (int i = 0; i < shape.filter_rows; ++i) {
    const int row = source_pixel(y - shape.top + i, shape.rows, shape.border);
    for (int k = 0; k < shape.filter_columns; ++k) {
      sum += weights[i * shape.filter_columns + k] *
             pixel_or_border(image, row, x - shape.left + k, shape);
    }
  }
  result[(long)y * shape.result_columns + x] = sum;
}
