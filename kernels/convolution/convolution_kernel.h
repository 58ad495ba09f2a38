#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/matrix_view.h"
#include "kernels/session/session.h"

namespace lookalike {

// How a filter is applied. All agree but for the order in which products are added.
enum class ConvolutionKernel {
  kAuto,       // the fastest measured of those that take the filter, else the first of them
  kDirect,     // one work-item per pixel: the baseline
  kTiled,      // the tile and its halo in local memory, several pixels per item; sides up to 15
  kRegisters,  // several pixels per item, straight from the cache; sides up to 9
  kVectors,    // rows of 16 pixels in vector registers: CPU devices only
  kSeparable,  // rows, then columns; filters of rank 1 with up to 64 rows
};

// "auto", "direct", "tiled", "registers", "vectors", "separable".
std::string_view to_string(ConvolutionKernel kernel);
// Throws Error(kUsage) when no kernel has this name.
ConvolutionKernel parse_convolution_kernel(std::string_view name);

// The column and the row whose product the filter is, when it is one to within 1e-6 of its largest
// weight; row[j] is 1 where the largest weight stands. Nothing for a filter of zeros.
struct SeparableFilter {
  std::vector<float> column;
  std::vector<float> row;
};
std::optional<SeparableFilter> separate(MatrixView<const float> filter);

// The kernels that the session's device can run and that take this filter, which is not empty, the
// one that should be fastest first. kDirect takes every filter.
std::vector<ConvolutionKernel> convolution_kernels(const OpenClSession& session,
                                                   MatrixView<const float> filter);
// The same where separate(filter) is known.
std::vector<ConvolutionKernel> convolution_kernels(const OpenClSession& session,
                                                   MatrixView<const float> filter,
                                                   const std::optional<SeparableFilter>& parts);

}  // namespace lookalike
