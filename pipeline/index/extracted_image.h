#pragma once

#include "base/artefacts.h"

namespace lookalike {

// What the index keeps of an image, before words are assigned.
struct ExtractedImage {
  PixelSums sums;
  bool blank = false;
  ImageFeatures features;  // none when blank
};

}  // namespace lookalike
