// The integral image by bands of band_rows rows, for CPUs: the sums of each band's columns, then,
// from those of the bands above, each band row by row.

// Running sums of 16 pixels: each step adds what stands 1, 2, 4 and 8 places before.
ushort16 running_sums(uchar16 pixels) {
  ushort16 v = convert_ushort16(pixels);
  v += (ushort16)(0, v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7, v.s8, v.s9, v.sa, v.sb, v.sc,
                  v.sd, v.se);
  v += (ushort16)(0, 0, v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7, v.s8, v.s9, v.sa, v.sb,
                  v.sc, v.sd);
  v += (ushort16)((ushort4)(0), v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7, v.s8, v.s9, v.sa,
                  v.sb);
  return v + (ushort16)((ushort8)(0), v.lo);
}

// Group (strip of STRIP columns, band): column_sums [bands][width]
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void sum_bands(
    global const uchar* pixels, uint width, uint height, uint band_rows, global SUM* column_sums) {
  const uint first = get_group_id(0) * STRIP;
  const uint count = min((uint)STRIP, width - first);
  const uint first_row = get_group_id(1) * band_rows;
  const uint end_row = min(height, first_row + band_rows);
  SUM totals[STRIP];
  for (uint i = 0; i < STRIP; ++i) totals[i] = 0;
  for (uint y = first_row; y < end_row; ++y) {
    global const uchar* row = pixels + (ulong)y * width + first;
    for (uint i = 0; i < count; ++i) totals[i] += row[i];
  }
  global SUM* out = column_sums + (ulong)get_group_id(1) * width + first;
  for (uint i = 0; i < count; ++i) out[i] = totals[i];
}

// Group (band): above [bands][width] holds the sums of each column above the band
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void write_bands(
    global const uchar* pixels, uint width, uint height, uint band_rows, global const SUM* above,
    global SUM* sums) {
  const uint first_row = get_group_id(0) * band_rows;
  const uint end_row = min(height, first_row + band_rows);
  const ulong pitch = width + 1;
  if (first_row == 0) {
    for (uint x = 0; x <= width; ++x) sums[x] = 0;
  }
  if (first_row >= end_row) return;
  // The first row by itself: what is above it belongs to another band, which may not be there yet.
  global const uchar* row = pixels + (ulong)first_row * width;
  global SUM* to = sums + (first_row + 1) * pitch;
  above += (ulong)get_group_id(0) * width;
  SUM sum = 0;
  to[0] = 0;
  for (uint x = 0; x < width; ++x) {
    sum += above[x] + row[x];
    to[x + 1] = sum;
  }
  for (uint y = first_row + 1; y < end_row; ++y) {
    row += width;
    to += pitch;
    sum = 0;
    to[0] = 0;
    global const SUM* over = to - pitch;
    uint x = 0;
    for (; x + 16 <= width; x += 16) {
      const ushort16 run = running_sums(vload16(0, row + x));
      vstore16(vload16(0, over + x + 1) + sum + CONVERT_SUM16(run), 0, to + x + 1);
      sum += run.sf;
    }
    for (; x < width; ++x) {
      sum += row[x];
      to[x + 1] = over[x + 1] + sum;
    }
  }
}
