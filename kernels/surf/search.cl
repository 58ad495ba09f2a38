// The keypoints of every image, in no order, and then the strongest of them in order.

// Group (searched row of any middle layer, image). counts has each image's keypoints, also those
// beyond its capacity, which are not written.
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
  for (int x = layer.border + get_local_id(0); x < end; x += LOCAL_SIZE) {
#if LOCAL_SIZE == 1
    while (x + 16 <= end && !may_hold_peak(here + x, columns, threshold)) x += 16;
    if (x >= end) break;
#endif
    const float value = here[x];
    if (!(value > threshold) || !is_peak(value, below + x, here + x, above + x, columns)) continue;
    const float3 offset = peak_offset(below + x, here + x, above + x, columns);
    if (!is_good_fit(offset)) continue;
    FoundKeypoint keypoint = keypoint_at(integral + image.integral, image.width + 1, layer, row, x,
                                         value, offset);
    if (is_masked_out(image, masks, keypoint.x, keypoint.y)) continue;
    if (!has_orientation(image, keypoint.x, keypoint.y, keypoint.size, samples)) continue;
    keypoint.angle_degrees = UPRIGHT_ANGLE;
    keypoint.image = image_index;
    const int place = atomic_inc(counts + image_index);
    if (place >= image.capacity) continue;
    found[image.places + place] = keypoint;
    responses[image.places + place] = value;
  }
}

// Whether a comes before b of the same response, as select_keypoints in surf_plan.h orders them.
INLINE bool comes_before(FoundKeypoint a, FoundKeypoint b) {
  if (a.size != b.size) return a.size > b.size;
  if (a.octave != b.octave) return a.octave > b.octave;
  return a.y != b.y ? a.y > b.y : a.x < b.x;
}

// How many of the image's keypoints come before keypoint k, whose response they share. Twins, which
// differ in nothing, keep the order they have.
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

// Group (RANKED keypoints, image): puts each keypoint at its rank among those of its image, where
// the image's number of chosen ones leaves room. Counting the stronger ones is quadratic work, but
// so little of it that a sort would cost more up to some 10000 keypoints an image.
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
