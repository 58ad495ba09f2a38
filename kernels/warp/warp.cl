// The perspective warp of an image. A homography maps output pixels to input pixels, row-major in
// s0 to s8; its third row is positive on the visible side of the horizon. Coordinates are of pixel
// centres.
// Build: -D MAX_SAMPLES: kMaxWarpSamples; EDGE_SLACK: kWarpEdgeSlack, px.

float3 project(float16 h, float x, float y) {
  return (float3)(h.s0 * x + h.s1 * y + h.s2, h.s3 * x + h.s4 * y + h.s5,
                  h.s6 * x + h.s7 * y + h.s8);
}

// Interpolates; past the outer centres the outermost pixels are repeated.
float sample(global const uchar* image, int width, int height, float x, float y) {
  x = clamp(x, 0.0f, (float)(width - 1));
  y = clamp(y, 0.0f, (float)(height - 1));
  const int left = (int)x;
  const int top = (int)y;
  const int right = min(left + 1, width - 1);
  const ulong row = (ulong)top * width;
  const ulong next_row = (ulong)min(top + 1, height - 1) * width;
  const float upper = mix((float)image[row + left], (float)image[row + right], x - left);
  const float lower = mix((float)image[next_row + left], (float)image[next_row + right], x - left);
  return mix(upper, lower, y - top);
}

// Returns how much the map shrinks at an output pixel: input px per output px, along the axis of
// the output on which that is more.
//   at  where the pixel goes   w  the third coordinate before division, positive
float shrinking(float16 h, float2 at, float w) {
  const float2 along_x = (float2)(h.s0 - at.x * h.s6, h.s3 - at.y * h.s6);
  const float2 along_y = (float2)(h.s1 - at.x * h.s7, h.s4 - at.y * h.s7);
  return sqrt(max(dot(along_x, along_x), dot(along_y, along_y))) / w;
}

bool is_inside(float2 at, int width, int height) {
  const float rim = 0.5f + EDGE_SLACK;
  return at.x >= -rim && at.y >= -rim && at.x <= width - 1 + rim && at.y <= height - 1 + rim;
}

// Computes an output pixel, the mean of its samples, and its mask; an item each.
kernel void warp(global const uchar* input, int input_width, int input_height, float16 h, int width,
                 int height, global uchar* output, global uchar* mask) {
  const int x = (int)get_global_id(0);
  const int y = (int)get_global_id(1);
  if (x >= width || y >= height) return;
  const ulong out = (ulong)y * width + x;
  output[out] = 0;
  mask[out] = 0;
  const float3 centre = project(h, x, y);
  const float2 at = centre.xy / centre.z;
  if (!(centre.z > 0 && is_inside(at, input_width, input_height))) return;

  const int side = (int)clamp(rint(shrinking(h, at, centre.z)), 1.0f, (float)MAX_SAMPLES);
  float mean = 0;
  if (side == 1) {
    mean = sample(input, input_width, input_height, at.x, at.y);
  } else {
    for (int i = 0; i < side * side; ++i) {
      const float3 place =
          project(h, x + (i % side + 0.5f) / side - 0.5f, y + (i / side + 0.5f) / side - 0.5f);
      mean += sample(input, input_width, input_height, place.x / place.z, place.y / place.z);
    }
    mean /= side * side;
  }
  output[out] = convert_uchar_sat_rte(mean);
  mask[out] = 255;
}
