// The descriptor of each keypoint on a GPU: its turned window, averaged to PATCH x PATCH. Each of
// the TEAMS of a group takes a band of BAND patch rows. Its members sample blocks of SPAN columns
// and MEMBER_ROWS rows of the window, MEMBER_COLUMNS apart: a block that is nearly square touches
// few cache lines however it is turned.
// After patch.cl; see common.cl.
// Build: as patch.cl, and -D MEMBER_COLUMNS: 16, which divides MEMBERS; COLUMNS_EACH: columns that
// a member sums at once, 2.

#define BAND (PATCH / TEAMS)
#define MEMBER_ROWS (MEMBERS / MEMBER_COLUMNS)
#define SPAN (MEMBER_COLUMNS * COLUMNS_EACH)

// Added to a number from 0 to 4000000, ROUNDER leaves the nearest whole number in the lowest bits:
// cheaper than a conversion, for which a GPU has few units.
#define ROUNDER 12582912.0f
#define ROUNDER_BITS 0x4b400000u

// Returns byte `index` of a quad, plus 2^23.
INLINE float raised_byte(uint quad, int index) {
  return as_float((quad >> 8 * index & 255) | 0x4b000000u);
}

// Interpolates between the four pixels of a quad, as integral.cl packs them, and rounds to 8 bits.
INLINE float between(uint quad, float right_share, float lower_share) {
  const float a = raised_byte(quad, 0), b = raised_byte(quad, 1);
  const float c = raised_byte(quad, 2), d = raised_byte(quad, 3);
  const float upper = fma(right_share, b - a, a - 8388608.0f);
  const float lower = fma(right_share, d - c, c - 8388608.0f);
  return fma(lower_share, lower - upper, upper) + ROUNDER - ROUNDER;
}

// Samples (x, y) of a window that lies inside the image. At a whole coordinate the pixel before may
// be taken, with a share of one in the next.
INLINE float sample_inside(global const uint* restrict origin, int width, float x, float y) {
  const float whole_x = x - 0.5f + ROUNDER, whole_y = y - 0.5f + ROUNDER;
  const uint left = as_uint(whole_x) - ROUNDER_BITS, top = as_uint(whole_y) - ROUNDER_BITS;
  return between(origin[top * width + left], x - (whole_x - ROUNDER), y - (whole_y - ROUNDER));
}

// Returns how much of window row `row` lies in patch row `p`; both are whole numbers.
INLINE float share_of_row(float row, float p, float side) {
  const float end = fmin((row + 1) * PATCH, (p + 1) * side);
  return fmax(end - fmax(row * PATCH, p * side), 0.0f);
}

// Sums columns [first, first + count) of the window down to the patch rows of this team, each
// member its own rows: sums [MEMBER_ROWS][BAND][CHUNK].
INLINE void sum_band(global const uint* restrict quads, Level level, Window window, int first,
                     int count, local float* restrict sums) {
  const bool inside = lies_inside(window, level.width, level.height);
  global const uint* origin = quads + ((long)window.top * level.width + window.left);
  const int side = window.side, member_row = MEMBER / MEMBER_COLUMNS;
  const int begin = TEAM * BAND * side / PATCH;
  const int end = ((TEAM + 1) * BAND * side + PATCH - 1) / PATCH;
  for (int column = MEMBER % MEMBER_COLUMNS; column < count; column += SPAN) {
    float band[BAND][COLUMNS_EACH] = {{0}};
    for (int row = begin + member_row; row < end; row += MEMBER_ROWS) {
      const float row_x = window.x + row * window.sine, row_y = window.y + row * window.cosine;
      float shares[BAND];
      for (int p = 0; p < BAND; ++p) shares[p] = share_of_row(row, TEAM * BAND + p, side);
#pragma unroll
      for (int i = 0; i < COLUMNS_EACH; ++i) {
        const float at = min(first + column + i * MEMBER_COLUMNS, side - 1);
        const float x = row_x + at * window.cosine, y = row_y - at * window.sine;
        float value;
        if (inside) {
          value = sample_inside(origin, level.width, x, y);
        } else {
          const Place place = place_at_border(x, y, level.width, level.height, window);
          value = between(quads[place.at], place.right_share, place.lower_share);
        }
        for (int p = 0; p < BAND; ++p) band[p][i] += shares[p] * value;
      }
    }
    for (int p = 0; p < BAND; ++p) {
      for (int i = 0; i < COLUMNS_EACH; ++i) {
        sums[(member_row * BAND + p) * CHUNK + column + i * MEMBER_COLUMNS] = band[p][i];
      }
    }
  }
}

// Adds columns [first, first + count) to the patch columns they fall on, in this team's rows; patch
// [column][row].
INLINE void gather_band(int side, int first, int count, local const float* restrict sums,
                        local float* restrict patch) {
  for (int i = MEMBER; i < BAND * PATCH; i += MEMBERS) {
    const int p = i / PATCH, column = i % PATCH;
    const int begin = max(column * side / PATCH, first);
    const int end = min(((column + 1) * side + PATCH - 1) / PATCH, first + count);
    float sum = 0;
    for (int x = begin; x < end; ++x) {
      float down = 0;
      for (int row = 0; row < MEMBER_ROWS; ++row) {
        down += sums[(row * BAND + p) * CHUNK + x - first];
      }
      sum += down * (min((x + 1) * PATCH, (column + 1) * side) - max(x * PATCH, column * side));
    }
    patch[column * PATCH + TEAM * BAND + p] += sum;
  }
}

// Describes a chosen keypoint; a work-group each. descriptors [n][DESCRIPTOR_SIZE]
kernel __attribute__((reqd_work_group_size(TEAMS * MEMBERS, 1, 1))) void descriptor(
    global const Image* restrict images, global const uint* restrict quads,
    global const FoundKeypoint* restrict chosen, global float* restrict descriptors) {
  local float sums[TEAMS * MEMBER_ROWS * BAND * CHUNK], patch[PATCH * PATCH];
  local float values[DESCRIPTOR_SIZE];
  const size_t k = get_group_id(0);
  FoundKeypoint keypoint = chosen[k];
  const Level level = level_of(images[keypoint.image], &keypoint);
  const Window window = window_of(keypoint);
  local float* mine = sums + TEAM * MEMBER_ROWS * BAND * CHUNK;
  FOR_ITEMS(i, PATCH * PATCH) patch[i] = 0;
  for (int first = 0; first < window.side; first += CHUNK) {
    const int count = min(CHUNK, window.side - first);
    barrier(CLK_LOCAL_MEM_FENCE);
    sum_band(quads + level.at, level, window, first, count, mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    gather_band(window.side, first, count, mine, patch);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  round_patch(window.side, patch);
  describe_patch(patch, sums, values, descriptors + k * DESCRIPTOR_SIZE);
}
