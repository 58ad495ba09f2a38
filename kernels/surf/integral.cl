// The integral image on a CPU, in two passes, and the pixels in fours for the descriptor's
// sampling. integral [height + 1][width + 1]; its first row and column are zero. Sums may wrap:
// only differences of them are used. quads [height][width] holds at each pixel itself (lowest
// byte), its right, lower and lower right neighbours, those beyond the border repeated, so that one
// load serves a bilinear sample.
// After common.cl and tone.cl.
// Build: -D STRIP: columns of an item of scan_columns, 64.

// Sums along a row, and makes the quads of a row. Item (row of the integral image, image).
kernel void scan_rows(global const Image* restrict images, global const uchar* restrict pixels,
                      global int* restrict integral, global uint* restrict quads) {
  const Image image = images[get_group_id(1)];
  const int row = get_group_id(0), width = image.width, height = image.height;
  if (row > height) return;
  global int* sums = integral + image.integral + (size_t)row * (width + 1);
  if (row == 0) {
    for (int x = 0; x <= width; ++x) sums[x] = 0;
    return;
  }
  global const uchar* here = pixels + image.pixels + (size_t)(row - 1) * width;
  global const uchar* below = row < height ? here + width : here;
  int sum = 0;
  sums[0] = 0;
  for (int x = 0; x < width; ++x) {
    sum += here[x];
    sums[x + 1] = sum;
  }
  global uint* out = quads + image.quads + (size_t)(row - 1) * width;
  for (int x = 0; x < width - 1; ++x) {
    out[x] = here[x] | (uint)here[x + 1] << 8 | (uint)below[x] << 16 | (uint)below[x + 1] << 24;
  }
  out[width - 1] = here[width - 1] * 0x101u | below[width - 1] * 0x1010000u;
}

// Sums down the columns. Item (STRIP columns, image).
kernel void scan_columns(global const Image* restrict images, global int* restrict integral) {
  const Image image = images[get_group_id(1)];
  const int first = get_group_id(0) * STRIP;
  const int count = min(STRIP, image.width + 1 - first);
  int sums[STRIP];
  for (int i = 0; i < STRIP; ++i) sums[i] = 0;
  for (int row = 1; row <= image.height; ++row) {
    global int* values = integral + image.integral + (size_t)row * (image.width + 1) + first;
    for (int x = 0; x < count; ++x) {
      sums[x] += values[x];
      values[x] = sums[x];
    }
  }
}
