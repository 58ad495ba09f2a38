#pragma once

#include <array>
#include <cstdint>

#include "base/image.h"

// Brightening of dark images before SURF.
namespace lookalike {

// Returns the power of the grey level, 0 to 1, that takes a mean of `level` to `target`; the
// identity from `target` on. Noise limits the exponent: a mean below 8 is taken for 8.
std::array<std::uint8_t, 256> tone_curve(int level, int target);

// Brightens an image on the host as SURF does on the device.
void brighten(GrayImage& image, int target);

}  // namespace lookalike
