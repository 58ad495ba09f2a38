// The statistics of windows, and the step from products to correlations.
// After job.cl and correlations.cl.
// Build: -D SEGMENT: positions of a row of row_sums, 8 on a GPU, 4096 on a CPU; COLUMN_ROWS: rows
// of window_statistics, 16 or 256; RUN: positions of a row of normalise, 2 or 4096.

// Sums pixels and squares of the pattern_width pixels from each position of each image row on; an
// item per SEGMENT positions of a row.
kernel void row_sums(global const Job* jobs, uint first_job, uint job_count, uint block_count,
                     global const uchar* images, global int* sums, global int* squares) {
  const uint block = (uint)get_global_id(0);
  if (block >= block_count) return;
  jobs += first_job;
  const uint index = find_job(jobs, job_count, RUNS, block);
  const Job job = jobs[index];
  const uint local_block = block - job.first[RUNS];
  const uint segments = (job.map_width + SEGMENT - 1) / SEGMENT;
  const uint y = local_block / segments;
  const int begin = (int)(local_block % segments) * SEGMENT;
  const int end = min(begin + SEGMENT, job.map_width);
  global const uchar* row = images + job.image + (ulong)y * job.image_pitch;
  const ulong out = job.sums + (ulong)y * job.pitch;

  int sum = 0;
  int square = 0;
  for (int x = begin; x < begin + job.pattern_width - 1; ++x) {
    const int pixel = row[x] - 128;
    sum += pixel;
    square += pixel * pixel;
  }
  for (int x = begin; x < end; ++x) {
    const int entering = row[x + job.pattern_width - 1] - 128;
    sum += entering;
    square += entering * entering;
    sums[out + x] = sum;
    squares[out + x] = square;
    const int leaving = row[x] - 128;
    sum -= leaving;
    square -= leaving * leaving;
  }
}

// Returns 1 / sqrt(n Sxx - Sx^2). The root's argument is exact: below 2^62 for n up to 2^24, and
// zero only for a flat window.
Reals inverses_of(Longs sum, Longs square, long pixels) {
  const Longs spread = pixels * square - sum * sum;
  const Reals inverse = 1 / sqrt(CONVERT_REALS(spread));
  return inverse + 0 * inverse;  // 1 / 0, which is infinite, becomes NaN
}

// Computes for each window the sum of its pixels minus 128, and 1 / sqrt(n Sxx - Sx^2); an item per
// COLUMN_ROWS rows of WIDTH positions, whose column sums are carried from row to row.
kernel void window_statistics(global const Job* jobs, uint first_job, uint job_count,
                              uint block_count, global const int* sums, global const int* squares,
                              global int* window_sums, global Real* inverses) {
  const uint block = (uint)get_global_id(0);
  if (block >= block_count) return;
  jobs += first_job;
  const uint index = find_job(jobs, job_count, COLUMNS, block);
  const Job job = jobs[index];
  const uint local_block = block - job.first[COLUMNS];
  const uint columns = (job.map_width + WIDTH - 1) / WIDTH;
  const uint x = local_block % columns * WIDTH;
  const int begin = (int)(local_block / columns) * COLUMN_ROWS;
  const int end = min(begin + COLUMN_ROWS, job.map_height);
  sums += job.sums + x;
  squares += job.sums + x;

  Longs sum = 0;
  Longs square = 0;
  for (int y = begin; y < begin + job.pattern_height - 1; ++y) {
    sum += CONVERT(long)(LOAD(0, sums + (ulong)y * job.pitch));
    square += CONVERT(long)(LOAD(0, squares + (ulong)y * job.pitch));
  }
  for (int y = begin; y < end; ++y) {
    const ulong entering = (ulong)(y + job.pattern_height - 1) * job.pitch;
    const ulong leaving = (ulong)y * job.pitch;
    const ulong out = job.statistics + leaving + x;
    sum += CONVERT(long)(LOAD(0, sums + entering));
    square += CONVERT(long)(LOAD(0, squares + entering));
    STORE(CONVERT(int)(sum), 0, window_sums + out);
    STORE(inverses_of(sum, square, job.pixels), 0, inverses + out);
    sum -= CONVERT(long)(LOAD(0, sums + leaving));
    square -= CONVERT(long)(LOAD(0, squares + leaving));
  }
}

// RUN positions of a row of a map.
typedef struct {
  ulong row;  // offset of the row in the job's map and statistics
  int begin;
  int end;
} Run;

Run run_of(const Job* job, uint block) {
  const uint local_block = block - job->first[RUNS];
  const uint runs = (job->map_width + RUN - 1) / RUN;
  Run run;
  run.row = (ulong)(local_block / runs) * job->pitch;
  run.begin = (int)(local_block % runs) * RUN;
  run.end = min(run.begin + RUN, job->map_width);
  return run;
}

// Turns products into correlations; an item per RUN positions of a row of a map.
kernel void normalise(global const Job* jobs, uint first_job, uint job_count, uint block_count,
                      global const long* products, global const int* window_sums,
                      global const Real* inverses, global float* map) {
  const uint block = (uint)get_global_id(0);
  if (block >= block_count) return;
  const Job job = jobs[first_job + find_job(jobs + first_job, job_count, RUNS, block)];
  const Run run = run_of(&job, block);
  const Real pattern_inverse = inverse_of(job.pattern_spread);
  for (int x = run.begin; x < run.end; x += WIDTH) {
    const ulong window = job.statistics + run.row + x;
    const ulong out = job.map + run.row + x;
    STORE(correlations(LOAD(0, products + out), LOAD(0, window_sums + window),
                       LOAD(0, inverses + window), &job, pattern_inverse),
          0, map + out);
  }
}
