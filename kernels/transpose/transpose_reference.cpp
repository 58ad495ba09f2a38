#include <cstddef>

#include "kernels/transpose/transpose.h"

namespace lookalike {
namespace {

template <typename T>
void transpose_values(const T* from, std::size_t rows, std::size_t columns, T* to) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) to[c * rows + r] = from[r * columns + c];
  }
}

}  // namespace

std::vector<float> transpose_reference(MatrixView<const float> matrix) {
  std::vector<float> result(matrix.size());
  transpose_values(matrix.data(), matrix.rows(), matrix.cols(), result.data());
  return result;
}

GrayImage transpose_reference(const ImageView& image) {
  GrayImage result(image.height, image.width);
  transpose_values(image.pixels, static_cast<std::size_t>(image.height),
                   static_cast<std::size_t>(image.width), result.pixels.data());
  return result;
}

}  // namespace lookalike
