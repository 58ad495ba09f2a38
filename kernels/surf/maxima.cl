// Non-maximum suppression over 3 x 3 x 3 samples and the fit of the peak between samples.

INLINE bool is_peak(float value, global const float* below, global const float* here,
                    global const float* above, int columns) {
  bool peak = value > here[-1] && value > here[1] && value > below[0] && value > above[0];
  for (int y = -1; peak && y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) {
      const int at = y * columns + x;
      peak = peak && value > below[at] && value > above[at] && (at == 0 || value > here[at]);
    }
  }
  return peak;
}

#if LOCAL_SIZE == 1
// Whether one of 16 neighbours may be a peak: few may, and a vector of them is tested at once.
INLINE bool may_hold_peak(global const float* here, int columns, float threshold) {
  const float16 values = vload16(0, here);
  return any(values > threshold & values > vload16(0, here - 1) & values > vload16(0, here + 1) &
             values > vload16(0, here - columns) & values > vload16(0, here + columns));
}
#endif

// Solves the symmetric system {{a, b, c}, {b, d, e}, {c, e, f}} * x = right by Cramer's rule.
// The result is not finite when the matrix is singular.
INLINE float3 solve_symmetric(float a, float b, float c, float d, float e, float f, float3 right) {
  const float3 first = (float3)(d * f - e * e, c * e - b * f, b * e - c * d);
  const float3 second = (float3)(first.y, a * f - c * c, b * c - a * e);
  const float3 third = (float3)(first.z, second.z, a * d - b * b);
  const float determinant = a * first.x + b * first.y + c * first.z;
  return (float3)(dot(first, right), dot(second, right), dot(third, right)) / determinant;
}

// Where the quadratic through the neighbours has its peak, in samples and layers from the middle.
INLINE float3 peak_offset(global const float* below, global const float* here,
                          global const float* above, int columns) {
  const float middle = 2 * here[0];
  const float xx = here[-1] - middle + here[1];
  const float yy = here[-columns] - middle + here[columns];
  const float ss = below[0] - middle + above[0];
  const float xy = (here[columns + 1] - here[columns - 1] - here[1 - columns] +
                    here[-columns - 1]) * 0.25f;
  const float xs = (above[1] - above[-1] - below[1] + below[-1]) * 0.25f;
  const float ys = (above[columns] - above[-columns] - below[columns] + below[-columns]) * 0.25f;
  const float3 slope = (float3)(here[1] - here[-1], here[columns] - here[-columns],
                                above[0] - below[0]) * -0.5f;
  return solve_symmetric(xx, xy, xs, yy, ys, ss, slope);
}

// Whether the keypoint's wavelets fit into the image, and one of its samples does: else it has no
// orientation. The middle sample nearly always tells.
INLINE bool has_orientation(Image image, float x, float y, float size,
                            global const float* restrict samples) {
  const float interval = sampling_interval(size);
  const int wavelet = wavelet_side(interval);
  const int last_x = image.width - wavelet, last_y = image.height - wavelet;
  if (last_x < 0 || last_y < 0) return false;
  if (UPRIGHT) return true;
  for (int i = 0; i < SAMPLES; ++i) {
    const int at = (SAMPLES / 2 + i) % SAMPLES;
    const int left = wavelet_start(x, samples[at], interval, wavelet);
    const int top = wavelet_start(y, samples[SAMPLES + at], interval, wavelet);
    if (left >= 0 && top >= 0 && left <= last_x && top <= last_y) return true;
  }
  return false;
}

INLINE bool is_masked_out(Image image, global const uchar* restrict masks, float x, float y) {
  if (image.mask < 0) return false;
  const int column = clamp((int)round(x), 0, image.width - 1);
  const int row = clamp((int)round(y), 0, image.height - 1);
  return masks[image.mask + (size_t)row * image.width + column] == 0;
}

// The keypoint at a sample, moved to where the peak lies. Its angle and image are left to the
// caller.
INLINE FoundKeypoint keypoint_at(global const int* integral, int pitch, Layer layer, int row,
                                 int column, float value, float3 offset) {
  const int left = layer.step * (column - layer.margin);
  const int top = layer.step * (row - layer.margin);
  const float middle = (layer.side - 1) * 0.5f;
  float trace;
  determinant_at(integral + (size_t)top * pitch + left, pitch, layer.side, layer.line_weight,
                 layer.cross_weight, &trace);
  FoundKeypoint keypoint;
  keypoint.x = left + middle + offset.x * layer.step;
  keypoint.y = top + middle + offset.y * layer.step;
  keypoint.size = rint(layer.side + offset.z * (SIDE_STEP << layer.octave));
  keypoint.response = value;
  keypoint.octave = layer.octave;
  keypoint.laplacian_sign = (trace > 0) - (trace < 0);
  return keypoint;
}

// A fit that leaves its neighbourhood, finds no slope at all or fails is no keypoint's.
INLINE bool is_good_fit(float3 offset) {
  return fabs(offset.x) <= 1 && fabs(offset.y) <= 1 && fabs(offset.z) <= 1 &&
         (offset.x != 0 || offset.y != 0 || offset.z != 0);
}
