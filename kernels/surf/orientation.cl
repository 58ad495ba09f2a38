// The dominant direction of the gradient around each keypoint.

// Angle of (x, y) in whole degrees, [0, 360). The polynomial, Abramowitz and Stegun 4.4.49, is
// within 0.0006 degrees and, unlike atan2, becomes vector code everywhere.
INLINE int whole_degrees(float x, float y) {
  const float ax = fabs(x), ay = fabs(y);
  const float t = fmin(ax, ay) / fmax(fmax(ax, ay), FLT_MIN);
  const float u = t * t;
  float radians = ((((0.0208351f * u - 0.0851330f) * u + 0.1801410f) * u - 0.3302995f) * u +
                   0.9998660f) * t;
  float degrees = radians * 57.29578f;
  degrees = ay > ax ? 90.0f - degrees : degrees;
  degrees = x < 0 ? 180.0f - degrees : degrees;
  degrees = y < 0 ? 360.0f - degrees : degrees;
  const int whole = (int)(degrees + 0.5f);
  return whole < 360 ? whole : 0;
}

// The gradient at each sample, weighted, by Haar wavelets of side `wavelet`; degrees gets its
// direction. Samples that leave the image weigh nothing. Returns how many of this item's do not.
INLINE int sample_gradients(global const int* restrict integral, int width, int height,
                            FoundKeypoint keypoint, float interval, int wavelet,
                            global const float* restrict samples, local float* restrict gradient_x,
                            local float* restrict gradient_y, local int* restrict degrees) {
  const int pitch = width + 1;
  const int half_side = wavelet / 2;
  const float middle = (wavelet - 1) * 0.5f;
  const float scale = 1.0f / (half_side * wavelet);
  int inside_count = 0;
  for (int i = get_local_id(0); i < SAMPLES; i += LOCAL_SIZE) {
    const int x = (int)rint(keypoint.x + samples[i] * interval - middle);
    const int y = (int)rint(keypoint.y + samples[SAMPLES + i] * interval - middle);
    const bool inside = x >= 0 && y >= 0 && x <= width - wavelet && y <= height - wavelet;
    const int at = inside ? y * pitch + x : 0;
    global const int* top = integral + at;
    global const int* centre = top + half_side * pitch;
    global const int* bottom = top + wavelet * pitch;
    const int whole = bottom[wavelet] - bottom[0] - top[wavelet] + top[0];
    const int left = bottom[half_side] - bottom[0] - top[half_side] + top[0];
    const int upper = centre[wavelet] - centre[0] - top[wavelet] + top[0];
    const float weight = inside ? samples[2 * SAMPLES + i] * scale : 0.0f;
    gradient_x[i] = (whole - 2 * left) * weight;
    gradient_y[i] = (2 * upper - whole) * weight;
    degrees[i] = whole_degrees(gradient_x[i], gradient_y[i]);
    inside_count += inside;
  }
  return inside_count;
}

// Sums of the gradients within less than 30 degrees of each of the WINDOWS directions. A window
// covers whole groups of directions: those that are a multiple of STEP degrees, and those between
// two such. So each gradient is added to its group once, by the item that owns the group, in the
// order of the samples: no device adds up in another order.
INLINE void sum_windows(local const float* restrict gradient, local const int* restrict degrees,
                        local float* restrict on, local float* restrict between,
                        local float* restrict sums) {
  for (int i = get_local_id(0); i < WINDOWS + 2 * REACH; i += LOCAL_SIZE) on[i] = between[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < SAMPLES; ++i) {
    const int group = degrees[i] / STEP;
    if (group % LOCAL_SIZE != get_local_id(0)) continue;
    local float* groups = group * STEP == degrees[i] ? on : between;
    groups[REACH + group] += gradient[i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id(0); i < REACH; i += LOCAL_SIZE) {
    on[i] = on[WINDOWS + i];
    between[i] = between[WINDOWS + i];
    on[WINDOWS + REACH + i] = on[REACH + i];
    between[WINDOWS + REACH + i] = between[REACH + i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int window = get_local_id(0); window < WINDOWS; window += LOCAL_SIZE) {
    float sum = between[window];
    for (int i = 1; i < 2 * REACH; ++i) sum += on[window + i] + between[window + i];
    sums[window] = sum;
  }
}

// Direction of the longest sum, the first of equals, in [0, 360).
INLINE float longest_direction(local const float* sums_x, local const float* sums_y) {
  float longest = 0, x = 0, y = 0;
  for (int window = 0; window < WINDOWS; ++window) {
    const float length = sums_x[window] * sums_x[window] + sums_y[window] * sums_y[window];
    if (length > longest) {
      longest = length;
      x = sums_x[window];
      y = sums_y[window];
    }
  }
  const float degrees = atan2(-y, x) * 57.29578f;
  const float turned = degrees < 0 ? degrees + 360.0f : degrees;
  return turned < 360.0f ? turned : 0.0f;
}

// Groups share the keypoints found, however many there are: no host need wait for the count.
kernel void orientation(global const int* restrict integral, int width, int height,
                        global const float* restrict samples, global const int* restrict found,
                        int capacity, global FoundKeypoint* restrict keypoints) {
  local float gradient_x[SAMPLES], gradient_y[SAMPLES], sums_x[WINDOWS], sums_y[WINDOWS];
  local float on[WINDOWS + 2 * REACH], between[WINDOWS + 2 * REACH];
  local int degrees[SAMPLES];
  local int inside;
  const int count = min(*found, capacity);
  for (int k = get_group_id(0); k < count; k += get_num_groups(0)) {
    const FoundKeypoint keypoint = keypoints[k];
    const float interval = sampling_interval(keypoint.size);
    const int wavelet = 2 * (int)rint(2 * interval);
    const bool fits = wavelet <= min(width, height);
    if (get_local_id(0) == 0) inside = UPRIGHT;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (fits && !UPRIGHT) {
      const int mine = sample_gradients(integral, width, height, keypoint, interval, wavelet,
                                        samples, gradient_x, gradient_y, degrees);
      if (mine > 0) inside = 1;
      barrier(CLK_LOCAL_MEM_FENCE);
      sum_windows(gradient_x, degrees, on, between, sums_x);
      barrier(CLK_LOCAL_MEM_FENCE);
      sum_windows(gradient_y, degrees, on, between, sums_y);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
      keypoints[k].kept = fits && inside;
      keypoints[k].angle_degrees = UPRIGHT ? UPRIGHT_ANGLE : longest_direction(sums_x, sums_y);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
