#pragma once

#include <cstdint>
#include <vector>

#include "base/image.h"

namespace lookalike {

// What ImageIntegral::compute must return, computed without OpenCL.
std::vector<std::uint64_t> integral_image_reference(const ImageView& image);

}  // namespace lookalike
