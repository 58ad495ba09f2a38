// From sums of products to correlations. Vectors of WIDTH positions.
#define JOIN_NOW(a, b) a##b
#define JOIN(a, b) JOIN_NOW(a, b)
#define VECTOR(type) JOIN(type, WIDTH)
#define LOAD JOIN(vload, WIDTH)
#define STORE JOIN(vstore, WIDTH)
#define CONVERT(type) JOIN(convert_, VECTOR(type))

#if defined(cl_khr_fp64) && defined(DOUBLE_PRECISION)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double Real;
typedef VECTOR(double) Reals;
#define CONVERT_REALS CONVERT(double)
#else
typedef float Real;
typedef VECTOR(float) Reals;
#define CONVERT_REALS CONVERT(float)
#endif

typedef VECTOR(int) Ints;
typedef VECTOR(long) Longs;
typedef VECTOR(float) Floats;

// Sums and sums of squares of the pattern_width pixels from each position of each image row on.
// One block: SEGMENT positions of a row.
kernel void row_sums(global const Job* jobs, global const uint* first, uint job_count,
                     global const uchar* images, global int* sums, global int* squares) {
  const uint block = (uint)get_global_id(0);
  if (block >= first[job_count]) return;
  const uint index = find_job(first, job_count, block);
  const Job job = jobs[index];
  const uint segments = (job.map_width + SEGMENT - 1) / SEGMENT;
  const uint y = (block - first[index]) / segments;
  const int begin = (int)((block - first[index]) % segments) * SEGMENT;
  const int end = min(begin + SEGMENT, job.map_width);
  global const uchar* row = images + job.image + (ulong)y * job.image_width;
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

// n Sxt - Sx St and n Sxx - Sx^2 are exact: below 2^62 for n up to 2^24 and pixels less 128. The
// latter is zero for a flat window alone.
Floats correlations(Longs products, Longs sum, Longs square, long pixels, const Job* job) {
  const Longs covariance = pixels * products - sum * job->pattern_sum;
  const Longs spread = pixels * square - sum * sum;
  const Reals scale = sqrt(CONVERT_REALS(spread)) * sqrt((Real)job->pattern_spread);
  const Reals rho = clamp(CONVERT_REALS(covariance) / scale, (Real)-1, (Real)1);
  const Longs flat = (spread == (Longs)0) | (Longs)(job->pattern_spread == 0 ? -1 : 0);
  return select(CONVERT(float)(rho), (Floats)NAN, CONVERT(int)(flat));
}

// One block: COLUMN_ROWS rows of WIDTH positions, the column sums carried from row to row.
kernel void normalise(global const Job* jobs, global const uint* first, uint job_count,
                      global const int* sums, global const int* squares,
                      global const long* products, global float* map) {
  const uint block = (uint)get_global_id(0);
  if (block >= first[job_count]) return;
  const uint index = find_job(first, job_count, block);
  const Job job = jobs[index];
  const uint columns = (job.map_width + WIDTH - 1) / WIDTH;
  const uint x = (block - first[index]) % columns * WIDTH;
  const int begin = (int)((block - first[index]) / columns) * COLUMN_ROWS;
  const int end = min(begin + COLUMN_ROWS, job.map_height);
  const long pixels = (long)job.pattern_width * job.pattern_height;
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
    const ulong out = job.map + leaving + x;
    sum += CONVERT(long)(LOAD(0, sums + entering));
    square += CONVERT(long)(LOAD(0, squares + entering));
    STORE(correlations(LOAD(0, products + out), sum, square, pixels, &job), 0, map + out);
    sum -= CONVERT(long)(LOAD(0, sums + leaving));
    square -= CONVERT(long)(LOAD(0, squares + leaving));
  }
}
