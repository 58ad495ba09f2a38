#pragma once

#include <array>
#include <cstdint>

#include "base/image.h"

// How SURF brightens dark images.
namespace lookalike {

// The power of the grey level, 0 to 1, that takes a mean of `level` to `target`; the levels
// themselves from there on. Noise limits the exponent: a mean below 8 is taken for 8.
std::array<std::uint8_t, 256> tone_curve(int level, int target);

// The image as SURF sees it, on the host.
void brighten(GrayImage& image, int target);

}  // namespace lookalike
