// Sums for the least-squares fit of a pose: the scene under the object's pixels, linearised in a
// step of the pose, against the object times a gain plus an offset.
#define TERMS 28

float bilinear(global const float* level, int pitch, float2 at) {
  const float2 base = floor(at);
  const float2 part = at - base;
  global const float* near = level + (int)base.y * pitch + (int)base.x;
  return mix(mix(near[0], near[1], part.x), mix(near[pitch], near[pitch + 1], part.x), part.y);
}

// One work-group per chunk of the object's rows and pose: (x, y) of the object's centre in the level,
// scale * (cosine, sine). `greys` is subtracted from the scene. sums [poses][chunks][TERMS]: the
// upper triangle, by rows, of the products of (d/dx, d/dy, d/dturn, d/dlog scale, object, 1,
// scene).
// Pixels of the object that are masked or fall outside the scene do not count. Up to 2 px of the
// level's margin are read.
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void fit_sums(
    global const float* level, int origin, int pitch, int width, int height,
    global const float* object, global const uchar* mask, int object_width, int object_height,
    float2 centre, global const float4* poses, global const float* greys, int chunk_rows,
    global float* sums) {
  local float scratch[ITEMS];
  const int item = (int)get_local_id(0);
  const float4 pose = poses[get_group_id(1)];
  const float grey = greys[get_group_id(1)];
  level += origin;
  float parts[TERMS];
  for (int i = 0; i < TERMS; ++i) parts[i] = 0;
  const int begin = (int)get_group_id(0) * chunk_rows * object_width;
  const int end = min(begin + chunk_rows * object_width, object_width * object_height);
  for (int i = begin + item; i < end; i += ITEMS) {
    if (mask[i] == 0) continue;
    const float2 point = (float2)(i % object_width, i / object_width) - centre;
    const float2 arm = (float2)(pose.z * point.x - pose.w * point.y,
                                pose.w * point.x + pose.z * point.y);
    const float2 at = pose.xy + arm;
    if (!(at.x > -RIM && at.y > -RIM && at.x < width - 1 + RIM && at.y < height - 1 + RIM)) {
      continue;
    }
    const float2 step_x = (float2)(0.5f, 0.0f);
    const float2 slope = (float2)(
        bilinear(level, pitch, at + step_x) - bilinear(level, pitch, at - step_x),
        bilinear(level, pitch, at + step_x.yx) - bilinear(level, pitch, at - step_x.yx));
    const float terms[7] = {slope.x, slope.y, slope.y * arm.x - slope.x * arm.y, dot(slope, arm),
                            object[i], 1.0f, bilinear(level, pitch, at) - grey};
    int out = 0;
#pragma unroll
    for (int row = 0; row < 7; ++row) {
#pragma unroll
      for (int column = row; column < 7; ++column) parts[out++] += terms[row] * terms[column];
    }
  }
  global float* out = sums + ((ulong)get_group_id(1) * get_num_groups(0) + get_group_id(0)) * TERMS;
  for (int term = 0; term < TERMS; ++term) {
    scratch[item] = parts[term];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_count = ITEMS / 2; half_count > 0; half_count /= 2) {
      if (item < half_count) scratch[item] += scratch[item + half_count];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) out[term] = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
