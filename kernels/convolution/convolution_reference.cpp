#include <algorithm>
#include <cstddef>

#include "kernels/convolution/convolution.h"

namespace lookalike {
namespace {

// The pixel that stands at index i of n, walking off the border step by step; -1 for a zero.
std::ptrdiff_t source(std::ptrdiff_t i, std::ptrdiff_t n, Border border) {
  if (i >= 0 && i < n) return i;
  if (border == Border::kClamp) return std::clamp<std::ptrdiff_t>(i, 0, n - 1);
  if (border != Border::kReflect) return -1;
  if (n == 1) return 0;
  while (i < 0 || i >= n) i = i < 0 ? -i : 2 * (n - 1) - i;
  return i;
}

double weighted_sum(MatrixView<const float> image, MatrixView<const float> filter, Border border,
                    std::ptrdiff_t y, std::ptrdiff_t x) {
  const auto rows = static_cast<std::ptrdiff_t>(image.rows());
  const auto columns = static_cast<std::ptrdiff_t>(image.cols());
  double sum = 0;
  for (std::size_t i = 0; i < filter.rows(); ++i) {
    for (std::size_t j = 0; j < filter.cols(); ++j) {
      const std::ptrdiff_t row = source(y + static_cast<std::ptrdiff_t>(i), rows, border);
      const std::ptrdiff_t column = source(x + static_cast<std::ptrdiff_t>(j), columns, border);
      if (row < 0 || column < 0) continue;
      sum += static_cast<double>(filter.row(i)[j]) *
             static_cast<double>(
                 image.row(static_cast<std::size_t>(row))[static_cast<std::size_t>(column)]);
    }
  }
  return sum;
}

}  // namespace

std::vector<double> convolve_reference(MatrixView<const float> image,
                                       MatrixView<const float> filter, Border border) {
  const bool valid = border == Border::kValid;
  if (valid && (image.rows() < filter.rows() || image.cols() < filter.cols())) return {};
  std::vector<float> weights(filter.data(), filter.data() + filter.size());
  std::reverse(weights.begin(), weights.end());
  const MatrixView<const float> turned(weights, filter.cols());
  const std::size_t rows = valid ? image.rows() - filter.rows() + 1 : image.rows();
  const std::size_t columns = valid ? image.cols() - filter.cols() + 1 : image.cols();
  const auto top = static_cast<std::ptrdiff_t>(valid ? 0 : filter.rows() / 2);
  const auto left = static_cast<std::ptrdiff_t>(valid ? 0 : filter.cols() / 2);
  std::vector<double> result;
  for (std::size_t y = 0; y < rows; ++y) {
    for (std::size_t x = 0; x < columns; ++x) {
      result.push_back(weighted_sum(image, turned, border, static_cast<std::ptrdiff_t>(y) - top,
                                    static_cast<std::ptrdiff_t>(x) - left));
    }
  }
  return result;
}

}  // namespace lookalike
