// Vectors of positions, and the step from sums to correlations.
// After job.cl.
// Build: -D WIDTH: positions of a vector, 2 to 16; DOUBLE_PRECISION: normalise in doubles.
#define JOIN_NOW(a, b) a##b
#define JOIN(a, b) JOIN_NOW(a, b)
#define VECTOR(type) JOIN(type, WIDTH)
#define LOAD JOIN(vload, WIDTH)
#define STORE JOIN(vstore, WIDTH)
#define CONVERT(type) JOIN(convert_, VECTOR(type))

#ifdef DOUBLE_PRECISION
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

// Returns 1 / sqrt(spread), NaN for a spread of 0.
Real inverse_of(long spread) {
  return spread == 0 ? (Real)NAN : 1 / sqrt((Real)spread);
}

// Returns the correlations of WIDTH positions. n Sxt - Sx St is exact: the result is below 2^62 for
// n up to 2^24, and overflows of the terms cancel. The last term carries an undefined scale through
// the clamp.
Floats correlations(Longs products, Ints sums, Reals inverses, const Job* job,
                    Real pattern_inverse) {
  const Longs covariance = job->pixels * products - CONVERT(long)(sums) * job->pattern_sum;
  const Reals scale = inverses * pattern_inverse;
  const Reals rho = clamp(CONVERT_REALS(covariance) * scale, (Real)-1, (Real)1) + 0 * scale;
  return CONVERT(float)(rho);
}
