// The descriptor of each keypoint: its turned window, averaged to PATCH x PATCH, then sums of
// gradients over 4 x 4 cells.

#define GRADIENTS (PATCH - 1)
#define CELL (GRADIENTS / 4)
#define KINDS (DESCRIPTOR_SIZE / 16)

constant float gaussian[GRADIENTS] = {DESCRIPTOR_GAUSSIAN};

inline void add_row(local const float* restrict values, float weight, int count,
                    local float* restrict sums) {
  for (int i = get_local_id(0); i < count; i += LOCAL_SIZE) sums[i] += weight * values[i];
}

// Sums columns [first, first + count) of the window down to PATCH rows. Window row r covers
// [r, r + 1) * PATCH and patch row p covers [p, p + 1) * side, both whole numbers, so that sums are
// exact.
inline void gather_down(global const uint* restrict quads, int width, int height, bool inside,
                         Window window, int first, int count, local float* restrict values,
                         local float* restrict sums) {
  const int side = window.side;
  for (int p = 0; p < PATCH; ++p) {
    for (int i = get_local_id(0); i < count; i += LOCAL_SIZE) sums[p * CHUNK + i] = 0;
  }
  for (int row = 0; row < side; ++row) {
    const int p = row * PATCH / side;
    const int beyond = (row + 1) * PATCH - (p + 1) * side;
    sample_row(quads, width, height, inside, window, row, first, count, values);
    add_row(values, PATCH - max(beyond, 0), count, sums + p * CHUNK);
    if (beyond > 0) add_row(values, beyond, count, sums + (p + 1) * CHUNK);
  }
}

// Adds columns [first, first + count) to the patch they fall on.
inline void gather_across(int side, int first, int count, local const float* restrict sums,
                           local float* restrict patch) {
  for (int cell = get_local_id(0); cell < PATCH * PATCH; cell += LOCAL_SIZE) {
    const int p = cell % PATCH;
    const int begin = max(p * side / PATCH, first);
    const int end = min(((p + 1) * side + PATCH - 1) / PATCH, first + count);
    local const float* row = sums + cell / PATCH * CHUNK - first;
    float sum = 0;
    for (int column = begin; column < end; ++column) {
      const int covered = min((column + 1) * PATCH, (p + 1) * side) - max(column * PATCH, p * side);
      sum += covered * row[column];
    }
    patch[cell] += sum;
  }
}

// Sums of gradients down each cell: kind, cell row, column.
inline void sum_down(local const float* restrict patch, local float* restrict sums) {
  for (int at = get_local_id(0); at < 4 * GRADIENTS; at += LOCAL_SIZE) {
    const int column = at % GRADIENTS;
    const int first_row = at / GRADIENTS * CELL;
    float kinds[KINDS];
    for (int kind = 0; kind < KINDS; ++kind) kinds[kind] = 0;
    for (int row = first_row; row < first_row + CELL; ++row) {
      local const float* p = patch + row * PATCH + column;
      const float weight = gaussian[row] * gaussian[column];
      const float dx = (p[1] - p[0] + p[PATCH + 1] - p[PATCH]) * weight;
      const float dy = (p[PATCH] - p[0] + p[PATCH + 1] - p[1]) * weight;
#if KINDS == 4
      kinds[0] += dx;
      kinds[1] += dy;
      kinds[2] += fabs(dx);
      kinds[3] += fabs(dy);
#else
      kinds[0] += dy >= 0 ? dx : 0.0f;
      kinds[1] += dy >= 0 ? fabs(dx) : 0.0f;
      kinds[2] += dy >= 0 ? 0.0f : dx;
      kinds[3] += dy >= 0 ? 0.0f : fabs(dx);
      kinds[4] += dx >= 0 ? dy : 0.0f;
      kinds[5] += dx >= 0 ? fabs(dy) : 0.0f;
      kinds[6] += dx >= 0 ? 0.0f : dy;
      kinds[7] += dx >= 0 ? 0.0f : fabs(dy);
#endif
    }
    for (int kind = 0; kind < KINDS; ++kind) sums[kind * 4 * GRADIENTS + at] = kinds[kind];
  }
}

// Sums across each cell, scaled to length 1.
inline void write_descriptor(local const float* restrict sums, local float* restrict values,
                             global float* restrict out) {
  for (int i = get_local_id(0); i < DESCRIPTOR_SIZE; i += LOCAL_SIZE) {
    const int cell = i / KINDS, kind = i % KINDS;
    local const float* from = sums + (kind * 4 + cell / 4) * GRADIENTS + cell % 4 * CELL;
    float sum = 0;
    for (int column = 0; column < CELL; ++column) sum += from[column];
    values[i] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float square = 0;
  for (int i = 0; i < DESCRIPTOR_SIZE; ++i) square += values[i] * values[i];
  const float scale = 1.0f / (sqrt(square) + NORM_EPSILON);
  for (int i = get_local_id(0); i < DESCRIPTOR_SIZE; i += LOCAL_SIZE) out[i] = values[i] * scale;
}

// One group per keypoint; descriptors [n][DESCRIPTOR_SIZE].
kernel void descriptor(global const uint* restrict quads, int width, int height,
                       global const FoundKeypoint* restrict keypoints,
                       global float* restrict descriptors) {
  local float sums[PATCH * CHUNK], values[CHUNK > DESCRIPTOR_SIZE ? CHUNK : DESCRIPTOR_SIZE];
  local float patch[PATCH * PATCH];
  const int k = get_group_id(0);
  const Window window = window_of(keypoints[k]);
  for (int i = get_local_id(0); i < PATCH * PATCH; i += LOCAL_SIZE) patch[i] = 0;
  const bool inside = lies_inside(window, width, height);
  for (int first = 0; first < window.side; first += CHUNK) {
    const int count = min(CHUNK, window.side - first);
    const int padded = (count + LANES - 1) / LANES * LANES;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (inside) {
      gather_down(quads, width, height, true, window, first, padded, values, sums);
    } else {
      gather_down(quads, width, height, false, window, first, padded, values, sums);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    gather_across(window.side, first, count, sums, patch);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  // Halves are common; the small addition takes them up whatever the device's rounding.
  const float scale = 1.0f / ((float)window.side * window.side);
  for (int i = get_local_id(0); i < PATCH * PATCH; i += LOCAL_SIZE) {
    patch[i] = (int)(patch[i] * scale + 0.5001f);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  sum_down(patch, sums);
  barrier(CLK_LOCAL_MEM_FENCE);
  write_descriptor(sums, values, descriptors + (size_t)k * DESCRIPTOR_SIZE);
}
