#include "kernels/convolution/convolution_kernel.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "kernels/variant_names.h"

namespace lookalike {
namespace {

constexpr VariantNames<ConvolutionKernel, 6> kNames = {{
    {ConvolutionKernel::kAuto, "auto"},
    {ConvolutionKernel::kDirect, "direct"},
    {ConvolutionKernel::kTiled, "tiled"},
    {ConvolutionKernel::kRegisters, "registers"},
    {ConvolutionKernel::kVectors, "vectors"},
    {ConvolutionKernel::kSeparable, "separable"},
}};

constexpr float kRankTolerance = 1e-6F;
// 225 weights are 900 bytes of arguments, of which every device takes 1024.
constexpr std::size_t kMaxTiledSide = 15;
// Larger filters overflow the instruction cache.
constexpr std::size_t kMaxRegistersSide = 9;
// 79 filtered rows of 256 bytes on a CPU, 127 of 128 on a GPU, fit the 32 KiB of local memory that
// every device has.
constexpr std::size_t kMaxSeparableRows = 64;

}  // namespace

std::string_view to_string(ConvolutionKernel kernel) {
  return name_of(kNames, kernel);
}

ConvolutionKernel parse_convolution_kernel(std::string_view name) {
  return variant_of(kNames, "convolution kernel", name);
}

std::vector<ConvolutionKernel> convolution_kernels(const OpenClSession& session,
                                                   MatrixView<const float> filter) {
  return convolution_kernels(session, filter, separate(filter));
}

std::vector<ConvolutionKernel> convolution_kernels(const OpenClSession& session,
                                                   MatrixView<const float> filter,
                                                   const std::optional<SeparableFilter>& parts) {
  std::vector<ConvolutionKernel> kernels;
  const bool is_line = filter.rows() == 1 || filter.cols() == 1;
  const bool has_rank_one = filter.rows() <= kMaxSeparableRows && parts.has_value();
  if (has_rank_one && !is_line) kernels.push_back(ConvolutionKernel::kSeparable);
  if (session.is_cpu()) kernels.push_back(ConvolutionKernel::kVectors);
  const std::size_t side = std::max(filter.rows(), filter.cols());
  if (side <= kMaxRegistersSide) kernels.push_back(ConvolutionKernel::kRegisters);
  if (side <= kMaxTiledSide) kernels.push_back(ConvolutionKernel::kTiled);
  kernels.push_back(ConvolutionKernel::kDirect);
  if (has_rank_one && is_line) kernels.push_back(ConvolutionKernel::kSeparable);
  return kernels;
}

std::optional<SeparableFilter> separate(MatrixView<const float> filter) {
  const std::span<const float> weights(filter.data(), filter.size());
  const auto by_size = [](float a, float b) { return std::abs(a) < std::abs(b); };
  const auto largest = std::max_element(weights.begin(), weights.end(), by_size);
  if (largest == weights.end() || *largest == 0 || !std::isfinite(*largest)) return std::nullopt;
  const auto position = static_cast<std::size_t>(largest - weights.begin());
  SeparableFilter parts;
  for (std::size_t i = 0; i < filter.rows(); ++i) {
    parts.column.push_back(filter.row(i)[position % filter.cols()]);
  }
  for (const float weight : filter.row(position / filter.cols())) {
    parts.row.push_back(weight / *largest);
  }
  for (std::size_t i = 0; i < filter.size(); ++i) {
    const float product = parts.column[i / filter.cols()] * parts.row[i % filter.cols()];
    if (!(std::abs(product - weights[i]) <= kRankTolerance * std::abs(*largest))) {
      return std::nullopt;
    }
  }
  return parts;
}

}  // namespace lookalike
