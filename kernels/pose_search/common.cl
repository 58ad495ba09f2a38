// Before templates.cl, scores.cl and fit.cl: what the host fills and what passes between kernels.
// Build: -D ITEMS: work-items that reduce together, 1 on a CPU, 64 on a GPU; not for scores.cl.

// A level of the pyramid: pixel (x, y) is element origin + y * pitch + x. LevelPlace on the host.
typedef struct {
  int origin, pitch, width, height;
} Level;

// How far the taps of a template reach from its position, px.
typedef struct {
  int left, top, right, bottom;
} Template;

#ifdef ITEMS
// Returns the sum of `value` over the items of a work-group.
float group_sum(float value, local float* scratch) {
  const int item = (int)get_local_id(0);
  scratch[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_count = ITEMS / 2; half_count > 0; half_count /= 2) {
    if (item < half_count) scratch[item] += scratch[item + half_count];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const float sum = scratch[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum;
}
#endif
