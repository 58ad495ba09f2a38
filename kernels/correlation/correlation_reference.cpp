#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/correlation/correlation.h"

namespace lookalike {
namespace {

__extension__ using Wide = __int128;

struct Sums {
  std::int64_t pixels = 0;
  std::int64_t window = 0;
  std::int64_t pattern = 0;
  std::int64_t window_square = 0;
  std::int64_t pattern_square = 0;
  std::int64_t product = 0;
};

Sums sums_at(const ImageView& image, const ImageView& pattern, const ImageView& mask, int left,
             int top) {
  Sums sums;
  for (int y = 0; y < pattern.height; ++y) {
    for (int x = 0; x < pattern.width; ++x) {
      if (!mask.empty() && mask.at(x, y) == 0) continue;
      ++sums.pixels;
      const std::int64_t window = image.at(left + x, top + y);
      const std::int64_t model = pattern.at(x, y);
      sums.window += window;
      sums.pattern += model;
      sums.window_square += window * window;
      sums.pattern_square += model * model;
      sums.product += window * model;
    }
  }
  return sums;
}

double correlation(const Sums& sums) {
  const auto moment = [n = static_cast<Wide>(sums.pixels)](std::int64_t both, std::int64_t one,
                                                           std::int64_t other) {
    return n * both - static_cast<Wide>(one) * other;
  };
  const Wide window = moment(sums.window_square, sums.window, sums.window);
  const Wide pattern = moment(sums.pattern_square, sums.pattern, sums.pattern);
  if (window == 0 || pattern == 0) return std::numeric_limits<double>::quiet_NaN();
  const Wide covariance = moment(sums.product, sums.window, sums.pattern);
  return static_cast<double>(covariance) /
         (std::sqrt(static_cast<double>(window)) * std::sqrt(static_cast<double>(pattern)));
}

}  // namespace

std::vector<double> correlation_reference(const ImageView& image, const ImageView& pattern,
                                          const ImageView& mask) {
  std::vector<double> map;
  for (int y = 0; y + pattern.height <= image.height; ++y) {
    for (int x = 0; x + pattern.width <= image.width; ++x) {
      map.push_back(correlation(sums_at(image, pattern, mask, x, y)));
    }
  }
  return map;
}

}  // namespace lookalike
