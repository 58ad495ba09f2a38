#pragma once

#include <algorithm>
#include <cmath>

namespace lookalike {

// The value at (x, y) between the four pixels around it; what lies outside has the nearest pixel's.
//   at(x, y)  a pixel's value, a double, for 0 <= x < width and 0 <= y < height, both at least 1
template <typename At>
double bilinear(const At& at, int width, int height, double x, double y) {
  x = std::clamp(x, 0.0, width - 1.0);
  y = std::clamp(y, 0.0, height - 1.0);
  const int left = static_cast<int>(x);
  const int top = static_cast<int>(y);
  const int right = std::min(left + 1, width - 1);
  const int bottom = std::min(top + 1, height - 1);
  return std::lerp(std::lerp(at(left, top), at(right, top), x - left),
                   std::lerp(at(left, bottom), at(right, bottom), x - left), y - top);
}

}  // namespace lookalike
