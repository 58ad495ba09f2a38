#pragma once

#include "base/homography.h"
#include "stages/decode/decode.h"

namespace lookalike {

// The map from pixel centres of the full-size image to those of its reduced pixels.
inline Homography reduction(const DecodedImage& image) {
  const double shift = to_reduced(0, image.scale);
  return {{image.scale, 0, shift, 0, image.scale, shift, 0, 0, 1}};
}

}  // namespace lookalike
