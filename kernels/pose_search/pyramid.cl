// Levels of an image for the pose search. A level is float [height + 2 margin][pitch]; in the
// margin its outermost pixels are repeated.

// Turns 8-bit pixels into level 0, grey less 128. Item (column, row).
kernel void first_level(global const uchar* image, int width, int height, int margin, int pitch,
                        global float* level) {
  const int column = (int)get_global_id(0);
  const int row = (int)get_global_id(1);
  if (column >= pitch || row >= height + 2 * margin) return;
  const int x = clamp(column - margin, 0, width - 1);
  const int y = clamp(row - margin, 0, height - 1);
  level[(ulong)row * pitch + column] = convert_float(image[(ulong)y * width + x]) - 128.0f;
}

float binomial(float a, float b, float c, float d, float e) {
  return (a + e) * 0.0625f + (b + d) * 0.25f + c * 0.375f;
}

// Takes every second pixel of `from` smoothed by [1 4 6 4 1] / 16 along both axes, so that pixel
// (x, y) lies at (2 x, 2 y). The margin of `from` is at least 2. Item (column, row).
kernel void halve(global const float* from, int from_margin, int from_pitch, int width, int height,
                  int margin, int pitch, global float* level) {
  const int column = (int)get_global_id(0);
  const int row = (int)get_global_id(1);
  if (column >= pitch || row >= height + 2 * margin) return;
  const int x = 2 * clamp(column - margin, 0, width - 1) + from_margin;
  const int y = 2 * clamp(row - margin, 0, height - 1) + from_margin;
  float rows[5];
#pragma unroll
  for (int i = 0; i < 5; ++i) {
    global const float* at = from + (ulong)(y + i - 2) * from_pitch + x;
    rows[i] = binomial(at[-2], at[-1], at[0], at[1], at[2]);
  }
  level[(ulong)row * pitch + column] = binomial(rows[0], rows[1], rows[2], rows[3], rows[4]);
}
