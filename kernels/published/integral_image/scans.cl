// Running sums down columns and along rows.
// Build: -D SUM: uint, or ulong where sums need 64 bits; GROUP_ITEMS: work-items that scan a row
// together, 1 on a CPU, 256 on a GPU; RUN: values of an item and round, 4096 or 4.

#define AHEAD 8  // loads that do not wait for each other

// Replaces each value of a column of values [rows][columns] by the sum of the values above it. An
// item per column.
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

// Returns the sum of `value` over the items before this one, and over all items in *total.
SUM scan_items(SUM value, local SUM* parts, SUM* total) {
  const uint item = get_local_id(0);
  SUM end = value;
  for (uint step = 1; step < GROUP_ITEMS; step *= 2) {
    parts[item] = end;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item >= step) end += parts[item - step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  parts[item] = end;
  barrier(CLK_LOCAL_MEM_FENCE);
  *total = parts[GROUP_ITEMS - 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  return end - value;
}

// Writes the running sums of `count` values. In each round every item adds up its run, the items
// scan their sums, and each goes through its run again from where it starts.
#define SCAN_ROW(from, to, count)                                                     \
  SUM carry = 0;                                                                      \
  for (uint round = 0; round < (count); round += GROUP_ITEMS * RUN) {                 \
    const uint first = min((uint)(count), round + (uint)get_local_id(0) * RUN);       \
    const uint end = min((uint)(count), first + RUN);                                 \
    SUM run = 0;                                                                      \
    for (uint x = first; x < end; ++x) run += (from)[x];                              \
    SUM total;                                                                        \
    SUM sum = carry + scan_items(run, parts, &total);                                 \
    for (uint x = first; x < end; ++x) {                                              \
      sum += (from)[x];                                                               \
      (to)[x] = sum;                                                                  \
    }                                                                                 \
    carry += total;                                                                   \
  }

// Sums along the rows of an image: a group per row of sums [height + 1][width + 1], whose first row
// and column become 0.
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void scan_pixels(
    global const uchar* pixels, uint width, global SUM* sums) {
  local SUM parts[GROUP_ITEMS];
  const uint row = get_group_id(0);
  global SUM* to = sums + (ulong)row * (width + 1);
  if (row == 0) {
    for (uint x = get_local_id(0); x <= width; x += GROUP_ITEMS) to[x] = 0;
    return;
  }
  global const uchar* from = pixels + (ulong)(row - 1) * width;
  if (get_local_id(0) == 0) to[0] = 0;
  SCAN_ROW(from, to + 1, width)
}

// Sums along the rows of values [rows][columns], in place; a group per row.
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void scan_sums(
    global SUM* values, uint columns) {
  local SUM parts[GROUP_ITEMS];
  global SUM* row = values + (ulong)get_group_id(0) * columns;
  SCAN_ROW(row, row, columns)
}
