#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/image.h"
#include "kernels/warp/warp.h"

namespace lookalike {
namespace {

double sample(const ImageView& image, Point at) {
  const auto pixel = [&](int x, int y) { return static_cast<double>(image.at(x, y)); };
  return bilinear(pixel, image.width, image.height, at.x, at.y);
}

double third_coordinate(const Homography& map, double x, double y) {
  return map.h[6] * x + map.h[7] * y + map.h[8];
}

// Input px per output px, along the axis of the output on which that is more.
double shrinking(const Homography& map, int x, int y) {
  const auto& h = map.h;
  const double w = third_coordinate(map, x, y);
  const Point at = map.apply({static_cast<double>(x), static_cast<double>(y)});
  return std::max(std::hypot(h[0] - at.x * h[6], h[3] - at.y * h[6]),
                  std::hypot(h[1] - at.x * h[7], h[4] - at.y * h[7])) /
         std::abs(w);
}

bool is_defined(const ImageView& input, const Homography& map, const Warped& warped, int x, int y) {
  const double rim = 0.5 + kWarpEdgeSlack;
  const Point at = map.apply({static_cast<double>(x), static_cast<double>(y)});
  const double middle =
      third_coordinate(map, 0.5 * (warped.image.width - 1), 0.5 * (warped.image.height - 1));
  const double here = third_coordinate(map, x, y);
  return (here > 0) == (middle >= 0) && here != 0 && at.x >= -rim && at.y >= -rim &&
         at.x <= input.width - 1 + rim && at.y <= input.height - 1 + rim;
}

double mean_of_samples(const ImageView& input, const Homography& map, int x, int y) {
  const double wanted = std::ceil(shrinking(map, x, y) - kWarpShrinkSlack);
  const int side = static_cast<int>(std::clamp(wanted, 1.0, double{kMaxWarpSamples}));
  double sum = 0;
  for (int row = 0; row < side; ++row) {
    for (int col = 0; col < side; ++col) {
      sum += sample(input, map.apply({x + (col + 0.5) / side - 0.5, y + (row + 0.5) / side - 0.5}));
    }
  }
  return sum / (side * side);
}

}  // namespace

Warped warp_reference(const ImageView& input, const Homography& output_to_input, int width,
                      int height) {
  Warped warped{GrayImage(width, height), GrayImage(width, height)};
  if (input.empty()) return warped;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (!is_defined(input, output_to_input, warped, x, y)) continue;
      const double mean = mean_of_samples(input, output_to_input, x, y);
      warped.image.at(x, y) = static_cast<std::uint8_t>(std::lround(mean));
      warped.mask.at(x, y) = 255;
    }
  }
  return warped;
}

}  // namespace lookalike
