// The dominant direction of the gradient around each keypoint.

// Angle of (x, y) in whole degrees, 0 to 360. The polynomial, Abramowitz and Stegun 4.4.49, is
// within 0.0006 degrees and, unlike atan2, becomes vector code everywhere.
inline int whole_degrees(float x, float y) {
  const float ax = fabs(x), ay = fabs(y);
  const float t = fmin(ax, ay) / fmax(fmax(ax, ay), FLT_MIN);
  const float u = t * t;
  float radians = ((((0.0208351f * u - 0.0851330f) * u + 0.1801410f) * u - 0.3302995f) * u +
                   0.9998660f) * t;
  float degrees = radians * 57.29578f;
  degrees = ay > ax ? 90.0f - degrees : degrees;
  degrees = x < 0 ? 180.0f - degrees : degrees;
  degrees = y < 0 ? 360.0f - degrees : degrees;
  return (int)(degrees + 0.5f);
}

// The gradient at each sample, weighted, by Haar wavelets of side `wavelet`; degrees gets its
// direction. Samples that leave the image weigh nothing. Returns how many of this item's do not.
inline int sample_gradients(global const int* restrict integral, int width, int height,
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

// Sums of the gradients within less than HALF_WINDOW degrees of each of the WINDOWS directions.
inline void sum_windows(local const float* restrict gradient_x,
                        local const float* restrict gradient_y, local const int* restrict degrees,
                        local float* restrict sums_x, local float* restrict sums_y) {
  for (int window = get_local_id(0); window < WINDOWS; window += LOCAL_SIZE) {
    sums_x[window] = 0;
    sums_y[window] = 0;
  }
  for (int i = 0; i < SAMPLES; ++i) {
    for (int window = get_local_id(0); window < WINDOWS; window += LOCAL_SIZE) {
      const int apart = abs(degrees[i] - window * (360 / WINDOWS));
      const bool within = apart < HALF_WINDOW || apart > 360 - HALF_WINDOW;
      sums_x[window] += within ? gradient_x[i] : 0.0f;
      sums_y[window] += within ? gradient_y[i] : 0.0f;
    }
  }
}

// Direction of the longest sum, the first of equals, in [0, 360).
inline float longest_direction(local const float* sums_x, local const float* sums_y) {
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
      sum_windows(gradient_x, gradient_y, degrees, sums_x, sums_y);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
      keypoints[k].kept = fits && inside;
      keypoints[k].angle_degrees = UPRIGHT ? UPRIGHT_ANGLE : longest_direction(sums_x, sums_y);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
