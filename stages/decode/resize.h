#pragma once

#include <cstdint>

#include <opencv2/core.hpp>

#include "base/image.h"
#include "stages/decode/decode.h"

namespace lookalike {

// The factor that brings an image to a wanted size.
double scale_for(std::uint64_t width, std::uint64_t height, WantedSize size);

// Whether nothing is left of the shorter side of a w x h image at this scale: it rounds to 0 px, as
// cv::resize rounds, which refuses that: halves to the even number.
bool vanishes(std::uint64_t width, std::uint64_t height, double scale);

// Resized by exactly `factor` on both axes, by area averaging or cubic interpolation; the last
// pixel of a side may be a partial one. Throws std::bad_alloc.
GrayImage resized(const cv::Mat& gray, double factor);

}  // namespace lookalike
