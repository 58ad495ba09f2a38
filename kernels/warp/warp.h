#pragma once

#include <cstdint>
#include <vector>

#include "base/geometry.h"
#include "base/image.h"
#include "kernels/session/session.h"

namespace lookalike {

// An image mapped by a homography.
struct Warped {
  GrayImage image;
  GrayImage mask;  // 255 where the image is defined, else 0, as is the image there
};

// Perspective warp of a grey image on the device.
class Warp {
 public:
  explicit Warp(OpenClSession& session);

  // Maps the input to a width x height output, whose pixel centres output_to_input maps to pixel
  // centres of the input. Bilinear; where the input is shrunk, the mean of s x s samples in the
  // output pixel, s the local shrinking rounded, at most kMaxWarpSamples. Defined where the output
  // pixel's centre falls at most half a pixel outside the input's outer centres (there the
  // outermost pixels are repeated), and on the same side of the horizon as the output's centre.
  // Nothing is defined for an empty input. Throws Error(kInternal) when width or height is
  // negative.
  Warped warp(const ImageView& input, const Homography& output_to_input, int width, int height);

 private:
  OpenClSession& session_;
  const std::size_t run_;  // output pixels per item
  LazyKernel warp_;
  // Kept between calls: a driver takes longer to allocate than to warp.
  GrowingBuffer input_;
  GrowingBuffer output_;            // image and mask
  std::vector<std::uint8_t> read_;  // the same
};

// Most samples along a side of an output pixel.
inline constexpr int kMaxWarpSamples = 8;
// Allowance for rounding, px, beyond the half pixel around the input's outer centres.
inline constexpr double kWarpEdgeSlack = 1.0 / 1024;

// Computes what Warp::warp does, in plain C++ and double precision: within one grey level of it.
Warped warp_reference(const ImageView& input, const Homography& output_to_input, int width,
                      int height);

}  // namespace lookalike
