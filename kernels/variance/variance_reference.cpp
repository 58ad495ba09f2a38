#include "kernels/variance/variance_reference.h"

namespace lookalike {

VarianceSums variance_reference(const ImageView& image) {
  VarianceSums sums;
  for (const std::uint64_t pixel : std::span(image.pixels, image.size())) {
    ++sums.count;
    sums.sum += pixel;
    sums.sum_of_squares += pixel * pixel;
  }
  return sums;
}

}  // namespace lookalike
