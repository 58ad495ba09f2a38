// The descriptor of a patch of PATCH x PATCH averaged pixels, [column][row]: sums of gradients over
// 4 x 4 cells. The items of a group are TEAMS teams of MEMBERS.

#if LOCAL_SIZE == 1
#define TEAMS 1
#define MEMBERS 1
#endif
#define TEAM ((int)get_local_id(0) / MEMBERS)
#define MEMBER ((int)get_local_id(0) % MEMBERS)
#define FOR_ITEMS(i, count) for (int i = get_local_id(0); i < (count); i += TEAMS * MEMBERS)

#define GRADIENTS (PATCH - 1)
#define CELL (GRADIENTS / 4)
#define KINDS (DESCRIPTOR_SIZE / 16)

constant float gaussian[GRADIENTS] = {DESCRIPTOR_GAUSSIAN};

// The average of side * side values, to 8 bits. Halves are common; the small addition takes them up
// whatever the device's rounding.
INLINE void round_patch(int side, local float* restrict patch) {
  const float scale = 1.0f / ((float)side * side);
  FOR_ITEMS(i, PATCH * PATCH) patch[i] = (int)(patch[i] * scale + 0.5001f);
  barrier(CLK_LOCAL_MEM_FENCE);
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
  for (int cell = TEAM; cell < 4; cell += TEAMS) {
    for (int row = MEMBER; row < GRADIENTS; row += MEMBERS) {
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

// Sums across and then down each cell, scaled to length 1; sums is a work area.
INLINE void describe_patch(local const float* restrict patch, local float* restrict sums,
                           local float* restrict values, global float* restrict out) {
  sum_across(patch, sums);
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(i, DESCRIPTOR_SIZE) {
    const int cell = i / KINDS, kind = i % KINDS;
    local const float* from = sums + (kind * 4 + cell % 4) * GRADIENTS + cell / 4 * CELL;
    float sum = 0;
    for (int row = 0; row < CELL; ++row) sum += from[row];
    values[i] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) >= DESCRIPTOR_SIZE) return;
  float square = 0;
  for (int i = 0; i < DESCRIPTOR_SIZE; ++i) square += values[i] * values[i];
  const float scale = 1.0f / (sqrt(square) + NORM_EPSILON);
  FOR_ITEMS(i, DESCRIPTOR_SIZE) out[i] = values[i] * scale;
}

