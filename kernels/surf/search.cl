// The keypoints of every image, in no order: non-maximum suppression over 3 x 3 x 3 samples and the
// fit of the peak between samples. Then the strongest of them, in order.
// After hessian.cl; see common.cl.
// Build: -D UPRIGHT: 1 where keypoints have no orientation, else 0; UPRIGHT_ANGLE: their angle,
// degrees; SAMPLES: of an orientation, 113; SIDE_STEP: kSurfSideStep; RANKED: keypoints that a
// group ranks, 64.

#if LOCAL_SIZE == 1
#define AT_ONCE 16  // samples

// Returns a bit for each of 16 samples side by side that is a peak above the threshold. Few samples
// are above their four neighbours, so these are compared first. It also reads beyond the row: a
// border of rows follows the last one that is searched.
INLINE uint find_peaks(global const float* below, global const float* here,
                       global const float* above, int columns, float threshold) {
  const float16 values = vload16(0, here);
  int16 peaks = values > threshold & values > vload16(0, here - 1) &
                values > vload16(0, here + 1) & values > vload16(0, here - columns) &
                values > vload16(0, here + columns);
  if (!any(peaks)) return 0;
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) {
      const int at = y * columns + x;
      peaks &= values > vload16(0, below + at) & values > vload16(0, above + at);
      if (at != 0) peaks &= values > vload16(0, here + at);
    }
  }
  const int16 bits = peaks & (int16)(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192,
                                     16384, 32768);
  const int8 halves = bits.lo | bits.hi;
  const int4 quarters = halves.lo | halves.hi;
  const int2 eighths = quarters.lo | quarters.hi;
  return eighths.x | eighths.y;
}
#else
#define AT_ONCE 1

INLINE uint find_peaks(global const float* below, global const float* here,
                       global const float* above, int columns, float threshold) {
  const float value = here[0];
  bool peak = value > threshold && value > here[-1] && value > here[1] && value > below[0] &&
              value > above[0];
  for (int y = -1; peak && y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) {
      const int at = y * columns + x;
      peak = peak && value > below[at] && value > above[at] && (at == 0 || value > here[at]);
    }
  }
  return peak;
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

// Returns the peak of the quadratic through the neighbours, in samples and layers from the middle.
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

// True if the keypoint's wavelets fit into the image at one of its samples at least; without one it
// has no orientation. The middle sample nearly always decides.
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

// Returns the keypoint of a sample, moved to the peak, without its angle and image.
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

// True if a fit makes a keypoint: it is finite, stays in its neighbourhood and has a slope.
INLINE bool is_good_fit(float3 offset) {
  return fabs(offset.x) <= 1 && fabs(offset.y) <= 1 && fabs(offset.z) <= 1 &&
         (offset.x != 0 || offset.y != 0 || offset.z != 0);
}

// Finds keypoints. Group (searched row of any middle layer, image). `counts` has each image's
// keypoints, also those beyond its capacity, which are not written.
kernel void search(global const Image* restrict images, global const Layer* restrict layers,
                   global const int* restrict integral, global const float* restrict maps,
                   global const uchar* restrict masks, global const float* restrict samples,
                   float threshold, global int* restrict counts,
                   global FoundKeypoint* restrict found, global float* restrict responses) {
  const int image_index = get_group_id(1), group = get_group_id(0);
  const Image image = images[image_index];
  if (group >= image.search_rows) return;
  int index = image.first_layer;
  const int last = index + image.layer_count - 1;
  while (index < last && group >= layers[index + 1].first_search_row) ++index;
  const Layer layer = layers[index];
  const int row = layer.border + group - layer.first_search_row;
  const int columns = layer.columns, end = columns - layer.border;
  global const float* from = maps + image.maps + row * columns;
  global const float* here = from + layer.map;
  global const float* below = from + layers[index - 1].map;
  global const float* above = from + layers[index + 1].map;
  for (int first = layer.border + get_local_id(0) * AT_ONCE; first < end;
       first += LOCAL_SIZE * AT_ONCE) {
    uint peaks = find_peaks(below + first, here + first, above + first, columns, threshold);
    for (; peaks != 0; peaks &= peaks - 1) {
      const int x = first + 31 - (int)clz(peaks & -peaks);
      if (x >= end) break;
      const float3 offset = peak_offset(below + x, here + x, above + x, columns);
      if (!is_good_fit(offset)) continue;
      FoundKeypoint keypoint = keypoint_at(integral + image.integral, image.width + 1, layer, row,
                                           x, here[x], offset);
      if (is_masked_out(image, masks, keypoint.x, keypoint.y)) continue;
      if (!has_orientation(image, keypoint.x, keypoint.y, keypoint.size, samples)) continue;
      keypoint.angle_degrees = UPRIGHT_ANGLE;
      keypoint.image = image_index;
      const int place = atomic_inc(counts + image_index);
      if (place >= image.capacity) continue;
      found[image.places + place] = keypoint;
      responses[image.places + place] = keypoint.response;
    }
  }
}

// True if a comes before b of the same response, in the order that surf.h promises.
INLINE bool comes_before(FoundKeypoint a, FoundKeypoint b) {
  if (a.size != b.size) return a.size > b.size;
  if (a.octave != b.octave) return a.octave > b.octave;
  return a.y != b.y ? a.y > b.y : a.x < b.x;
}

// Returns how many of the image's keypoints with the response of keypoint k come before it. Twins,
// equal in every field, stay in the order in which they were found.
INLINE int count_ties_before(global const FoundKeypoint* restrict found,
                             global const float* restrict responses, int count, int k) {
  const FoundKeypoint keypoint = found[k];
  int before = 0;
  for (int i = 0; i < count; ++i) {
    if (responses[i] != keypoint.response || i == k) continue;
    const bool twins = !comes_before(found[i], keypoint) && !comes_before(keypoint, found[i]);
    before += twins ? i < k : comes_before(found[i], keypoint);
  }
  return before;
}

// Puts each keypoint at its rank in its image, up to the image's number of chosen ones. Counting
// the stronger ones is quadratic work, but cheaper than a sort up to some 10000 keypoints an image.
// Group (RANKED keypoints, image).
kernel void rank(global const Image* restrict images, global const int* restrict counts,
                 global const int* restrict first_chosen,
                 global const FoundKeypoint* restrict found,
                 global const float* restrict responses, global FoundKeypoint* restrict chosen) {
  const int image_index = get_group_id(1);
  const Image image = images[image_index];
  const int count = counts[image_index];
  const int first = first_chosen[image_index];
  const int chosen_count = first_chosen[image_index + 1] - first;
  global const float* strengths = responses + image.places;
  for (int i = get_local_id(0); i < RANKED; i += LOCAL_SIZE) {
    const int k = get_group_id(0) * RANKED + i;
    if (k >= count) return;
    const float mine = strengths[k];
    int stronger = 0, equal = 0;
    for (int other = 0; other < count; ++other) {
      stronger += strengths[other] > mine;
      equal += strengths[other] == mine;
    }
    if (equal > 1) stronger += count_ties_before(found + image.places, strengths, count, k);
    if (stronger < chosen_count) chosen[first + stronger] = found[image.places + k];
  }
}
