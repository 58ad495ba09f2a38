// The perspective warp of an image. A homography maps output pixels to input pixels, row-major in
// s0 to s8; its third row is positive on the visible side of the horizon. Coordinates are of pixel
// centres.
// Build: -D MAX_SAMPLES: kMaxWarpSamples; EDGE_SLACK: kWarpEdgeSlack, px; RUN: output pixels per
// item, 1 or 16. With 16, a CPU computes them in vectors.

#if RUN == 16
typedef float16 reals;
typedef int16 ints;
#define COLUMNS (reals)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define TRUNCATED(values) convert_int16_rtz(values)
#define ROUNDED(values) convert_int16_rte(values)
#define REALS_OF(values) convert_float16(values)
#define STORE(values, to) vstore16(values, 0, to)
#else
typedef float reals;
typedef int ints;
#define COLUMNS 0
#define TRUNCATED(values) convert_int_rtz(values)
#define ROUNDED(values) convert_int_rte(values)
#define REALS_OF(values) convert_float(values)
#define STORE(values, to) *(to) = values
#endif

// Interpolates between a pixel, the next one to the right and the two below these. Past the outer
// centres the outermost pixels are repeated.
//   left, top      of the pixel        across, down  from it to the place, [0, 1)
float interpolate(global const uchar* image, int width, int height, int left, int top, float across,
                  float down) {
  global const uchar* const upper = image + (ulong)top * width;
  global const uchar* const lower = image + (ulong)min(top + 1, height - 1) * width;
  const int right = min(left + 1, width - 1);
  return mix(mix((float)upper[left], (float)upper[right], across),
             mix((float)lower[left], (float)lower[right], across), down);
}

// Returns the mean of side x side samples around an output pixel.
float mean_of_samples(global const uchar* image, int width, int height, float16 h, float x, float y,
                      int side) {
  float sum = 0;
  for (int i = 0; i < side * side; ++i) {
    const float right = x + (i % side + 0.5f) / side - 0.5f;
    const float down = y + (i / side + 0.5f) / side - 0.5f;
    const float w = h.s6 * right + h.s7 * down + h.s8;
    const float at_x = clamp((h.s0 * right + h.s1 * down + h.s2) / w, 0.0f, (float)(width - 1));
    const float at_y = clamp((h.s3 * right + h.s4 * down + h.s5) / w, 0.0f, (float)(height - 1));
    const int left = (int)at_x;
    const int top = (int)at_y;
    sum += interpolate(image, width, height, left, top, at_x - left, at_y - top);
  }
  return sum / (side * side);
}

// Computes RUN output pixels along a row and their mask; an item each.
//   output  [2][height][width]: the image, then the mask
kernel void warp(global const uchar* input, int input_width, int input_height, float16 h, int width,
                 int height, global uchar* output) {
  const int first = (int)get_global_id(0) * RUN;
  const int y = (int)get_global_id(1);
  if (first >= width || y >= height) return;
  const reals x = first + COLUMNS;
  const reals w = h.s6 * x + (h.s7 * y + h.s8);
  const reals at_x = (h.s0 * x + (h.s1 * y + h.s2)) / w;
  const reals at_y = (h.s3 * x + (h.s4 * y + h.s5)) / w;
  const float rim = 0.5f + EDGE_SLACK;
  const ints is_inside = (w > 0) & (at_x >= -rim) & (at_y >= -rim) &
                         (at_x <= input_width - 1 + rim) & (at_y <= input_height - 1 + rim);
  // Input px per output px, along the axis of the output on which they are more.
  const reals x_by_x = h.s0 - at_x * h.s6;
  const reals y_by_x = h.s3 - at_y * h.s6;
  const reals x_by_y = h.s1 - at_x * h.s7;
  const reals y_by_y = h.s4 - at_y * h.s7;
  const reals along_x = x_by_x * x_by_x + y_by_x * y_by_x;
  const reals along_y = x_by_y * x_by_y + y_by_y * y_by_y;
  const reals shrinking = sqrt(along_x > along_y ? along_x : along_y) / w;
  const ints side = min(max(ROUNDED(shrinking), 1), MAX_SAMPLES);

  const reals last_x = input_width - 1;
  const reals last_y = input_height - 1;
  const reals clamped_x = at_x < 0 ? 0 : (at_x > last_x ? last_x : at_x);
  const reals clamped_y = at_y < 0 ? 0 : (at_y > last_y ? last_y : at_y);
  int sides[RUN];  // samples along a side of the pixel; 0 where the image is not defined
  int left[RUN];
  int top[RUN];
  float across[RUN];
  float down[RUN];
  STORE(is_inside ? side : 0, sides);
  STORE(TRUNCATED(clamped_x), left);
  STORE(TRUNCATED(clamped_y), top);
  STORE(clamped_x - REALS_OF(TRUNCATED(clamped_x)), across);
  STORE(clamped_y - REALS_OF(TRUNCATED(clamped_y)), down);

  global uchar* const image = output + (ulong)y * width + first;
  global uchar* const mask = image + (ulong)height * width;
  const int count = min(RUN, width - first);
  for (int i = 0; i < count; ++i) {
    float mean = 0;
    if (sides[i] == 1) {
      mean = interpolate(input, input_width, input_height, left[i], top[i], across[i], down[i]);
    } else if (sides[i] > 1) {
      mean = mean_of_samples(input, input_width, input_height, h, first + i, y, sides[i]);
    }
    image[i] = (uchar)(mean + 0.5f);
    mask[i] = sides[i] > 0 ? 255 : 0;
  }
}
