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

Run run_of(const Job* job, const Cut* cut, uint item) {
  const int runs = (cut->hop_x + RUN - 1) / RUN;
  const int begin = (int)(item % runs) * RUN;
  const int row = (int)(item / runs) % cut->hop_y;
  const int local_block = (int)(item / runs) / cut->hop_y;
  const int block = cut->first_block + local_block;
  Run run;
  run.x = block % cut->blocks_x * cut->hop_x + begin;
  run.y = block / cut->blocks_x * cut->hop_y + row;
  run.end = min(run.x - begin + min(begin + RUN, cut->hop_x), job->map_width);
  if (run.y >= job->map_height) run.end = 0;
  run.value = ((ulong)local_block * cut->side + row) * cut->side + begin;
  return run;
}

// One block, an item: a run of positions of a row of a block, for the real and the imaginary part.
kernel void store_products(global const Job* jobs, uint first_job, uint job_count, Cut cut,
                           uint item_count, global const double* values, double scale,
                           int accumulate, global long* products) {
  const uint item = (uint)get_global_id(0);
  if (item >= item_count) return;
  const Job job = jobs[first_job];
  const Run run = run_of(&job, &cut, item);
  const ulong row = (ulong)run.y * job.pitch;
  for (int x = run.x; x < run.end; x += WIDTH) {
    const ulong value = 2 * (run.value + (x - run.x));
    const Doubles low = LOAD(0, values + value);
    const Doubles high = LOAD(1, values + value);
    for (uint part = 0; part < job_count; ++part) {
      const Doubles sums =
          part == 0 ? (Doubles)(low.even, high.even) : (Doubles)(low.odd, high.odd);
      global long* place = products + jobs[first_job + part].map + row + x;
      const Longs before = accumulate ? LOAD(0, place) : (Longs)0;
      STORE(before + nearest_integers(sums, scale), 0, place);
    }
  }
}

// The same, normalised at once.
kernel void store_correlations(global const Job* jobs, uint first_job, uint job_count, Cut cut,
                               uint item_count, global const double* values, double scale,
                               global const int* window_sums, global const Real* inverses,
                               global float* map) {
  const uint item = (uint)get_global_id(0);
  if (item >= item_count) return;
  const Job one = jobs[first_job];
  const Job other = jobs[first_job + job_count - 1];
  const Run run = run_of(&one, &cut, item);
  const ulong row = (ulong)run.y * one.pitch;
  const Real inverse_one = inverse_of(one.pattern_spread);
  const Real inverse_other = inverse_of(other.pattern_spread);
  for (int x = run.x; x < run.end; x += WIDTH) {
    const ulong value = 2 * (run.value + (x - run.x));
    const Doubles low = LOAD(0, values + value);
    const Doubles high = LOAD(1, values + value);
    const Longs real = nearest_integers((Doubles)(low.even, high.even), scale);
    const Longs imaginary = nearest_integers((Doubles)(low.odd, high.odd), scale);
    STORE(correlations(real, LOAD(0, window_sums + one.statistics + row + x),
                       LOAD(0, inverses + one.statistics + row + x), &one, inverse_one),
          0, map + one.map + row + x);
    if (job_count == 1) continue;
    STORE(correlations(imaginary, LOAD(0, window_sums + other.statistics + row + x),
                       LOAD(0, inverses + other.statistics + row + x), &other, inverse_other),
          0, map + other.map + row + x);
  }
}
