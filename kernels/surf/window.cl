// The turned window of a keypoint, sampled.

// A fused multiply-add costs nothing but a bit of agreement from here on.
#pragma OPENCL FP_CONTRACT ON

// Where the window's pixels lie in the image: pixel (column, row) of the window is at
// (x + column * cosine + row * sine, y - column * sine + row * cosine) from the image's pixel
// (left, top), which no pixel of the window lies left of or above: offsets are small, hence exact,
// and never negative.
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
  const float radians = keypoint.angle_degrees * 0.017453293f;
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

// Whether every pixel of the window, and LANES columns more, has four neighbours to interpolate
// between.
INLINE bool lies_inside(Window window, int width, int height) {
  const float columns = window.side + LANES, rows = window.side;
  const float reach_right = fmax(columns * window.cosine, 0.0f) + fmax(rows * window.sine, 0.0f);
  const float reach_down = fmax(-columns * window.sine, 0.0f) + fmax(rows * window.cosine, 0.0f);
  return window.left >= 0 && window.top >= 0 && window.left + window.x + reach_right < width - 2 &&
         window.top + window.y + reach_down < height - 2;
}

// The columns of this item among [0, count), where count is a multiple of LANES. A single item
// takes LANES at a time, which leaves no remainder to be done one by one; a loop that is unrolled
// first would not become vector code. WIDE_COLUMNS asks for vectors of LANES where the compiler
// thinks half as wide ones do: a fifth of the descriptor's time on a Zen 4 (surf_vs_sift).
#if LOCAL_SIZE == 1
#define COLUMNS(how, i, count)                    \
  for (int lane = 0; lane < count; lane += LANES) \
    _Pragma(how) for (int i = lane; i < lane + LANES; ++i)
#else
#define COLUMNS(how, i, count) for (int i = get_local_id(0); i < count; i += LOCAL_SIZE)
#endif
#define FOR_COLUMNS(i, count) COLUMNS("clang loop unroll(disable)", i, count)
#define WIDE_COLUMNS(i, count) \
  COLUMNS("clang loop unroll(disable) vectorize_width(16) interleave_count(1)", i, count)

// A sample between the four pixels of a quad, as integral.cl packs them, rounded to 8 bits.
INLINE float between(uint quad, float right_share, float lower_share) {
  const float a = (int)(quad & 255), b = (int)(quad >> 8 & 255);
  const float c = (int)(quad >> 16 & 255), d = (int)(quad >> 24);
  const float upper = a + right_share * (b - a);
  const float lower = c + right_share * (d - c);
  return (int)(upper + lower_share * (lower - upper) + 0.5f);
}

// Columns [first, first + count) of one row of a window that lies inside the image.
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

// The same for any window: the nearest pixel of the image where a neighbour is missing.
INLINE void sample_row_at_border(global const uint* restrict quads, int width, int height,
                                 Window window, int row, int first, int count,
                                 local float* restrict values) {
  const float row_x = window.x + row * window.sine + first * window.cosine;
  const float row_y = window.y + row * window.cosine - first * window.sine;
  FOR_COLUMNS(i, count) {
    const float x = row_x + i * window.cosine, y = row_y - i * window.sine;
    const int left = (int)x + window.left, top = (int)y + window.top;
    const bool whole = left >= 0 && top >= 0 && left < width - 1 && top < height - 1;
    const int nearest_x = clamp((int)(x + 0.5f) + window.left, 0, width - 1);
    const int nearest_y = clamp((int)(y + 0.5f) + window.top, 0, height - 1);
    const uint quad = quads[(whole ? top : nearest_y) * width + (whole ? left : nearest_x)];
    values[i] = between(quad, whole ? x - (int)x : 0.0f, whole ? y - (int)y : 0.0f);
  }
}
