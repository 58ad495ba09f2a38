// What the SURF kernels share. They work on a batch of images of any sizes: images, layers and
// keypoints say where in the batch's buffers their parts begin. There are two forms. On a CPU every
// work-group is one item, whose loops are contiguous and become vector code. On a GPU the items of
// a group stride over the columns or samples.
// First source of a program, before tone.cl, integral.cl, halve.cl, hessian.cl, search.cl,
// orientation.cl, patch.cl, descriptor.cl and signed_roots.cl, in this order. On a GPU,
// integral_groups.cl and descriptor_groups.cl replace two of them, and signed_roots.cl is a program
// by itself.
// Build: -D LOCAL_SIZE: work-items of a group, 1 on a CPU, 64 on a GPU.

// Determinants, fits and orientations must not depend on whether a device fuses a * b + c.
#pragma OPENCL FP_CONTRACT OFF

// Loops become vector code only when what they call is inlined.
#define INLINE inline __attribute__((always_inline))

// As BatchImage in surf.cpp, which explains it.
typedef struct {
  long source, curve, pixels, mask, quads, integral, maps, places, capacity;
  int width, height;
  int first_layer, layer_count;
  int sample_rows, search_rows;
  int halvings;
} Image;

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

// As Keypoint in base/features.h, and the image of the batch it lies in.
typedef struct {
  float x, y, size, angle_degrees, response;
  int octave, laplacian_sign;
  int image;
} FoundKeypoint;

#define DEGREES_PER_RADIAN 57.29578f
#define RADIANS_PER_DEGREE 0.017453293f

// Returns the sampling interval s of a keypoint. The division is rounded correctly on every device:
// window sides are truncated multiples of s, and one bit would change them.
INLINE float sampling_interval(float size) {
  const float ninth = 1.0f / 9.0f;
  const float scaled = size * 1.2f;
  const float quotient = scaled * ninth;
  return fma(fma(-9.0f, quotient, scaled), ninth, quotient);
}

// Returns the side of a keypoint's Haar wavelets, even.
INLINE int wavelet_side(float interval) { return 2 * (int)rint(2 * interval); }

// Returns where the wavelet of a sample begins, along one axis.
INLINE int wavelet_start(float centre, float offset, float interval, int wavelet) {
  return (int)rint(centre + offset * interval - (wavelet - 1) * 0.5f);
}
