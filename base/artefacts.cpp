#include "base/artefacts.h"

#include <algorithm>
#include <functional>

namespace lookalike {

double PixelSums::mean() const {
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

double PixelSums::variance() const {
  if (count == 0) return 0;
  // count * sum_of_squares overflows 64 bits above 16.8 megapixels.
  __extension__ using Wide = unsigned __int128;
  const Wide spread = Wide{count} * sum_of_squares - Wide{sum} * sum;
  return static_cast<double>(spread) / static_cast<double>(Wide{count} * count);
}

bool WordCells::fit(std::size_t words, std::size_t descriptor_size) const {
  if (empty()) return true;
  return size() > 0 && centres.size() == size() * descriptor_size && starts.front() == 0 &&
         starts.back() == words &&
         std::ranges::adjacent_find(starts, std::ranges::greater_equal()) == starts.end() &&
         probes >= 1 && probes <= kMaxProbes;
}

}  // namespace lookalike
