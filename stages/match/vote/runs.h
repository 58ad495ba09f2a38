#pragma once

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

}  // namespace lookalike
