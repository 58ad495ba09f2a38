// Sum of window times pattern at every position, as first published: a work-group per position, an
// item per pixel of the pattern, or per GROUP-th where there are more. Source: Song and Zhou, "Fast
// image matching based on GPU parallel computing", 2011.
// After job.cl.
// Build: -D GROUP: items of a group, a power of two up to 256.

// Computes the products of a position; a work-group each.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void window_products(
    global const Job* jobs, uint first_job, uint job_count, global const uchar* images,
    global const char* patterns, global long* products) {
  local long sums[GROUP];
  const Tile tile = tile_of(jobs + first_job, job_count, 1, 1);
  const Job job = tile.job;
  const int item = (int)get_local_id(0);
  const int pixels = job.pattern_width * job.pattern_height;

  long sum = 0;
  for (int i = item; i < pixels; i += GROUP) {
    const int x = i % job.pattern_width;
    const int y = i / job.pattern_width;
    const ulong place = (ulong)(tile.top + y) * job.image_pitch + tile.left + x;
    const int pixel = images[job.image + place] - 128;
    sum += pixel * patterns[job.pattern + (ulong)y * job.pattern_pitch + x];
  }
  sums[item] = sum;
  for (int half_size = GROUP / 2; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < half_size) sums[item] += sums[item + half_size];
  }
  if (item == 0) products[job.map + (ulong)tile.top * job.pitch + tile.left] = sums[0];
}
