#pragma once

#include "kernels/variance/variance.h"
#include "pipeline/image.h"

namespace lookalike {

// What ImageVariance::compute must return for one image, computed without OpenCL.
PixelSums variance_reference(const ImageView& image);

}  // namespace lookalike
