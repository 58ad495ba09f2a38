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

// Appends a keypoint unless the fit leaves its neighbourhood, finds no slope at all or fails.
INLINE void fit_and_append(global const int* integral, int pitch, Layer layer, int row, int column,
                           float value, float3 offset, global int* found, int capacity,
                           global FoundKeypoint* keypoints) {
  if (!(fabs(offset.x) <= 1 && fabs(offset.y) <= 1 && fabs(offset.z) <= 1)) return;
  if (offset.x == 0 && offset.y == 0 && offset.z == 0) return;
  const int index = atomic_inc(found);
  if (index >= capacity) return;
  const int left = layer.step * (column - layer.margin);
  const int top = layer.step * (row - layer.margin);
  float trace;
  determinant_at(integral + (size_t)top * pitch + left, pitch, layer.side, layer.line_weight,
                 layer.cross_weight, &trace);
  const float middle = (layer.side - 1) * 0.5f;
  global FoundKeypoint* keypoint = keypoints + index;
  keypoint->x = left + middle + offset.x * layer.step;
  keypoint->y = top + middle + offset.y * layer.step;
  keypoint->size = rint(layer.side + offset.z * (SIDE_STEP << layer.octave));
  keypoint->response = value;
  keypoint->octave = layer.octave;
  keypoint->laplacian_sign = (trace > 0) - (trace < 0);
}

// One group per searched row of every middle layer. found counts the keypoints, also those beyond
// the capacity, which are not written.
kernel void maxima(global const int* restrict integral, int pitch,
                   global const Layer* restrict layers, int layer_count,
                   global const float* restrict maps, float threshold, int capacity,
                   global int* restrict found, global FoundKeypoint* restrict keypoints) {
  const int group = get_group_id(0);
  int index = 0;
  while (index + 1 < layer_count && group >= layers[index + 1].first_search_row) ++index;
  const Layer layer = layers[index];
  const int row = layer.border + group - layer.first_search_row;
  const int columns = layer.columns;
  global const float* here = maps + layer.map + row * columns;
  global const float* below = maps + layers[index - 1].map + row * columns;
  global const float* above = maps + layers[index + 1].map + row * columns;
  const int end = columns - layer.border;
  for (int x = layer.border + get_local_id(0); x < end; x += LOCAL_SIZE) {
#if LOCAL_SIZE == 1
    while (x + 16 <= end && !may_hold_peak(here + x, columns, threshold)) x += 16;
    if (x >= end) break;
#endif
    const float value = here[x];
    if (!(value > threshold) || !is_peak(value, below + x, here + x, above + x, columns)) continue;
    const float3 offset = peak_offset(below + x, here + x, above + x, columns);
    fit_and_append(integral, pitch, layer, row, x, value, offset, found, capacity, keypoints);
  }
}
