#pragma once

#include <cmath>
#include <cstddef>
#include <functional>

namespace lookalike {

// Calls visit(first, end) for each run of neighbours with equal keys.
template <typename Range, typename Visit, typename Key = std::identity>
void for_each_run(const Range& range, Visit visit, Key key = {}) {
  for (std::size_t first = 0; first < range.size();) {
    std::size_t end = first + 1;
    while (end < range.size() && std::invoke(key, range[end]) == std::invoke(key, range[first])) {
      ++end;
    }
    visit(first, end);
    first = end;
  }
}

// Returns the norm of a histogram: the square root of the sum of the squared lengths of runs.
template <typename Range, typename Key = std::identity>
double norm_of(const Range& range, Key key = {}) {
  double sum_of_squares = 0;
  for_each_run(
      range,
      [&](std::size_t first, std::size_t end) {
        sum_of_squares += static_cast<double>((end - first) * (end - first));
      },
      key);
  return std::sqrt(sum_of_squares);
}

}  // namespace lookalike
