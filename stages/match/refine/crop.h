#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/image.h"

namespace lookalike {

// A copy of a part of an image that lies inside it.
inline GrayImage crop(const ImageView& image, int left, int top, int width, int height) {
  GrayImage part(width, height);
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* row = image.pixels + (top + y) * std::ptrdiff_t{image.width} + left;
    std::copy(row, row + width, part.pixels.data() + y * std::ptrdiff_t{width});
  }
  return part;
}

}  // namespace lookalike
