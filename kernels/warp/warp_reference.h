#pragma once

#include "kernels/warp/warped.h"
#include "pipeline/homography.h"
#include "pipeline/image.h"

namespace lookalike {

// What Warp::warp computes, in plain C++ and double precision: within one grey level of it.
Warped warp_reference(const ImageView& input, const Homography& output_to_input, int width,
                      int height);

}  // namespace lookalike
