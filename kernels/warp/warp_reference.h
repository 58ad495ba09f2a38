#pragma once

#include "base/homography.h"
#include "base/image.h"
#include "kernels/warp/warped.h"

namespace lookalike {

// What Warp::warp computes, in plain C++ and double precision: within one grey level of it.
Warped warp_reference(const ImageView& input, const Homography& output_to_input, int width,
                      int height);

}  // namespace lookalike
