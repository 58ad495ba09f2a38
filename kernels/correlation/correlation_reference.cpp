#include <limits>

#include "base/pair_sums.h"
#include "kernels/correlation/correlation.h"

namespace lookalike {

std::vector<double> correlation_reference(const ImageView& image, const ImageView& pattern) {
  std::vector<double> map;
  for (int top = 0; top + pattern.height <= image.height; ++top) {
    for (int left = 0; left + pattern.width <= image.width; ++left) {
      PairSums<std::uint64_t> sums;
      for (int y = 0; y < pattern.height; ++y) {
        for (int x = 0; x < pattern.width; ++x) {
          sums.add(image.at(left + x, top + y), pattern.at(x, y));
        }
      }
      map.push_back(correlation_of(sums).value_or(std::numeric_limits<double>::quiet_NaN()));
    }
  }
  return map;
}

}  // namespace lookalike
