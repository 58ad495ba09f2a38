// The transpose for CPUs, in vector registers: 16 x 16 values at a time, in blocks of LINE x LINE,
// so that a cache line of 64 bytes is read whole and written whole. from [rows][columns], to
// [columns][rows].
// Build: -D VALUE, VALUE16: float or uchar, and its vector of 16; LINE: values of a cache line, 16
// or 64; BAND_ROWS, BAND_COLUMNS: values of an item, 128 x 256.
#define PARTS (LINE / 16)

// Interleaves row i with row i + 8, value by value: one of the four steps that turn 16 x 16 values.
void interleave(const VALUE16* in, VALUE16* out) {
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    out[2 * i].even = in[i].lo;
    out[2 * i].odd = in[i + 8].lo;
    out[2 * i + 1].even = in[i].hi;
    out[2 * i + 1].odd = in[i + 8].hi;
  }
}

// Stores past the caches where vectors are aligned, which saves reading lines that are about to be
// overwritten, half of all traffic here.
void store_vector(VALUE16 values, global VALUE* to, bool aligned) {
#if defined(__clang__)
  if (aligned) {
    __builtin_nontemporal_store(values, (global VALUE16*)to);
    return;
  }
#endif
  vstore16(values, 0, to);
}

void transpose_block(global const VALUE* from, ulong columns, global VALUE* to, ulong rows,
                     bool aligned) {
  VALUE16 turned[LINE * PARTS];
  for (int i = 0; i < PARTS; ++i) {
    for (int j = 0; j < PARTS; ++j) {
      VALUE16 a[16];
      VALUE16 b[16];
#pragma unroll
      for (int r = 0; r < 16; ++r) a[r] = vload16(j, from + (16 * i + r) * columns);
      interleave(a, b);
      interleave(b, a);
      interleave(a, b);
      interleave(b, a);
#pragma unroll
      for (int c = 0; c < 16; ++c) turned[(16 * j + c) * PARTS + i] = a[c];
    }
  }
#pragma unroll
  for (int c = 0; c < LINE; ++c) {
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
      store_vector(turned[c * PARTS + part], to + c * rows + 16 * part, aligned);
    }
  }
}

void transpose_edge(global const VALUE* from, ulong columns, global VALUE* to, ulong rows,
                    uint block_rows, uint block_columns) {
  for (uint c = 0; c < block_columns; ++c) {
    for (uint r = 0; r < block_rows; ++r) to[c * rows + r] = from[r * columns + c];
  }
}

// Fetches the next block of the same rows, too short a run for a CPU to foresee. Drivers that compile
// by way of SPIR-V (Mesa's rusticl) refuse the instruction.
void prefetch_block(global const VALUE* next, ulong columns) {
#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#pragma unroll
  for (int r = 0; r < LINE; ++r) __builtin_prefetch(next + r * columns, 0, 3);
#endif
}

// Transposes BAND_ROWS x BAND_COLUMNS values per item, block after block along the rows.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void transpose_blocks(
    global const VALUE* from, uint rows, uint columns, global VALUE* to) {
  const bool aligned = (((ulong)to | rows * sizeof(VALUE)) & (sizeof(VALUE16) - 1)) == 0;
  const uint bands_across = (columns + BAND_COLUMNS - 1) / BAND_COLUMNS;
  const uint first_row = get_group_id(0) / bands_across * BAND_ROWS;
  const uint first_column = get_group_id(0) % bands_across * BAND_COLUMNS;
  const uint end_row = min(rows, first_row + BAND_ROWS);
  const uint end_column = min(columns, first_column + BAND_COLUMNS);
  for (uint r = first_row; r < end_row; r += LINE) {
    for (uint c = first_column; c < end_column; c += LINE) {
      global const VALUE* block = from + (ulong)r * columns + c;
      global VALUE* turned = to + (ulong)c * rows + r;
      if (r + LINE <= end_row && c + LINE <= end_column) {
        if (c + 2 * LINE <= columns) prefetch_block(block + LINE, columns);
        transpose_block(block, columns, turned, rows, aligned);
      } else {
        transpose_edge(block, columns, turned, rows, min(LINE, (int)(end_row - r)),
                       min(LINE, (int)(end_column - c)));
      }
    }
  }
}
