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

// A sample's quad, and its shares in the right and the lower pixels.
typedef struct {
  int at;
  float right_share, lower_share;
} Place;

// The sample at (x, y) of any window: the nearest pixel of the image where a neighbour is missing.
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
