// The descriptor of each keypoint on a CPU: its turned window, averaged to PATCH x PATCH.
// After patch.cl, whose macros it takes; see common.cl.

// COLUMNS runs over [0, count), a multiple of LANES, LANES at a time, which leaves no remainder to
// be done one by one; a loop that is unrolled first would not become vector code. WIDE_COLUMNS asks
// for vectors of LANES where the compiler prefers half of that: a fifth of the descriptor's time on
// a Zen 4 (lookalike-peers surf).
#define COLUMNS(how, i, count)                    \
  for (int lane = 0; lane < count; lane += LANES) \
    _Pragma(how) for (int i = lane; i < lane + LANES; ++i)
#define FOR_COLUMNS(i, count) COLUMNS("clang loop unroll(disable)", i, count)
#define WIDE_COLUMNS(i, count) \
  COLUMNS("clang loop unroll(disable) vectorize_width(16) interleave_count(1)", i, count)

// Interpolates between the four pixels of a quad, as integral.cl packs them, and rounds to 8 bits.
INLINE float between(uint quad, float right_share, float lower_share) {
  const float a = (int)(quad & 255), b = (int)(quad >> 8 & 255);
  const float c = (int)(quad >> 16 & 255), d = (int)(quad >> 24);
  const float upper = a + right_share * (b - a);
  const float lower = c + right_share * (d - c);
  return (int)(upper + lower_share * (lower - upper) + 0.5f);
}

// Samples columns [first, first + count) of one row of a window that lies inside the image.
INLINE void sample_row_inside(global const uint* restrict quads, int width, Window window, int row,
                              int first, int count, local float* restrict values) {
  global const uint* origin = quads + (size_t)window.top * width + window.left;
  const float row_x = window.x + row * window.sine + first * window.cosine;
  const float row_y = window.y + row * window.cosine - first * window.sine;
  WIDE_COLUMNS(i, count) {
    const float x = row_x + i * window.cosine, y = row_y - i * window.sine;
    const int left = (int)x, top = (int)y;
    values[i] = between(origin[top * width + left], x - left, y - top);
  }
}

// Samples a row of any window: the nearest pixel of the image where a neighbour is missing.
INLINE void sample_row_at_border(global const uint* restrict quads, int width, int height,
                                 Window window, int row, int first, int count,
                                 local float* restrict values) {
  const float row_x = window.x + row * window.sine + first * window.cosine;
  const float row_y = window.y + row * window.cosine - first * window.sine;
  FOR_COLUMNS(i, count) {
    const float x = row_x + i * window.cosine, y = row_y - i * window.sine;
    const Place place = place_at_border(x, y, width, height, window);
    values[i] = between(quads[place.at], place.right_share, place.lower_share);
  }
}

INLINE void add_row(local const float* restrict values, float weight, int count,
                    local float* restrict sums) {
  FOR_COLUMNS(i, count) sums[i] += weight * values[i];
}

// Sums columns [first, first + count) of the window down to PATCH rows. Window row r covers [r, r +
// 1) * PATCH and patch row p covers [p, p + 1) * side: whole numbers, so that sums are exact.
INLINE void gather_down(global const uint* restrict quads, int width, int height, bool inside,
                         Window window, int first, int count, local float* restrict values,
                         local float* restrict sums) {
  const int side = window.side;
  for (int p = 0; p < PATCH; ++p) {
    FOR_COLUMNS(i, count) sums[p * CHUNK + i] = 0;
  }
  for (int row = 0; row < side; ++row) {
    const int p = row * PATCH / side;
    const int beyond = (row + 1) * PATCH - (p + 1) * side;
    if (inside) {
      sample_row_inside(quads, width, window, row, first, count, values);
    } else {
      sample_row_at_border(quads, width, height, window, row, first, count, values);
    }
    add_row(values, PATCH - max(beyond, 0), count, sums + p * CHUNK);
    if (beyond > 0) add_row(values, beyond, count, sums + (p + 1) * CHUNK);
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
      for (int row = 0; row < PATCH; ++row) {
        patch[p * PATCH + row] += weight * sums[row * CHUNK + column - first];
      }
    }
  }
}

// Describes a chosen keypoint; an item each. descriptors [n][DESCRIPTOR_SIZE]
kernel void descriptor(global const Image* restrict images, global const uint* restrict quads,
                       global const FoundKeypoint* restrict chosen,
                       global float* restrict descriptors) {
  local float sums[PATCH * CHUNK], values[CHUNK > DESCRIPTOR_SIZE ? CHUNK : DESCRIPTOR_SIZE];
  local float patch[PATCH * PATCH];
  const size_t k = get_group_id(0);
  FoundKeypoint keypoint = chosen[k];
  const Level level = level_of(images[keypoint.image], &keypoint);
  const Window window = window_of(keypoint);
  for (int i = 0; i < PATCH * PATCH; ++i) patch[i] = 0;
  const bool inside = lies_inside(window, level.width, level.height);
  for (int first = 0; first < window.side; first += CHUNK) {
    const int count = min(CHUNK, window.side - first);
    const int padded = (count + LANES - 1) / LANES * LANES;
    gather_down(quads + level.at, level.width, level.height, inside, window, first, padded, values,
                sums);
    gather_across(window.side, first, count, sums, patch);
  }
  round_patch(window.side, patch);
  describe_patch(patch, sums, values, descriptors + k * DESCRIPTOR_SIZE);
}
