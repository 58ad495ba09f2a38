#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/image.h"

namespace lookalike {

// Pixels evenly spread over all greys; the same seed gives the same picture everywhere.
GrayImage noise_picture(int width, int height, std::uint64_t seed);

// Smooth noise of many scales, as features find it in photos: about 5000 of SURF's in
// 1920 x 1080 above kPictureHessianThreshold.
GrayImage textured_picture(int width, int height, std::uint64_t seed);
inline constexpr float kPictureHessianThreshold = 2850;

// Values in [0, 1).
std::vector<float> noise_values(std::size_t count, std::uint64_t seed);

// Descriptors [count][dimensions] of unit length in the manner of SURF's: fours of
// (sum dx, sum dy, sum |dx|, sum |dy|), the first two never larger than the last two. The
// same seed gives the same values everywhere; dimensions is a multiple of 4.
std::vector<float> synthetic_descriptors(std::size_t count, std::size_t dimensions,
                                         std::uint32_t seed);

}  // namespace lookalike
