#pragma once

#include "base/geometry.h"
#include "base/image.h"
#include "kernels/session/session.h"
#include "kernels/warp/warped.h"

namespace lookalike {

// Perspective warp of a grey image on the device.
class Warp {
 public:
  using Warped = lookalike::Warped;

  explicit Warp(OpenClSession& session);

  // What the input shows at each pixel of a width x height output, whose pixel centres
  // output_to_input maps to pixel centres of the input. Bilinear; where the input is shrunk, the
  // mean of s x s samples in the output pixel, s the local shrinking rounded up, at most
  // kMaxWarpSamples. Defined where the output pixel's centre falls at most half a pixel outside
  // the input's outer centres (the outermost pixels reach on to there), and on the same side of the
  // horizon as the output's centre. An empty input gives nothing defined.
  // Throws Error(kInternal) when width or height is negative.
  Warped warp(const ImageView& input, const Homography& output_to_input, int width, int height);

 private:
  OpenClSession& session_;
  cl::Kernel warp_;
};

// What Warp::warp computes, in plain C++ and double precision: within one grey level of it.
Warped warp_reference(const ImageView& input, const Homography& output_to_input, int width,
                      int height);

}  // namespace lookalike
