// The descriptor of each keypoint: its turned window, averaged to PATCH x PATCH, then sums of
// gradients over 4 x 4 cells.

#define GRADIENTS (PATCH - 1)
#define CELL (GRADIENTS / 4)
#define KINDS (DESCRIPTOR_SIZE / 16)
// Between rows of sums: odd for several items, so that they do not wait for one memory bank.
#define PITCH (CHUNK + (LOCAL_SIZE > 1))

constant float gaussian[GRADIENTS] = {DESCRIPTOR_GAUSSIAN};

INLINE void add_row(local const float* restrict values, float weight, int count,
                    local float* restrict sums) {
  FOR_COLUMNS(i, count) sums[i] += weight * values[i];
}

// Sums columns [first, first + count) of the window down to PATCH rows. Window row r covers
// [r, r + 1) * PATCH and patch row p covers [p, p + 1) * side, both whole numbers, so that sums are
// exact.
INLINE void gather_down(global const uint* restrict quads, int width, int height, bool inside,
                         Window window, int first, int count, local float* restrict values,
                         local float* restrict sums) {
  const int side = window.side;
  for (int p = 0; p < PATCH; ++p) {
    FOR_COLUMNS(i, count) sums[p * PITCH + i] = 0;
  }
  for (int row = 0; row < side; ++row) {
    const int p = row * PATCH / side;
    const int beyond = (row + 1) * PATCH - (p + 1) * side;
    if (inside) {
      sample_row_inside(quads, width, window, row, first, count, values);
    } else {
      sample_row_at_border(quads, width, height, window, row, first, count, values);
    }
    add_row(values, PATCH - max(beyond, 0), count, sums + p * PITCH);
    if (beyond > 0) add_row(values, beyond, count, sums + (p + 1) * PITCH);
  }
}

// Adds columns [first, first + count) to the patch columns they fall on; patch [column][row].
INLINE void gather_across(int side, int first, int count, local const float* restrict sums,
                          local float* restrict patch) {
  for (int p = first * PATCH / side; p < PATCH; ++p) {
    const int begin = max(p * side / PATCH, first);
    const int end = min(((p + 1) * side + PATCH - 1) / PATCH, first + count);
    for (int column = begin; column < end; ++column) {
      const int left = max(column * PATCH, p * side);
      const int right = min((column + 1) * PATCH, (p + 1) * side);
      const float weight = right - left;
      for (int row = get_local_id(0); row < PATCH; row += LOCAL_SIZE) {
        patch[p * PATCH + row] += weight * sums[row * PITCH + column - first];
      }
    }
  }
}

INLINE void add_gradient(float dx, float dy, float* kinds) {
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

// Sums of gradients across each cell: kind, cell column, row.
INLINE void sum_across(local const float* restrict patch, local float* restrict sums) {
  for (int cell = 0; cell < 4; ++cell) {
    for (int row = get_local_id(0); row < GRADIENTS; row += LOCAL_SIZE) {
      float kinds[KINDS];
      for (int kind = 0; kind < KINDS; ++kind) kinds[kind] = 0;
      for (int column = cell * CELL; column < cell * CELL + CELL; ++column) {
        local const float* p = patch + column * PATCH + row;
        const float weight = gaussian[row] * gaussian[column];
        const float dx = (p[PATCH] - p[0] + p[PATCH + 1] - p[1]) * weight;
        const float dy = (p[1] - p[0] + p[PATCH + 1] - p[PATCH]) * weight;
        add_gradient(dx, dy, kinds);
      }
      for (int kind = 0; kind < KINDS; ++kind) {
        sums[(kind * 4 + cell) * GRADIENTS + row] = kinds[kind];
      }
    }
  }
}

// Sums down each cell, scaled to length 1.
INLINE void write_descriptor(local const float* restrict sums, local float* restrict values,
                             global float* restrict out) {
  for (int i = get_local_id(0); i < DESCRIPTOR_SIZE; i += LOCAL_SIZE) {
    const int cell = i / KINDS, kind = i % KINDS;
    local const float* from = sums + (kind * 4 + cell % 4) * GRADIENTS + cell / 4 * CELL;
    float sum = 0;
    for (int row = 0; row < CELL; ++row) sum += from[row];
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
  local float sums[PATCH * PITCH], values[CHUNK > DESCRIPTOR_SIZE ? CHUNK : DESCRIPTOR_SIZE];
  local float patch[PATCH * PATCH];
  const int k = get_group_id(0);
  const Window window = window_of(keypoints[k]);
  for (int i = get_local_id(0); i < PATCH * PATCH; i += LOCAL_SIZE) patch[i] = 0;
  const bool inside = lies_inside(window, width, height);
  for (int first = 0; first < window.side; first += CHUNK) {
    const int count = min(CHUNK, window.side - first);
    const int padded = (count + LANES - 1) / LANES * LANES;
    barrier(CLK_LOCAL_MEM_FENCE);
    gather_down(quads, width, height, inside, window, first, padded, values, sums);
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
  sum_across(patch, sums);
  barrier(CLK_LOCAL_MEM_FENCE);
  write_descriptor(sums, values, descriptors + (size_t)k * DESCRIPTOR_SIZE);
}
