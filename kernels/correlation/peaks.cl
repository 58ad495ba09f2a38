// The best position of a row or of a job; `correlation` is NAN where there is none.
typedef struct {
  float correlation;
  int x;
} RowBest;

typedef struct {
  float x;
  float y;
  float correlation;
} Peak;

// One block: a row of a map, which writes its best at the block's own index.
kernel void best_of_rows(global const Job* jobs, global const uint* first, uint job_count,
                         global const float* map, global RowBest* best) {
  const uint block = (uint)get_global_id(0);
  if (block >= first[job_count]) return;
  const uint index = find_job(first, job_count, block);
  const Job job = jobs[index];
  global const float* row = map + job.map + (ulong)(block - first[index]) * job.pitch;
  RowBest found = {NAN, 0};
  for (int x = 0; x < job.map_width; ++x) {
    if (row[x] > found.correlation || (isnan(found.correlation) && !isnan(row[x]))) {
      found.correlation = row[x];
      found.x = x;
    }
  }
  best[block] = found;
}

// The top of the parabola through the values at -1, 0 and 1, of which the middle is the highest; 0
// when a value is undefined or all are equal.
float parabola_top(float before, float middle, float after) {
  const float bend = before - 2 * middle + after;
  return bend < 0 ? clamp((before - after) / (2 * bend), -0.5f, 0.5f) : 0.0f;
}

// The value at (x, y), NAN outside.
float value_at(global const float* map, const Job* job, int x, int y) {
  const bool inside = x >= 0 && y >= 0 && x < job->map_width && y < job->map_height;
  return inside ? map[job->map + (ulong)y * job->pitch + x] : NAN;
}

// The top of the quadric through the 3x3 values around (x, y), with central differences; each axis
// by itself where a corner is undefined or the quadric has no top.
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

// One block: a job. `first` counts the rows of best_of_rows.
kernel void refine(global const Job* jobs, global const uint* first, uint job_count,
                   global const float* map, global const RowBest* best, global Peak* peaks) {
  const uint index = (uint)get_global_id(0);
  if (index >= job_count) return;
  const Job job = jobs[index];
  Peak peak = {0, 0, NAN};
  int x = 0;
  int y = 0;
  for (uint row = first[index]; row < first[index + 1]; ++row) {
    const RowBest candidate = best[row];
    if (candidate.correlation > peak.correlation ||
        (isnan(peak.correlation) && !isnan(candidate.correlation))) {
      peak.correlation = candidate.correlation;
      x = candidate.x;
      y = (int)(row - first[index]);
    }
  }
  if (!isnan(peak.correlation)) {
    const float2 top = quadric_top(map, &job, x, y);
    peak.x = x + top.x;
    peak.y = y + top.y;
  }
  peaks[index] = peak;
}
