// Shared by the SURF kernels. Every kernel runs one work-group per row or keypoint, whose
// LOCAL_SIZE items (1 on a CPU, where each loop is then contiguous and becomes vector code) stride
// over its columns or samples.

// Determinants, fits and orientations must not depend on whether a device fuses a * b + c.
#pragma OPENCL FP_CONTRACT OFF

// Loops only become vector code once what they call is part of them.
#define INLINE inline __attribute__((always_inline))

// As SurfLayer in surf_plan.h, which explains it.
typedef struct {
  int octave, step, side;
  int columns, rows;
  int sample_columns, sample_rows;
  int margin, border;
  int map;
  int first_sample_row, first_search_row;
  float line_weight, cross_weight;
} Layer;

// As Keypoint in pipeline/features.h, and whether it has an orientation.
typedef struct {
  float x, y, size, angle_degrees, response;
  int octave, laplacian_sign;
  int kept;
} FoundKeypoint;

// The sampling interval s of a keypoint. The division is rounded correctly on every device:
// window sides are truncated multiples of s, and one bit would change them.
INLINE float sampling_interval(float size) {
  const float ninth = 1.0f / 9.0f;
  const float scaled = size * 1.2f;
  const float quotient = scaled * ninth;
  return fma(fma(-9.0f, quotient, scaled), ninth, quotient);
}
