// SUM is uint or ulong. An item per column of values [rows][columns]: what stands above each, its
// own value left out.
#define AHEAD 8  // loads that do not wait for each other

kernel void scan_down(global SUM* values, uint rows, uint columns) {
  const uint x = get_global_id(0);
  if (x >= columns) return;
  SUM sum = 0;
  for (uint first = 0; first < rows; first += AHEAD) {
    global SUM* run = values + (ulong)first * columns + x;
    const uint count = min((uint)AHEAD, rows - first);
    SUM loaded[AHEAD];
#pragma unroll
    for (uint i = 0; i < AHEAD; ++i) loaded[i] = i < count ? run[(ulong)i * columns] : 0;
#pragma unroll
    for (uint i = 0; i < AHEAD; ++i) {
      if (i < count) run[(ulong)i * columns] = sum;
      sum += loaded[i];
    }
  }
}
