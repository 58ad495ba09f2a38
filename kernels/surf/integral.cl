// The integral image in two passes, and the pixels in fours for the descriptor's sampling.
// integral [height + 1][width + 1]; its first row and column are zero. Sums may wrap: only
// differences of them are used.

#if LOCAL_SIZE > 1
// Sum of the values of the items up to this one.
INLINE int inclusive_scan(int value, local int* sums) {
  const int item = get_local_id(0);
  sums[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int reach = 1; reach < LOCAL_SIZE; reach *= 2) {
    const int before = item >= reach ? sums[item - reach] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return sums[item];
}
#endif

// One group per row of the integral image: sums along the row. quads [height][width] holds at
// each pixel itself (lowest byte), its right, lower and lower right neighbours, those beyond the
// border repeated, so that one load serves a bilinear sample.
kernel void scan_rows(global const uchar* restrict pixels, int width, int height,
                      global int* restrict integral, global uint* restrict quads) {
  const int row = get_group_id(0);
  const int item = get_local_id(0);
  global int* sums = integral + (size_t)row * (width + 1);
  if (row == 0) {
    for (int x = item; x <= width; x += LOCAL_SIZE) sums[x] = 0;
    return;
  }
  global const uchar* here = pixels + (size_t)(row - 1) * width;
  global const uchar* below = row < height ? here + width : here;
  if (item == 0) sums[0] = 0;
#if LOCAL_SIZE == 1
  int sum = 0;
  for (int x = 0; x < width; ++x) {
    sum += here[x];
    sums[x + 1] = sum;
  }
#else
  local int scanned[LOCAL_SIZE];
  int before = 0;
  for (int first = 0; first < width; first += LOCAL_SIZE) {
    const int x = first + item;
    const int sum = before + inclusive_scan(x < width ? here[x] : 0, scanned);
    if (x < width) sums[x + 1] = sum;
    before += scanned[LOCAL_SIZE - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#endif
  global uint* out = quads + (size_t)(row - 1) * width;
  for (int x = item; x < width - 1; x += LOCAL_SIZE) {
    out[x] = here[x] | (uint)here[x + 1] << 8 | (uint)below[x] << 16 | (uint)below[x + 1] << 24;
  }
  if (item == 0) out[width - 1] = here[width - 1] * 0x101u | below[width - 1] * 0x1010000u;
}

// One group per STRIP columns: sums down the columns.
kernel void scan_columns(int width, int height, global int* restrict integral) {
  const int first = get_group_id(0) * STRIP;
  const int count = min(STRIP, width + 1 - first);
  int sums[STRIP / LOCAL_SIZE];
  for (int i = 0; i < STRIP / LOCAL_SIZE; ++i) sums[i] = 0;
  for (int row = 1; row <= height; ++row) {
    global int* values = integral + (size_t)row * (width + 1) + first;
    for (int x = get_local_id(0), i = 0; x < count; x += LOCAL_SIZE, ++i) {
      sums[i] += values[x];
      values[x] = sums[i];
    }
  }
}
