// The dominant direction of the gradient around each keypoint.
// After common.cl.
// Build: -D SAMPLES: of an orientation, 113; STEP: degrees between the windows' directions, 5,
// which divides 30; WINDOWS: 360 / STEP; REACH: 30 / STEP; UNITS: of a gradient, 2^22.

// Returns the angle of (x, y) in whole degrees, [0, 360). The polynomial, Abramowitz and Stegun
// 4.4.49, is within 0.0006 degrees and, unlike atan2, becomes vector code everywhere.
INLINE int whole_degrees(float x, float y) {
  const float ax = fabs(x), ay = fabs(y);
  const float t = fmin(ax, ay) / fmax(fmax(ax, ay), FLT_MIN);
  const float u = t * t;
  float radians = ((((0.0208351f * u - 0.0851330f) * u + 0.1801410f) * u - 0.3302995f) * u +
                   0.9998660f) * t;
  float degrees = radians * DEGREES_PER_RADIAN;
  degrees = ay > ax ? 90.0f - degrees : degrees;
  degrees = x < 0 ? 180.0f - degrees : degrees;
  degrees = y < 0 ? 360.0f - degrees : degrees;
  const int whole = (int)(degrees + 0.5f);
  return whole < 360 ? whole : 0;
}

// Computes the weighted gradient at each sample by Haar wavelets, in whole numbers of 1 / UNITS,
// and its direction. Samples outside the image weigh nothing.
INLINE void sample_gradients(Image image, global const int* restrict sums, FoundKeypoint keypoint,
                             global const float* restrict samples, local int* restrict units_x,
                             local int* restrict units_y, local int* restrict degrees) {
  const int pitch = image.width + 1;
  const float interval = sampling_interval(keypoint.size);
  const int wavelet = wavelet_side(interval), half_side = wavelet / 2;
  const float scale = 1.0f / (half_side * wavelet);
  for (int i = get_local_id(0); i < SAMPLES; i += LOCAL_SIZE) {
    const int x = wavelet_start(keypoint.x, samples[i], interval, wavelet);
    const int y = wavelet_start(keypoint.y, samples[SAMPLES + i], interval, wavelet);
    const bool inside =
        x >= 0 && y >= 0 && x <= image.width - wavelet && y <= image.height - wavelet;
    global const int* top = sums + (inside ? y * pitch + x : 0);
    global const int* centre = top + half_side * pitch;
    global const int* bottom = top + wavelet * pitch;
    const int whole = bottom[wavelet] - bottom[0] - top[wavelet] + top[0];
    const int left = bottom[half_side] - bottom[0] - top[half_side] + top[0];
    const int upper = centre[wavelet] - centre[0] - top[wavelet] + top[0];
    const float weight = inside ? samples[2 * SAMPLES + i] * scale : 0.0f;
    const float gradient_x = (whole - 2 * left) * weight;
    const float gradient_y = (2 * upper - whole) * weight;
    units_x[i] = (int)rint(gradient_x * UNITS);
    units_y[i] = (int)rint(gradient_y * UNITS);
    degrees[i] = whole_degrees(gradient_x, gradient_y);
  }
}

// Gradients are summed by direction in groups: at a multiple of STEP degrees, and between two
// multiples, so that a window covers whole groups. The sums are whole numbers of 1 / UNITS, so that
// every device finds the same in any order.
#define GROUPS (WINDOWS + 2 * REACH)  // the first ones are repeated at the end

#if LOCAL_SIZE == 1
#define ADD_TO(sum, value) (sum) += (value)
#define MAX_TO(most, value) (most) = max(most, value)
#define MIN_TO(least, value) (least) = min(least, value)
#else
#define ADD_TO(sum, value) atomic_add(&(sum), value)
#define MAX_TO(most, value) atomic_max(&(most), value)
#define MIN_TO(least, value) atomic_min(&(least), value)
#endif

// Returns the sum of the gradients less than 30 degrees from a window's direction.
INLINE float window_sum(local const int* restrict on, local const int* restrict between,
                        int window) {
  const int first = window < REACH ? window + WINDOWS - REACH : window - REACH;
  int sum = between[first];
  for (int i = 1; i < 2 * REACH; ++i) sum += on[first + i] + between[first + i];
  return sum * (1.0f / UNITS);
}

// Finds a chosen keypoint's direction, that of the longest sum, the first of equals; a work-group
// each.
kernel void orientation(global const Image* restrict images,
                        global const int* restrict integral, global const float* restrict samples,
                        global FoundKeypoint* restrict chosen) {
  local int units_x[SAMPLES], units_y[SAMPLES], degrees[SAMPLES], sums[4][GROUPS];
  local float sums_x[WINDOWS], sums_y[WINDOWS];
  local uint lengths[WINDOWS], longest;
  local int window;
  global FoundKeypoint* keypoint = chosen + get_group_id(0);
  const int item = get_local_id(0);
  for (int i = item; i < 4 * GROUPS; i += LOCAL_SIZE) sums[i % 4][i / 4] = 0;
  if (item == 0) longest = 0;
  if (item == 0) window = WINDOWS;
  const Image image = images[keypoint->image];
  sample_gradients(image, integral + image.integral, *keypoint, samples, units_x, units_y,
                   degrees);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < SAMPLES; i += LOCAL_SIZE) {
    const int group = degrees[i] / STEP, between = group * STEP == degrees[i] ? 0 : 2;
    ADD_TO(sums[between][group], units_x[i]);
    ADD_TO(sums[between + 1][group], units_y[i]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < 4 * 2 * REACH; i += LOCAL_SIZE) {
    sums[i % 4][WINDOWS + i / 4] = sums[i % 4][i / 4];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < WINDOWS; i += LOCAL_SIZE) {
    sums_x[i] = window_sum(sums[0], sums[2], i);
    sums_y[i] = window_sum(sums[1], sums[3], i);
    lengths[i] = as_uint(sums_x[i] * sums_x[i] + sums_y[i] * sums_y[i]);
    MAX_TO(longest, lengths[i]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < WINDOWS; i += LOCAL_SIZE) {
    if (lengths[i] == longest) MIN_TO(window, i);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item > 0) return;
  const float angle = atan2(-sums_y[window], sums_x[window]) * DEGREES_PER_RADIAN;
  const float turned = angle < 0 ? angle + 360.0f : angle;
  keypoint->angle_degrees = turned < 360.0f ? turned : 0.0f;
}
