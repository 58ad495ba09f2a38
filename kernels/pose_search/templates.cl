// Templates: an object at each pose, as taps, each an offset from the position and a value. A tap
// lies on the whole pixel nearest to a point of the object; its value is that of the object there,
// so that a template is exact wherever its taps fall.
// After common.cl.
// Build: as common.cl, and -D FLAT_VARIANCE: kPoseFlatVariance.

// TapSizes on the host.
typedef struct {
  int points, poses;   // their numbers
  int width, height;   // of the object, px
  float2 centre;       // of the object, px
  float2 centre_part;  // fraction of a pixel in the centre's position
} Sizes;

// Interpolates; outside, the outermost pixels are repeated.
float sample(global const float* object, int width, int height, float x, float y) {
  x = clamp(x, 0.0f, (float)(width - 1));
  y = clamp(y, 0.0f, (float)(height - 1));
  const int left = (int)x;
  const int top = (int)y;
  const int right = min(left + 1, width - 1);
  const int row = top * width;
  const int next_row = min(top + 1, height - 1) * width;
  return mix(mix(object[row + left], object[row + right], x - left),
             mix(object[next_row + left], object[next_row + right], x - left), y - top);
}

// Makes one tap of one template. Item (point, pose). finish_taps turns the offsets, (y << 16) + x
// here, into elements of a level.
//   points: from the object's centre   poses: scale * (cosine, sine) of the turn
//   offsets, values [poses][points]
kernel void make_taps(global const float2* points, global const float* object,
                      global const float2* poses, Sizes sizes, global int* offsets,
                      global float* values) {
  const int i = (int)get_global_id(0);
  const int j = (int)get_global_id(1);
  if (i >= sizes.points || j >= sizes.poses) return;
  const float2 point = points[i];
  const float2 pose = poses[j];
  const float2 at = (float2)(pose.x * point.x - pose.y * point.y,
                             pose.y * point.x + pose.x * point.y) + sizes.centre_part;
  const float2 whole = rint(at);
  const float2 moved = (whole - sizes.centre_part) / dot(pose, pose);
  const float2 back = (float2)(pose.x * moved.x + pose.y * moved.y,
                               pose.x * moved.y - pose.y * moved.x) + sizes.centre;
  const ulong out = (ulong)j * sizes.points + i;
  offsets[out] = ((int)whole.y << 16) + (int)whole.x;
  values[out] = sample(object, sizes.width, sizes.height, back.x, back.y);
}

// Shifts and scales values to mean 0 and norm 1 (all 0 where they are constant), and turns offsets
// into elements of a level. A work-group per template.
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void finish_taps(
    int point_count, int pitch, global int* offsets, global float* values,
    global Template* templates) {
  local float scratch[ITEMS];
  local int rim[4];
  const int item = (int)get_local_id(0);
  const ulong first = (ulong)get_group_id(0) * point_count;
  if (item == 0) {
    for (int i = 0; i < 4; ++i) rim[i] = 0;
  }
  float sum = 0;
  for (int i = item; i < point_count; i += ITEMS) sum += values[first + i];
  const float mean = group_sum(sum, scratch) / point_count;
  float square = 0;
  int left = 0, top = 0, right = 0, bottom = 0;
  for (int i = item; i < point_count; i += ITEMS) {
    const float value = values[first + i] - mean;
    square += value * value;
    const int packed = offsets[first + i];
    const int x = (short)(packed & 0xffff);
    const int y = (packed - x) >> 16;
    left = min(left, x);
    top = min(top, y);
    right = max(right, x);
    bottom = max(bottom, y);
    offsets[first + i] = y * pitch + x;
  }
  square = group_sum(square, scratch);
  const bool is_flat = !(square > FLAT_VARIANCE * point_count);
  const float factor = is_flat ? 0.0f : rsqrt(square);
  for (int i = item; i < point_count; i += ITEMS) {
    values[first + i] = (values[first + i] - mean) * factor;
  }
  atomic_min(rim, left);
  atomic_min(rim + 1, top);
  atomic_max(rim + 2, right);
  atomic_max(rim + 3, bottom);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) {
    templates[get_group_id(0)] = (Template){rim[0], rim[1], rim[2], rim[3]};
  }
}
