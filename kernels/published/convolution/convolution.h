#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/matrix_view.h"
#include "kernels/session/session.h"
#include "kernels/variants.h"

namespace lookalike {

// How to apply a filter. Both kernels agree but for the order in which they add products.
enum class ConvolutionKernel {
  kAuto,       // the fastest measured of those that take the filter, else the first of them
  kTiled,      // the published form: the tile and its halo in local memory
  kRegisters,  // straight from the cache into registers; filters of up to 9 rows and columns
};
template <>
inline constexpr auto kVariantNames<ConvolutionKernel> =
    std::to_array<std::string_view>({"auto", "tiled", "registers"});

// The kernels that take this filter, best guess first.
std::vector<ConvolutionKernel> convolution_kernels(MatrixView<const float> filter);

// What lies beyond an image's border. With kValid nothing does: the result has only the pixels over
// which the whole filter fits. With the others it has the image's size.
enum class Border {
  kValid,
  kZero,
  kClamp,    // the nearest pixel: aaa|abcd|ddd
  kReflect,  // mirrored at the middle of the outermost pixel: dcb|abcd|cba
};

// Convolves and correlates float images [rows][columns] with one filter [height][width].
//   correlate: result(y, x) = sum over i, j of filter(i, j) * image(y + i - top, x + j - left)
//   convolve:  the same with the filter turned by 180 degrees
// top = left = 0 with Border::kValid; else top = height / 2 and left = width / 2.
class Convolution {
 public:
  // Throws Error(kInternal) unless the filter has 1 to 15 rows and columns, Error(kDevice) when the
  // kernel does not take it (see convolution_kernels) or OpenCL fails.
  Convolution(OpenClSession& session, MatrixView<const float> filter,
              Border border = Border::kValid, ConvolutionKernel kernel = ConvolutionKernel::kAuto);

  // Rows and columns of the result; 0 when the filter does not fit into the image.
  std::size_t result_rows(std::size_t rows) const { return fitting(rows, height_); }
  std::size_t result_columns(std::size_t columns) const { return fitting(columns, width_); }

  // Queue the work. result [result_rows][result_columns] is another buffer. Sides are below
  // 2^31 - 2^16; throw Error(kInternal) on larger ones, Error(kDevice) when OpenCL fails.
  void correlate(const cl::Buffer& image, std::size_t rows, std::size_t columns,
                 const cl::Buffer& result);
  void convolve(const cl::Buffer& image, std::size_t rows, std::size_t columns,
                const cl::Buffer& result);

  // Returns the kernel in use; never kAuto.
  ConvolutionKernel kernel() const { return kernel_; }

 private:
  struct Weights {
    std::vector<float> values;
    cl::Buffer buffer;
  };

  std::size_t fitting(std::size_t image_side, std::size_t filter_side) const;
  void run(const Weights& weights, const cl::Buffer& image, std::size_t rows, std::size_t columns,
           const cl::Buffer& result);

  OpenClSession& session_;
  std::size_t height_;
  std::size_t width_;
  Border border_;
  ConvolutionKernel kernel_;
  Weights weights_;
  Weights turned_weights_;  // of the filter turned by 180 degrees
  // For any width, and for multiples of 4 columns (kRegisters only); built when needed.
  std::array<cl::Kernel, 2> correlate_{};
};

}  // namespace lookalike
