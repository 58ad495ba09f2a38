// Sum of window times pattern at every position by Fourier transforms of square blocks of the image
// (overlap-save): the cyclic correlation of a block with a pattern is right at the first hop_x x
// hop_y positions, where no window passes the block's edge. A block is complex double [side][side];
// a pattern pair (t, u) goes through one transform as t - i u, so that the product with its
// conjugate has the sums of t as real and those of u as imaginary parts. A pattern without another
// goes through with two blocks of the image at a time, a + i b.
// After job.cl and correlations.cl.
// Build: -D RUN: positions of an item in a row, 2048 on a CPU, WIDTH on a GPU.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef VECTOR(double) Doubles;

// How a map is cut into blocks, and the piece of the pattern in use. Cut in frequency_products.cpp.
typedef struct {
  int side;
  int first_block;  // in the buffer
  int blocks_x;     // blocks beside one another in a map
  int hop_x;        // positions at which a block is right, a multiple of WIDTH
  int hop_y;
  int piece_x;  // top-left pixel and size of the piece
  int piece_y;
  int piece_width;
  int piece_height;
  int paired;  // whether two blocks of the image share one of the buffer
} Cut;

// Returns the map's block that is the real (part 0) or the imaginary part of a block of the buffer.
int block_of(const Cut* cut, int place, int part) {
  return cut->first_block + (cut->paired ? 2 * place + part : place);
}

// The image's row under a row of a block, and its number of pixels.
typedef struct {
  global const uchar* pixels;
  int width;
} Line;

Line line_of(global const uchar* images, const Job* job, const Cut* cut, int block, int row) {
  const int left = block % cut->blocks_x * cut->hop_x + cut->piece_x;
  const int y = block / cut->blocks_x * cut->hop_y + cut->piece_y + row;
  Line line = {images, 0};
  if (y >= job->image_height || left >= job->image_width) return line;
  line.pixels = images + job->image + (ulong)y * job->image_pitch + left;
  line.width = job->image_width - left;
  return line;
}

// Copies a run of RUN pixels of a row of an image's blocks, zero past the image; an item per run.
kernel void image_blocks(global const Job* jobs, uint job_index, Cut cut, uint item_count,
                         global const uchar* images, global double2* blocks) {
  const uint item = (uint)get_global_id(0);
  if (item >= item_count) return;
  const Job job = jobs[job_index];
  const int runs = (cut.side + RUN - 1) / RUN;
  const int begin = (int)(item % runs) * RUN;
  const int row = (int)(item / runs) % cut.side;
  const int place = (int)(item / runs) / cut.side;
  const Line real = line_of(images, &job, &cut, block_of(&cut, place, 0), row);
  Line imaginary = {images, 0};
  if (cut.paired) imaginary = line_of(images, &job, &cut, block_of(&cut, place, 1), row);
  blocks += (ulong)(item / runs) * cut.side;
  for (int x = begin; x < min(begin + RUN, cut.side); ++x) {
    blocks[x] = (double2)(x < real.width ? real.pixels[x] - 128 : 0,
                          x < imaginary.width ? imaginary.pixels[x] - 128 : 0);
  }
}

// Returns a value of a pattern's piece, zero outside.
int pattern_value(global const char* patterns, const Job* job, const Cut* cut, int x, int y) {
  const bool inside = x < cut->piece_width && y < cut->piece_height;
  const long place = (long)(cut->piece_y + y) * job->pattern_pitch + cut->piece_x + x;
  return inside ? patterns[job->pattern + place] : 0;
}

// Copies a run of RUN pixels of a row of the blocks of the jobs' patterns, in pairs; an item per
// run.
kernel void pattern_blocks(global const Job* jobs, uint first_job, uint job_count, Cut cut,
                           uint item_count, global const char* patterns,
                           global double2* blocks) {
  const uint item = (uint)get_global_id(0);
  if (item >= item_count) return;
  const int runs = (cut.side + RUN - 1) / RUN;
  const int begin = (int)(item % runs) * RUN;
  const int y = (int)(item / runs) % cut.side;
  const uint pair = (item / runs) / cut.side;
  const bool has_one = 2 * pair < job_count;
  const bool has_other = 2 * pair + 1 < job_count;
  const Job one = jobs[first_job + (has_one ? 2 * pair : 0)];
  const Job other = jobs[first_job + (has_other ? 2 * pair + 1 : 0)];
  blocks += (ulong)(item / runs) * cut.side;
  for (int x = begin; x < min(begin + RUN, cut.side); ++x) {
    const int t = has_one ? pattern_value(patterns, &one, &cut, x, y) : 0;
    const int u = has_other ? pattern_value(patterns, &other, &cut, x, y) : 0;
    blocks[x] = (double2)(t, -u);
  }
}

// Multiplies blocks of the image by the conjugate of one block of a pattern pair; an item per WIDTH
// doubles, block_items of them a block.
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

// Rounds the transforms' results, which times scale are integers up to an error far below 1/2.
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

// Returns the sums of WIDTH positions from the real or the imaginary parts.
Longs sums_at(global const double* values, ulong place, int part, double scale) {
  const Doubles low = LOAD(0, values + 2 * place);
  const Doubles high = LOAD(1, values + 2 * place);
  return nearest_integers(
      part == 0 ? (Doubles)(low.even, high.even) : (Doubles)(low.odd, high.odd), scale);
}

// Stores a run of positions of a row of a block, from the real and, of `parts` 2, the imaginary
// part, which is another block of the same job or the same block of the next job; an item per run.
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

// Stores the correlations of a run of positions likewise; an item per run.
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
