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

}  // namespace lookalike
