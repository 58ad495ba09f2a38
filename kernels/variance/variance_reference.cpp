#include "kernels/variance/variance.h"

namespace lookalike {

PixelSums variance_reference(const ImageView& image) {
  PixelSums sums;
  for (const std::uint64_t pixel : std::span(image.pixels, image.size())) {
    ++sums.count;
    sums.sum += pixel;
    sums.sum_of_squares += pixel * pixel;
  }
  return sums;
}

}  // namespace lookalike
