#pragma once

#include <cstdint>
#include <vector>

#include <opencv2/core.hpp>

#include "base/random.h"

namespace lookalike {

// A photo of an object before a background, both 8-bit grey, as a user might have taken it: the
// object at 35 to 100 % of the photo's size, turned by up to 30 degrees, tilted, partly outside
// now and then; light, contrast, blur and noise changed. Deterministic.
cv::Mat make_photo(const cv::Mat& object, const cv::Mat& background, Random& random);

// As a JPEG file of quality 30 to 95.
std::vector<std::uint8_t> compressed(const cv::Mat& photo, Random& random);

}  // namespace lookalike
