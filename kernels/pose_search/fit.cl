// Sums for the least-squares fit of a pose: the scene under the object's pixels, linearised in a
// step of the pose, against the object times a gain plus an offset.
// After common.cl.
// Build: as common.cl, and -D RIM: kPoseRimPx.
#define TERMS 28

// FitSizes on the host.
typedef struct {
  int width, height;  // of the object, px
  float2 centre;      // of the object, px
  int chunk_rows;     // rows of a work-group
  int unused;
} Object;

// FitPose on the host.
typedef struct {
  float2 centre;  // of the object, px of the level
  float2 arm;     // scale * (cosine, sine) of the turn
  float grey;     // subtracted from the scene
  float unused;
} Pose;

float bilinear(global const float* level, int pitch, float2 at) {
  const float2 base = floor(at);
  const float2 part = at - base;
  global const float* near = level + (int)base.y * pitch + (int)base.x;
  return mix(mix(near[0], near[1], part.x), mix(near[pitch], near[pitch + 1], part.x), part.y);
}

// Adds the products of the terms at `at`: (d/dx, d/dy, d/dturn, d/dlog scale, object, 1, scene).
void add_products(global const float* level, int pitch, float2 at, float2 arm, float object,
                  float grey, float* sums) {
  const float2 step_x = (float2)(0.5f, 0.0f);
  const float2 slope = (float2)(
      bilinear(level, pitch, at + step_x) - bilinear(level, pitch, at - step_x),
      bilinear(level, pitch, at + step_x.yx) - bilinear(level, pitch, at - step_x.yx));
  const float terms[7] = {slope.x, slope.y, slope.y * arm.x - slope.x * arm.y, dot(slope, arm),
                          object, 1.0f, bilinear(level, pitch, at) - grey};
  int out = 0;
#pragma unroll
  for (int row = 0; row < 7; ++row) {
#pragma unroll
    for (int column = row; column < 7; ++column) sums[out++] += terms[row] * terms[column];
  }
}

// Sums up one pose over a chunk of the object's rows. Group (chunk, pose). Pixels of the object
// that are masked or fall outside the scene do not count; up to 2 px of the level's margin are
// read.
//   sums [poses][chunks][TERMS]: the upper triangle of the products, by rows
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void fit_sums(
    global const float* level, Level place, global const float* pixels, global const uchar* mask,
    Object object, global const Pose* poses, global float* sums) {
  local float scratch[ITEMS];
  const int item = (int)get_local_id(0);
  const Pose pose = poses[get_group_id(1)];
  level += place.origin;
  float parts[TERMS];
  for (int i = 0; i < TERMS; ++i) parts[i] = 0;
  const int begin = (int)get_group_id(0) * object.chunk_rows * object.width;
  const int end = min(begin + object.chunk_rows * object.width, object.width * object.height);
  for (int i = begin + item; i < end; i += ITEMS) {
    if (mask[i] == 0) continue;
    const float2 point = (float2)(i % object.width, i / object.width) - object.centre;
    const float2 arm = (float2)(pose.arm.x * point.x - pose.arm.y * point.y,
                                pose.arm.y * point.x + pose.arm.x * point.y);
    const float2 at = pose.centre + arm;
    if (!(at.x > -RIM && at.y > -RIM && at.x < place.width - 1 + RIM &&
          at.y < place.height - 1 + RIM)) {
      continue;
    }
    add_products(level, place.pitch, at, arm, pixels[i], pose.grey, parts);
  }
  global float* out = sums + ((ulong)get_group_id(1) * get_num_groups(0) + get_group_id(0)) * TERMS;
  for (int term = 0; term < TERMS; ++term) {
    const float sum = group_sum(parts[term], scratch);
    if (item == 0) out[term] = sum;
  }
}
