// The integral image in tiles of TILE_ROWS x TILE_COLUMNS pixels, a work-group of TILE_COLUMNS
// items each. First the columns and rows of each tile are summed; then each tile makes its own part
// of the integral image, from the sums of the tiles above it and to its left.
// Build: -D SUM: uint, or ulong where sums need 64 bits; TILE_COLUMNS: 128; TILE_ROWS: 32, which
// divides TILE_COLUMNS.
#define PARTS (TILE_COLUMNS / TILE_ROWS)  // of a row, each summed by one item
#define PART (TILE_COLUMNS / PARTS)
// A word between parts, so that neighbouring items use different memory banks.
#define PLACE(column) ((column) + (column) / PART)
#define TILE_PITCH (TILE_COLUMNS + PARTS)

// Loads a tile; pixels beyond the image are 0.
void load_tile(global const uchar* pixels, uint width, uint height, local uint* tile) {
  const uint item = get_local_id(0);
  const uint x = get_group_id(0) * TILE_COLUMNS + item;
  const uint first_row = get_group_id(1) * TILE_ROWS;
#pragma unroll
  for (uint r = 0; r < TILE_ROWS; ++r) {
    const uint y = first_row + r;
    tile[r * TILE_PITCH + PLACE(item)] = x < width && y < height ? pixels[(ulong)y * width + x] : 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Sums the columns and rows of each tile. Group (tile across, band).
//   column_sums [bands][width], each over TILE_ROWS rows   row_sums [height][tiles across]
kernel __attribute__((reqd_work_group_size(TILE_COLUMNS, 1, 1))) void sum_tiles(
    global const uchar* pixels, uint width, uint height, global SUM* column_sums,
    global SUM* row_sums) {
  local uint tile[TILE_ROWS * TILE_PITCH];
  local uint part_sums[TILE_COLUMNS];
  load_tile(pixels, width, height, tile);
  const uint item = get_local_id(0);
  const uint x = get_group_id(0) * TILE_COLUMNS + item;
  uint column_sum = 0;
  for (uint r = 0; r < TILE_ROWS; ++r) column_sum += tile[r * TILE_PITCH + PLACE(item)];
  if (x < width) column_sums[(ulong)get_group_id(1) * width + x] = column_sum;

  local const uint* part = tile + item / PARTS * TILE_PITCH + PLACE(item % PARTS * PART);
  uint part_sum = 0;
  for (uint i = 0; i < PART; ++i) part_sum += part[i];
  part_sums[item] = part_sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint y = get_group_id(1) * TILE_ROWS + item;
  if (item >= TILE_ROWS || y >= height) return;
  uint row_sum = 0;
  for (uint i = 0; i < PARTS; ++i) row_sum += part_sums[item * PARTS + i];
  row_sums[(ulong)y * get_num_groups(0) + get_group_id(0)] = row_sum;
}

// Returns this item's share, a PARTS-th, of the sum of a row's pixels to the left of the tile.
SUM sum_left(global const SUM* row_sums, uint height) {
  const uint y = get_group_id(1) * TILE_ROWS + get_local_id(0) / PARTS;
  if (y >= height) return 0;
  SUM sum = 0;
  for (uint i = get_local_id(0) % PARTS; i < get_group_id(0); i += PARTS) {
    sum += row_sums[(ulong)y * get_num_groups(0) + i];
  }
  return sum;
}

// Writes each tile's part of the integral image. Group (tile across, band).
//   above [bands][width]: the integral image's row above each band, without its first 0
kernel __attribute__((reqd_work_group_size(TILE_COLUMNS, 1, 1))) void write_tiles(
    global const uchar* pixels, uint width, uint height, global const SUM* above,
    global const SUM* row_sums, global SUM* sums) {
  local uint tile[TILE_ROWS * TILE_PITCH];
  local SUM lefts[TILE_COLUMNS];
  local uint part_sums[TILE_COLUMNS];
  local SUM starts[TILE_COLUMNS];
  load_tile(pixels, width, height, tile);
  const uint item = get_local_id(0);
  local uint* part = tile + item / PARTS * TILE_PITCH + PLACE(item % PARTS * PART);
  for (uint i = 1; i < PART; ++i) part[i] += part[i - 1];
  part_sums[item] = part[PART - 1];
  lefts[item] = sum_left(row_sums, height);
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM start = 0;
  for (uint i = 0; i < PARTS; ++i) {
    const uint other = item / PARTS * PARTS + i;
    start += lefts[other];
    if (other < item) start += part_sums[other];
  }
  starts[item] = start;
  barrier(CLK_LOCAL_MEM_FENCE);

  const uint pitch = width + 1;
  const uint x = get_group_id(0) * TILE_COLUMNS + item;
  const uint first_row = get_group_id(1) * TILE_ROWS;
  if (get_group_id(1) == 0) {
    if (x < width) sums[x + 1] = 0;
    if (x == 0) sums[0] = 0;
  }
  if (x >= width) return;
  SUM sum = above[(ulong)get_group_id(1) * width + x];
  for (uint r = 0; r < TILE_ROWS && first_row + r < height; ++r) {
    sum += tile[r * TILE_PITCH + PLACE(item)] + starts[r * PARTS + item / PART];
    global SUM* row = sums + (ulong)(first_row + r + 1) * pitch;
    row[x + 1] = sum;
    if (x == 0) row[0] = 0;
  }
}
