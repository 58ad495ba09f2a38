#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/image.h"
#include "kernels/session/session.h"

namespace lookalike {

// How an integral image is made; every kernel gives the same integers.
enum class IntegralKernel {
  kAuto,        // the fastest measured at the size, else the first of integral_kernels
  kTransposed,  // rows summed, transposed, rows summed, transposed back; only where 32 bits do
  kTiles,       // tiles side by side, from the sums above and to the left of each: for GPUs
  kBands,       // bands of rows side by side, each row by row: CPU devices only
};

// "auto", "transposed", "tiles", "bands".
std::string_view to_string(IntegralKernel kernel);
// Throws Error(kUsage) when no kernel has this name.
IntegralKernel parse_integral_kernel(std::string_view name);
// The kernels that the session's device can run for an image of so many pixels, the one that
// should be fastest first.
std::vector<IntegralKernel> integral_kernels(const OpenClSession& session, std::size_t pixels);

// Bytes of a sum: 4 up to 16,843,009 pixels, whose sum fits 32 bits whatever they are; else 8.
constexpr std::size_t integral_value_bytes(std::size_t pixels) {
  return pixels <= 0xffffffffU / 255U ? 4 : 8;
}

// Integral images: value (y, x) is the sum of all pixels above row y and left of column x, exactly.
//   pixels [height][width]     sums [height + 1][width + 1]; row 0 and column 0 are 0
// Sources: Crow, "Summed-Area Tables for Texture Mapping", SIGGRAPH 1984; Hensley et al., "Fast
// Summed-Area Table Generation and its Applications", Eurographics 2005 (by passes over rows and
// columns).
class ImageIntegral {
 public:
  // Throws Error(kDevice) when the device cannot run the kernel.
  explicit ImageIntegral(OpenClSession& session, IntegralKernel kernel = IntegralKernel::kAuto);

  // On the device; queued, not awaited. Sums are unsigned integers of integral_value_bytes bytes;
  // their buffer is another one. Throws Error(kDevice) when OpenCL fails or the kernel cannot take
  // an image of this size.
  void compute(const cl::Buffer& pixels, std::size_t width, std::size_t height,
               const cl::Buffer& sums);

  // The same from host memory to host memory.
  std::vector<std::uint64_t> compute(const ImageView& image);

  // The kernel for an image of this size; never kAuto.
  IntegralKernel kernel_for(std::size_t width, std::size_t height);

 private:
  struct Image;

  void run_transposed(const Image& image);
  void run_tiles(const Image& image);
  void run_bands(const Image& image);
  void scan_down(const Image& image, const cl::Buffer& columns, std::size_t bands);
  void scan_rows(const Image& image, const cl::Buffer& values, std::size_t rows,
                 std::size_t columns);

  OpenClSession& session_;
  IntegralKernel kernel_;
};

}  // namespace lookalike
