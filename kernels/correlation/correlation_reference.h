#pragma once

#include <vector>

#include "base/image.h"

namespace lookalike {

// What Correlation::map computes, in plain C++ from the definition: exact sums at every position,
// NaN where undefined. The pattern must fit into the image; a mask that is not empty has the
// pattern's size, and pixels where it is zero do not count.
std::vector<double> correlation_reference(const ImageView& image, const ImageView& pattern,
                                          const ImageView& mask = {});

}  // namespace lookalike
