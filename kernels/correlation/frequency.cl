// From transformed blocks to sums, after frequency_blocks.cl.

// Blocks of the image times the conjugate of one block of a pattern pair. One block, an item: WIDTH
// doubles, and block_items of them a block.
kernel void multiply(global const Doubles* image, global const Doubles* pattern, uint pair,
                     uint block_items, uint item_count, global Doubles* products) {
  const uint item = (uint)get_global_id(0);
  if (item >= item_count) return;
  const Doubles a = image[item];
  const Doubles b = pattern[(ulong)pair * block_items + item % block_items];
  Doubles product;
  product.even = a.even * b.even + a.odd * b.odd;
  product.odd = a.odd * b.even - a.even * b.odd;
  products[item] = product;
}

// The transforms' results, times scale, are integers up to a rounding error far below 1/2.
Longs nearest_integers(Doubles values, double scale) {
  return JOIN(CONVERT(long), _rte)(values * scale);
}

typedef struct {
  int x;  // of the run's first position, in the map
  int y;
  int end;
  ulong value;  // first in the blocks
} Run;

Run run_of(const Job* job, const Cut* cut, uint item, int part) {
  const int runs = (cut->hop_x + RUN - 1) / RUN;
  const int begin = (int)(item % runs) * RUN;
  const int row = (int)(item / runs) % cut->hop_y;
  const int place = (int)(item / runs) / cut->hop_y;
  const int block = block_of(cut, place, part);
  const int left = block % cut->blocks_x * cut->hop_x;
  Run run;
  run.x = left + begin;
  run.y = block / cut->blocks_x * cut->hop_y + row;
  run.end = run.y < job->map_height
                ? min(left + min(begin + RUN, cut->hop_x), job->map_width)
                : 0;
  run.value = ((ulong)place * cut->side + row) * cut->side + begin;
  return run;
}

// The sums of WIDTH positions from the real or the imaginary parts.
Longs sums_at(global const double* values, ulong place, int part, double scale) {
  const Doubles low = LOAD(0, values + 2 * place);
  const Doubles high = LOAD(1, values + 2 * place);
  return nearest_integers(
      part == 0 ? (Doubles)(low.even, high.even) : (Doubles)(low.odd, high.odd), scale);
}

// One block, an item: a run of positions of a row of a block, for the real and, of `parts` 2, for
// the imaginary part, which is another block of the same job or the same block of the next job.
kernel void store_products(global const Job* jobs, uint first_job, int parts, Cut cut,
                           uint item_count, global const double* values, double scale,
                           int accumulate, global long* products) {
  const uint item = (uint)get_global_id(0);
  if (item >= item_count) return;
  for (int part = 0; part < parts; ++part) {
    const Job job = jobs[first_job + (cut.paired ? 0 : part)];
    const Run run = run_of(&job, &cut, item, part);
    global long* row = products + job.map + (ulong)run.y * job.pitch;
    for (int x = run.x; x < run.end; x += WIDTH) {
      const Longs before = accumulate ? LOAD(0, row + x) : (Longs)0;
      STORE(before + sums_at(values, run.value + (x - run.x), part, scale), 0, row + x);
    }
  }
}

// The same, normalised at once.
kernel void store_correlations(global const Job* jobs, uint first_job, int parts, Cut cut,
                               uint item_count, global const double* values, double scale,
                               global const int* window_sums, global const Real* inverses,
                               global float* map) {
  const uint item = (uint)get_global_id(0);
  if (item >= item_count) return;
  for (int part = 0; part < parts; ++part) {
    const Job job = jobs[first_job + (cut.paired ? 0 : part)];
    const Run run = run_of(&job, &cut, item, part);
    const Real pattern_inverse = inverse_of(job.pattern_spread);
    const ulong row = (ulong)run.y * job.pitch;
    for (int x = run.x; x < run.end; x += WIDTH) {
      const ulong window = job.statistics + row + x;
      STORE(correlations(sums_at(values, run.value + (x - run.x), part, scale),
                         LOAD(0, window_sums + window), LOAD(0, inverses + window), &job,
                         pattern_inverse),
            0, map + job.map + row + x);
    }
  }
}
