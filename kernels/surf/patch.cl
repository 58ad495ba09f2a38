// The turned window of a keypoint, and the descriptor of the patch that it is averaged to.
// After halve.cl; see common.cl.
// Build: -D PATCH: pixels a side of the averaged window, 21; LANES: columns that a CPU samples at
// once, 16, or 0 on a GPU; CHUNK: columns of a window that are averaged together, 64; MAX_INTERVAL:
// SurfParameters::max_interval, 0 or from 2 on; UPRIGHT: 1 where keypoints have no orientation,
// else 0; DESCRIPTOR_SIZE: 64 or 128; DESCRIPTOR_GAUSSIAN: the PATCH - 1 weights of a row of
// gradients; NORM_EPSILON: added to a descriptor's length; on a GPU TEAMS: 7, which divides PATCH,
// and MEMBERS: 32.

// From here on a * b + c may be fused: devices need not agree to the last bit.
#pragma OPENCL FP_CONTRACT ON

// Returns the level of the image that a keypoint is described in, and moves the keypoint there:
// pixel x of a level is the middle of pixels 2 x and 2 x + 1 of the one before.
INLINE Level level_of(Image image, FoundKeypoint* keypoint) {
  Level level = {image.quads, image.width, image.height};
#if MAX_INTERVAL
  while (sampling_interval(keypoint->size) > MAX_INTERVAL) {
    level = halved(level);
    keypoint->x = keypoint->x * 0.5f - 0.25f;
    keypoint->y = keypoint->y * 0.5f - 0.25f;
    keypoint->size *= 0.5f;
  }
#endif
  return level;
}

// A window in a level of the image: its pixel (column, row) lies at (x + column * cosine + row *
// sine, y - column * sine + row * cosine) from the level's pixel (left, top). No pixel of the
// window lies left of or above that one, so that offsets are small, hence exact, and never
// negative.
typedef struct {
  int side, left, top;
  float x, y, cosine, sine;
} Window;

INLINE Window window_of(FoundKeypoint keypoint) {
  Window window;
  window.side = (int)(PATCH * sampling_interval(keypoint.size));
  const float middle = (window.side - 1) * 0.5f;
#if UPRIGHT
  window.cosine = 0;
  window.sine = 1;
#else
  const float radians = keypoint.angle_degrees * RADIANS_PER_DEGREE;
  window.cosine = cos(radians);
  window.sine = -sin(radians);
#endif
  const float whole_x = floor(keypoint.x), whole_y = floor(keypoint.y);
#if UPRIGHT
  const float x = rint(keypoint.x - middle) - whole_x;
  const float y = rint(keypoint.y + middle) - whole_y;
#else
  const float x = keypoint.x - whole_x - middle * (window.cosine + window.sine);
  const float y = keypoint.y - whole_y + middle * (window.sine - window.cosine);
#endif
  const float columns = window.side + LANES, rows = window.side;
  const float reach_left = fmin(columns * window.cosine, 0.0f) + fmin(rows * window.sine, 0.0f);
  const float reach_up = fmin(-columns * window.sine, 0.0f) + fmin(rows * window.cosine, 0.0f);
  const float least_x = floor(x + reach_left), least_y = floor(y + reach_up);
  window.left = (int)(whole_x + least_x);
  window.top = (int)(whole_y + least_y);
  window.x = x - least_x;
  window.y = y - least_y;
  return window;
}

// True if every pixel of the window, and of LANES columns more, has four neighbours to interpolate
// between.
INLINE bool lies_inside(Window window, int width, int height) {
  const float columns = window.side + LANES, rows = window.side;
  const float reach_right = fmax(columns * window.cosine, 0.0f) + fmax(rows * window.sine, 0.0f);
  const float reach_down = fmax(-columns * window.sine, 0.0f) + fmax(rows * window.cosine, 0.0f);
  return window.left >= 0 && window.top >= 0 && window.left + window.x + reach_right < width - 2 &&
         window.top + window.y + reach_down < height - 2;
}

// A sample's quad, and the shares of its right and lower pixels.
typedef struct {
  int at;
  float right_share, lower_share;
} Place;

// Places the sample at (x, y) of any window: the nearest pixel where a neighbour is missing.
INLINE Place place_at_border(float x, float y, int width, int height, Window window) {
  const int left = (int)x + window.left, top = (int)y + window.top;
  const bool whole = left >= 0 && top >= 0 && left < width - 1 && top < height - 1;
  const int nearest_x = clamp((int)(x + 0.5f) + window.left, 0, width - 1);
  const int nearest_y = clamp((int)(y + 0.5f) + window.top, 0, height - 1);
  Place place;
  place.at = (whole ? top : nearest_y) * width + (whole ? left : nearest_x);
  place.right_share = whole ? x - (int)x : 0.0f;
  place.lower_share = whole ? y - (int)y : 0.0f;
  return place;
}

// A descriptor holds sums of gradients over 4 x 4 cells of a patch of PATCH x PATCH averaged
// pixels, [column][row]. The items of a group are TEAMS teams of MEMBERS.

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

// Turns sums of side * side values into averages of 8 bits. Halves are common: the small addition
// rounds them up on every device.
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

// Sums gradients across each cell: sums [kind][cell column][row].
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

// Sums across and then down each cell, and scales to length 1; `sums` is a work area.
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
