#pragma once

#include "base/image.h"

namespace lookalike {

// An image seen through a homography.
struct Warped {
  GrayImage image;
  GrayImage mask;  // 255 where the image is defined, else 0, as is the image there
};

// At most this many samples a side of an output pixel.
inline constexpr int kMaxWarpSamples = 8;

// A map that shrinks by this much over a whole number takes no further sample, so that a turn,
// which rounding makes shrink a little, stays sharp.
inline constexpr double kWarpShrinkSlack = 1.0 / 64;

// Beyond the half pixel around the input's outer centres, px: for what rounding adds there.
inline constexpr double kWarpEdgeSlack = 1.0 / 1024;

}  // namespace lookalike
