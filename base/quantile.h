#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lookalike {

// Returns the value at a share, [0, 1), of the values in ascending order. 0.5: the median,
// the larger one of two. There must be a value.
inline double quantile(std::vector<double> values, double share) {
  const auto place =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size()));
  std::ranges::nth_element(values, place);
  return *place;
}

}  // namespace lookalike
