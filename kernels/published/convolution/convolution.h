#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/matrix_view.h"
#include "kernels/session/session.h"
#include "kernels/variant_names.h"

namespace lookalike {

// How to apply a filter. All kernels agree but for the order in which they add products.
enum class ConvolutionKernel {
  kAuto,       // the fastest measured of those that take the filter, else the first of them
  kDirect,     // one work-item per pixel: the baseline
  kTiled,      // the tile and its halo in local memory, several pixels per item; sides up to 15
  kRegisters,  // several pixels per item, straight from the cache; sides up to 9
  kVectors,    // rows of 16 pixels in vector registers: CPU devices only
  kSeparable,  // rows, then columns; filters of rank 1 with up to 64 rows
};
template <>
inline constexpr auto kVariantNames<ConvolutionKernel> = std::to_array<std::string_view>(
    {"auto", "direct", "tiled", "registers", "vectors", "separable"});

// The column and the row whose product the filter is, when it is one to within 1e-6 of its largest
// weight; row[j] is 1 where the largest weight stands. Nothing for a filter of zeros.
struct SeparableFilter {
  std::vector<float> column;
  std::vector<float> row;
};
std::optional<SeparableFilter> separate(MatrixView<const float> filter);

// The kernels that the device can run and that take this filter, which is not empty, best guess
// first. kDirect takes every filter.
std::vector<ConvolutionKernel> convolution_kernels(const OpenClSession& session,
                                                   MatrixView<const float> filter);

// What lies beyond an image's border. With kValid nothing does, and the result has only the pixels
// over which the whole filter fits; with the others it has the image's size.
enum class Border {
  kValid,
  kZero,
  kClamp,    // the nearest pixel: aaa|abcd|ddd
  kReflect,  // mirrored at the middle of the outermost pixel: dcb|abcd|cba
};

// Convolution and correlation of float images [rows][columns] with one filter [height][width].
//   correlate: result(y, x) = sum over i, j of filter(i, j) * image(y + i - top, x + j - left)
//   convolve:  the same with the filter turned by 180 degrees
// top = left = 0 with Border::kValid; else top = height / 2 and left = width / 2.
class Convolution {
 public:
  // Throws Error(kInternal) when the filter is empty, Error(kDevice) when the kernel does not take
  // it (see convolution_kernels) or OpenCL fails.
  Convolution(OpenClSession& session, MatrixView<const float> filter,
              Border border = Border::kValid, ConvolutionKernel kernel = ConvolutionKernel::kAuto);

  // Rows and columns of the result for those of an image; 0 when the filter does not fit.
  std::size_t result_rows(std::size_t rows) const { return fitting(rows, height_); }
  std::size_t result_columns(std::size_t columns) const { return fitting(columns, width_); }

  // On the device; queued, not awaited. result [result_rows][result_columns] is another buffer.
  // Sides are below 2^31 - 2^16; throw Error(kInternal) on larger ones, Error(kDevice) on failure.
  void correlate(const cl::Buffer& image, std::size_t rows, std::size_t columns,
                 const cl::Buffer& result);
  void convolve(const cl::Buffer& image, std::size_t rows, std::size_t columns,
                const cl::Buffer& result);

  // The kernel in use; never kAuto.
  ConvolutionKernel kernel() const { return kernel_; }

 private:
  // As the kernel takes them: the filter's, or its column's and then its row's.
  struct Weights {
    std::vector<float> values;
    cl::Buffer buffer;
  };

  std::size_t fitting(std::size_t image_side, std::size_t filter_side) const;
  void set_weights(cl::Kernel& kernel, const Weights& weights) const;
  void run(const Weights& weights, const cl::Buffer& image, std::size_t rows, std::size_t columns,
           const cl::Buffer& result);

  OpenClSession& session_;
  std::size_t height_;
  std::size_t width_;
  Border border_;
  ConvolutionKernel kernel_;
  Weights weights_;
  Weights turned_weights_;  // of the filter turned by 180 degrees
  // For images of any width and, of kRegisters, for multiples of 4 columns; compiled when needed.
  std::array<cl::Kernel, 2> correlate_{};
};

}  // namespace lookalike
