#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/image.h"

namespace lookalike {

// Test pictures, values and descriptors for cases and tests: the same seed gives the same data
// everywhere.

// Returns pixels evenly spread over all greys.
GrayImage noise_picture(int width, int height, std::uint64_t seed);

// Returns smooth noise of many scales, in which SURF finds features as in photos: about 5000 in
// 1920 x 1080 above kPictureHessianThreshold.
GrayImage textured_picture(int width, int height, std::uint64_t seed);
inline constexpr float kPictureHessianThreshold = 2850;

// Returns values in [0, 1).
std::vector<float> noise_values(std::size_t count, std::uint64_t seed);

// Returns descriptors [count][dimensions] of unit length in the manner of SURF: fours of (sum dx,
// sum dy, sum |dx|, sum |dy|), the first two never larger than the last two. dimensions is a
// multiple of 4.
std::vector<float> synthetic_descriptors(std::size_t count, std::size_t dimensions,
                                         std::uint32_t seed);

}  // namespace lookalike
