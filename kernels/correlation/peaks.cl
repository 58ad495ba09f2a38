// The best position of each map, between pixels.
// After job.cl.
// Build: -D GROUP: items of a group, 1 on a CPU, 64 on a GPU.

// The best of a row, or of all rows of a job, with y in place of x; NAN where all are undefined.
typedef struct {
  float correlation;
  int x;
} RowBest;

typedef struct {
  float x;
  float y;
  float correlation;
} Peak;

RowBest better(RowBest a, RowBest b) {
  if (isnan(b.correlation) || a.correlation > b.correlation) return a;
  if (isnan(a.correlation) || b.correlation > a.correlation) return b;
  return a.x < b.x ? a : b;
}

// Returns the best of all items of a work-group; ties go to the lowest x.
RowBest best_of_group(local RowBest* scratch, RowBest mine) {
#if GROUP > 1
  const int item = (int)get_local_id(0);
  scratch[item] = mine;
  for (int half_size = GROUP / 2; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < half_size) scratch[item] = better(scratch[item], scratch[item + half_size]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return scratch[0];
#else
  return mine;
#endif
}

// Finds the best of a row of a map and writes it at the block's index; a work-group per row.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void best_of_rows(
    global const Job* jobs, uint first_job, uint job_count, global const float* map,
    global RowBest* best) {
  local RowBest scratch[GROUP];
  jobs += first_job;
  const uint block = get_group_id(0);
  const uint index = find_job(jobs, job_count, ROWS_OF, block);
  const Job job = jobs[index];
  global const float* row = map + job.map + (ulong)(block - job.first[ROWS_OF]) * job.pitch;
  RowBest found = {NAN, 0};
  for (int x = (int)get_local_id(0); x < job.map_width; x += GROUP) {
    found = better(found, (RowBest){row[x], x});
  }
  found = best_of_group(scratch, found);
  if (get_local_id(0) == 0) best[block] = found;
}

// Returns the top of the parabola through the values at -1, 0 and 1, the middle one the highest; 0
// when a value is undefined or all are equal.
float parabola_top(float before, float middle, float after) {
  const float bend = before - 2 * middle + after;
  return bend < 0 ? clamp((before - after) / (2 * bend), -0.5f, 0.5f) : 0.0f;
}

// Returns the value at (x, y), NAN outside.
float value_at(global const float* map, const Job* job, int x, int y) {
  const bool inside = x >= 0 && y >= 0 && x < job->map_width && y < job->map_height;
  return inside ? map[job->map + (ulong)y * job->pitch + x] : NAN;
}

// Returns the top of the quadric through the 3x3 values around (x, y), with central differences;
// each axis by itself where a corner is undefined or the quadric has no top.
float2 quadric_top(global const float* map, const Job* job, int x, int y) {
  const float middle = value_at(map, job, x, y);
  const float left = value_at(map, job, x - 1, y);
  const float right = value_at(map, job, x + 1, y);
  const float above = value_at(map, job, x, y - 1);
  const float below = value_at(map, job, x, y + 1);
  const float xx = left - 2 * middle + right;
  const float yy = above - 2 * middle + below;
  const float xy = 0.25f * (value_at(map, job, x + 1, y + 1) - value_at(map, job, x - 1, y + 1) -
                            value_at(map, job, x + 1, y - 1) + value_at(map, job, x - 1, y - 1));
  const float determinant = xx * yy - xy * xy;
  if (!(xx < 0 && determinant > 0)) {
    return (float2)(parabola_top(left, middle, right), parabola_top(above, middle, below));
  }
  const float dx = 0.5f * (right - left);
  const float dy = 0.5f * (below - above);
  const float2 top = (float2)(xy * dy - yy * dx, xy * dx - xx * dy) / determinant;
  return clamp(top, -0.5f, 0.5f);
}

// Finds the best of a job's rows, moved to the top of the quadric around it; a work-group per job.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void refine(
    global const Job* jobs, uint first_job, global const float* map, global const RowBest* best,
    global Peak* peaks) {
  local RowBest scratch[GROUP];
  const uint index = get_group_id(0);
  const Job job = jobs[first_job + index];
  best += job.first[ROWS_OF];
  RowBest found = {NAN, 0};
  for (int y = (int)get_local_id(0); y < job.map_height; y += GROUP) {
    found = better(found, (RowBest){best[y].correlation, y});
  }
  const int y = best_of_group(scratch, found).x;
  if (get_local_id(0) != 0) return;
  const int x = best[y].x;
  Peak peak = {0, 0, best[y].correlation};
  if (!isnan(peak.correlation)) {
    const float2 top = quadric_top(map, &job, x, y);
    peak.x = x + top.x;
    peak.y = y + top.y;
  }
  peaks[index] = peak;
}
