#pragma once

#include "base/image.h"
#include "kernels/variance/variance.h"

namespace lookalike {

// What ImageVariance::compute must return for one image, computed without OpenCL.
PixelSums variance_reference(const ImageView& image);

}  // namespace lookalike
