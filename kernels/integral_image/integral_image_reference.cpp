#include <cstddef>

#include "kernels/integral_image/integral_image.h"

namespace lookalike {

std::vector<std::uint64_t> integral_image_reference(const ImageView& image) {
  const auto pitch = static_cast<std::size_t>(image.width) + 1;
  std::vector<std::uint64_t> sums(pitch * (static_cast<std::size_t>(image.height) + 1));
  for (int y = 0; y < image.height; ++y) {
    std::uint64_t row_sum = 0;
    for (int x = 0; x < image.width; ++x) {
      row_sum += image.at(x, y);
      const std::size_t above =
          static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(x) + 1;
      sums[above + pitch] = sums[above] + row_sum;
    }
  }
  return sums;
}

}  // namespace lookalike
