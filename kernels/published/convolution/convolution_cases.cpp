#include "kernels/cases.h"
#include "kernels/published/convolution/convolution.h"
#include "kernels/synthetic_data.h"

namespace lookalike {
namespace {

// For float sums of up to 225 products of at most 1/4 each.
constexpr double kTolerance = 3e-5;

struct Size {
  std::size_t filter_rows;
  std::size_t filter_columns;
  std::size_t rows;
  std::size_t columns;
  Border border = Border::kReflect;
};

// Filters have few shapes, since kernels are compiled for each.
std::vector<Size> test_sizes() {
  using Sides = std::pair<std::size_t, std::size_t>;
  const std::vector<Sides> images = {{0, 5},   {5, 0},    {1, 1},     {1, 9},    {6, 20},
                                     {7, 5},   {22, 134}, {21, 133},  {23, 135}, {70, 38},
                                     {65, 67}, {40, 160}, {180, 264}, {181, 263}};
  const std::vector<Sides> filters = {{1, 4}, {7, 1}, {9, 9}, {15, 15}};
  std::vector<Size> sizes;
  for (const Border border : {Border::kValid, Border::kZero, Border::kClamp, Border::kReflect}) {
    for (const auto& [rows, columns] : images) sizes.push_back({7, 5, rows, columns, border});
    for (const auto& [height, width] : filters) sizes.push_back({height, width, 37, 75, border});
  }
  return sizes;
}

CaseSizes<Size> sizes() {
  return {.self_test = {{3, 3, 61, 88}},
          .test = test_sizes(),
          .quick = {{3, 3, 200, 200}},
          .tuning = {{3, 3, 2048, 2048}, {7, 7, 2048, 2048}, {15, 15, 2048, 2048}},
          .full = {{3, 3, 4096, 4096}, {7, 7, 4096, 4096}, {15, 15, 4096, 4096}}};
}

std::vector<float> signed_noise(std::size_t count, std::uint64_t seed) {
  std::vector<float> values = noise_values(count, seed);
  for (float& value : values) value -= 0.5F;
  return values;
}

struct Inputs {
  Size size;
  std::vector<float> filter;
  std::vector<float> pixels;

  MatrixView<const float> filter_view() const { return {filter, size.filter_columns}; }
  MatrixView<const float> image() const { return {pixels.data(), size.rows, size.columns}; }
};

// Returns the pixel that stands at index i of n, walking off the border step by step; -1 for a
// zero.
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

// Keeps both images on the device, so that no run includes the first touch of new memory. They have
// room for the 4 x 4 pixels of the warm-up.
CaseRun prepare(OpenClSession& session, const Inputs& inputs, ConvolutionKernel kernel) {
  const auto& [size, filter, pixels] = inputs;
  Convolution convolution(session, inputs.filter_view(), size.border, kernel);
  const cl::Buffer from =
      session.allocate(std::max<std::size_t>(16, pixels.size()) * sizeof(float));
  const cl::Buffer to = session.allocate(std::max<std::size_t>(16, pixels.size()) * sizeof(float));
  const auto result = std::make_shared<std::vector<float>>(
      convolution.result_rows(size.rows) * convolution.result_columns(size.columns));
  const auto solve = [=, &session, &inputs]() mutable {
    session.write<float>(from, inputs.pixels);
    // The first kernel after a transfer takes some 10 us more on an H200: a tiny one goes first and
    // does not count.
    if (!session.is_cpu()) convolution.convolve(from, 4, 4, to);
    session.drain_profile();
    convolution.convolve(from, inputs.size.rows, inputs.size.columns, to);
    session.read<float>(to, *result);
  };
  const auto check = [=, &inputs] {
    return difference(*result,
                      convolve_reference(inputs.image(), inputs.filter_view(), inputs.size.border),
                      kTolerance);
  };
  return {solve, check};
}

}  // namespace

std::vector<KernelCase> convolution_cases(OpenClSession& session, CaseScale scale) {
  std::vector<KernelCase> cases;
  for (const Size& size : sizes().at(scale)) {
    const std::size_t pixels = size.rows * size.columns;
    KernelCase problem{.kernel = "convolution",
                       .sizes = {{"height", size.filter_rows}, {"width", size.filter_columns}},
                       .more_sizes = {{"rows", size.rows}, {"columns", size.columns}},
                       .unit = WorkUnit::kCopiedBytes,
                       .amount = 2.0 * static_cast<double>(pixels * sizeof(float))};
    const std::vector<float> filter = signed_noise(size.filter_rows * size.filter_columns, 2);
    cases.push_back(with_variants(
        std::move(problem), session, convolution_kernels({filter, size.filter_columns}),
        [=] {
          return Inputs{size, filter, signed_noise(pixels, 1)};
        },
        prepare));
  }
  return cases;
}

}  // namespace lookalike
