// The integral image on a GPU; integral and quads as in integral.cl. Bands of BAND_ROWS rows are
// scanned side by side: first the sums down each band's columns, then where each band's columns
// start, then within each band the sums down and across.
// After common.cl and tone.cl.
// Build: -D BAND_ROWS: 16; SCAN_ITEMS: columns of a band that are scanned together, 256, a multiple
// of BAND_ROWS.

#define SEGMENTS (SCAN_ITEMS / BAND_ROWS)  // of a row of SCAN_ITEMS columns, each summed by an item
#define SEGMENT (SCAN_ITEMS / SEGMENTS)
// A word between segments, so that neighbouring items use different memory banks.
#define PLACE(column) ((column) + (column) / SEGMENT)
#define TILE_PITCH (SCAN_ITEMS + SEGMENTS)

// Makes the quads and the band's column sums, stored in its first row. Item (column, band, image).
kernel void sum_bands(global const Image* restrict images, global const uchar* restrict pixels,
                      global int* restrict integral, global uint* restrict quads) {
  const Image image = images[get_group_id(2)];
  const int x = get_global_id(0), first = get_group_id(1) * BAND_ROWS;
  const int width = image.width, height = image.height;
  if (x >= width || first >= height) return;
  const int right = min(x + 1, width - 1);
  global const uchar* here = pixels + image.pixels + (size_t)first * width;
  global uint* out = quads + image.quads + (size_t)first * width;
  uint upper = here[x] | (uint)here[right] << 8;
  int sum = 0;
  for (int row = first; row < min(first + BAND_ROWS, height); ++row) {
    sum += upper & 255;
    if (row + 1 < height) here += width;
    const uint lower = here[x] | (uint)here[right] << 8;
    out[x] = upper | lower << 16;
    out += width;
    upper = lower;
  }
  integral[image.integral + (size_t)(first + 1) * (width + 1) + x + 1] = sum;
}

// Turns the bands' column sums into the sums of all bands above. Item (column, image).
kernel void start_bands(global const Image* restrict images, global int* restrict integral) {
  const Image image = images[get_group_id(1)];
  const int x = get_global_id(0), pitch = image.width + 1;
  if (x > image.width) return;
  global int* starts = integral + image.integral;
  starts[x] = 0;
  int sum = 0;
  for (int row = 1; row <= image.height; row += BAND_ROWS) {
    const int band_sum = starts[(size_t)row * pitch + x];
    starts[(size_t)row * pitch + x] = sum;
    sum += band_sum;
  }
}

// Sums one column of a tile down the band, from `sum` above it.
INLINE void scan_down(global const uchar* restrict pixels, int width, int rows, int sum,
                      local int* restrict tile) {
  for (int r = 0; r < rows; ++r) {
    sum += pixels[(size_t)r * width];
    tile[r * TILE_PITCH] = sum;
  }
}

// Sums down and across, SCAN_ITEMS columns at a time. Group (band, image) of SCAN_ITEMS.
kernel void scan_bands(global const Image* restrict images, global const uchar* restrict pixels,
                       global int* restrict integral) {
  const Image image = images[get_group_id(1)];
  const int first = get_group_id(0) * BAND_ROWS, width = image.width, pitch = width + 1;
  const int rows = min(BAND_ROWS, image.height - first);
  if (rows <= 0) return;
  local int tile[BAND_ROWS * TILE_PITCH];
  local int totals[BAND_ROWS * SEGMENTS], starts[BAND_ROWS * SEGMENTS];
  const int item = get_local_id(0);
  const int row = item / SEGMENTS, segment = item % SEGMENTS;
  global int* sums = integral + image.integral + (size_t)(first + 1) * pitch;
  if (item < rows) sums[(size_t)item * pitch] = 0;
  int carry = 0;  // sum of the row's columns before this chunk
  for (int x = item; x - item < width; x += SCAN_ITEMS) {
    for (int r = 0; r < BAND_ROWS; ++r) tile[r * TILE_PITCH + PLACE(item)] = 0;
    if (x < width) {
      scan_down(pixels + image.pixels + (size_t)first * width + x, width, rows, sums[x + 1],
                tile + PLACE(item));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    local int* mine = tile + row * TILE_PITCH + PLACE(segment * SEGMENT);
    for (int i = 1; i < SEGMENT; ++i) mine[i] += mine[i - 1];
    totals[item] = mine[SEGMENT - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    int before = 0, all = 0;
    for (int s = 0; s < SEGMENTS; ++s) {
      const int total = totals[row * SEGMENTS + s];
      if (s < segment) before += total;
      all += total;
    }
    starts[item] = carry + before;
    carry += all;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 0; r < rows && x < width; ++r) {
      sums[(size_t)r * pitch + x + 1] =
          tile[r * TILE_PITCH + PLACE(item)] + starts[r * SEGMENTS + item / SEGMENT];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
