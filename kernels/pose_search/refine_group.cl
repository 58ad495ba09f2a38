// Refinement on a GPU: 25 of 32 items have a position each, and SLICES such rows of items share the
// taps.
// After common.cl and scores.cl, with WIDTH 1 and ROWS 1.
// Build: -D SLICES: 8.

// Moves a try to the best of the 5 x 5 positions around it; a work-group per try.
kernel __attribute__((reqd_work_group_size(32, SLICES, 1))) void refine(
    global const float* level, Level place, global const Template* templates,
    global const int* offsets, global const float* values, Search search, global Peak* tries) {
  local float3 parts[SLICES][32];
  local float scores[32];
  const int lane = (int)get_local_id(0);
  const int slice = (int)get_local_id(1);
  const int index = (int)get_group_id(0);
  const Peak here = tries[index];
  const Template rim = templates[here.template_index];
  const ulong first = (ulong)here.template_index * search.points;
  const int x = here.x - 2 + min(lane, 24) % 5;
  const int y = here.y - 2 + min(lane, 24) / 5;
  global const float* at = level + place.origin + y * place.pitch + x;
  const float base = *at;
  float3 sums = 0;
  for (int i = slice; i < search.points; i += SLICES) {
    const float pixel = at[offsets[first + i]] - base;
    sums += (float3)(pixel, pixel * pixel, pixel * values[first + i]);
  }
  parts[slice][lane] = sums;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (slice == 0) {
    for (int i = 1; i < SLICES; ++i) sums += parts[i][lane];
    const float rho = score(sums.x, sums.y, sums.z, search.points, search.either_polarity);
    scores[lane] = fits(rim, x, y, place.width, place.height) ? rho : OUTSIDE;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (slice != 0 || lane != 0) return;
  int top = 0;
  for (int i = 1; i < 25; ++i) {
    if (scores[i] > scores[top]) top = i;
  }
  tries[index] =
      (Peak){here.template_index, here.x - 2 + top % 5, here.y - 2 + top / 5, scores[top]};
}
