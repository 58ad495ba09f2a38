#pragma once

#include <cstddef>
#include <vector>

#include "base/image.h"
#include "kernels/correlation/correlation_kernel.h"
#include "kernels/session/opencl.h"

namespace lookalike {

// A pattern ("template" is taken in C++) and the image to look for it in.
struct CorrelationPair {
  ImageView image;
  ImageView pattern;
};

// A pattern for an image on the device. With a mask of its size, only pixels where that is not zero
// count, and the sums of the formula below are over these.
struct CorrelationPattern {
  ImageView pixels;
  ImageView mask{};
};

// Where a pattern fits best.
struct CorrelationPeak {
  float x = 0;  // top-left of the window, px of the image, sub-pixel
  float y = 0;
  float correlation = 0;  // at the best whole position
};

struct CorrelationOptions {
  CorrelationKernel kernel = CorrelationKernel::kAuto;
  bool double_precision = true;  // for the last division and root, where the device has it
};

// Correlation maps on the device: map i is [height][width] floats in rows of `pitch` from `offset`
// on, NaN where undefined.
struct CorrelationMaps {
  struct Place {
    std::size_t offset = 0;
    int width = 0;
    int height = 0;
    int pitch = 0;
  };
  cl::Buffer values;
  std::vector<Place> places;
};

}  // namespace lookalike
