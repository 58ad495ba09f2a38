#pragma once

#include <cstdint>

#include "base/image.h"

namespace lookalike {

// Returns pixels evenly spread over [low, high], from a seed (SplitMix64).
GrayImage noise(int width, int height, std::uint64_t seed, int low = 0, int high = 255);

// Returns a wavy surface without edges, moved right and down by (shift_x, shift_y) px.
GrayImage waves(int width, int height, double shift_x = 0, double shift_y = 0);

}  // namespace lookalike
