#pragma once

#include "base/features.h"
#include "base/image.h"
#include "kernels/surf/surf_parameters.h"

namespace lookalike {

// What Surf computes for one image, in plain scalar code: the yardstick of the kernels' tests.
// Throws Error(kInternal) when a parameter is out of range or the mask has not the image's size.
FeatureSet surf_reference(const ImageView& image, const SurfParameters& parameters,
                          const ImageView& mask = {});

}  // namespace lookalike
