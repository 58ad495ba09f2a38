#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/image.h"
#include "kernels/session/session.h"
#include "kernels/variants.h"

namespace lookalike {

// How to make an integral image; both kernels give the same integers.
enum class IntegralKernel {
  kAuto,        // the fastest measured at the size, else the first of integral_kernels
  kTransposed,  // the published form, for 4-byte sums: rows summed, transposed, summed, transposed
  kTiles,       // tiles side by side, from the sums above and to the left of each
};
template <>
inline constexpr auto kVariantNames<IntegralKernel> =
    std::to_array<std::string_view>({"auto", "transposed", "tiles"});

// The kernels for an image of `pixels` pixels, best guess first.
std::vector<IntegralKernel> integral_kernels(std::size_t pixels);

// Returns the bytes of a sum: 4 up to 16,843,009 pixels, whose sum always fits 32 bits; else 8.
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
  explicit ImageIntegral(OpenClSession& session, IntegralKernel kernel = IntegralKernel::kAuto)
      : session_(session), kernel_(kernel) {}

  // Queues the work. Sums are unsigned integers of integral_value_bytes bytes, in another buffer.
  // Throws Error(kDevice) when the kernel does not take an image of this size or OpenCL fails.
  void compute(const cl::Buffer& pixels, std::size_t width, std::size_t height,
               const cl::Buffer& sums);

  // Returns the kernel for an image of this size; never kAuto.
  IntegralKernel kernel_for(std::size_t width, std::size_t height);

 private:
  OpenClSession& session_;
  IntegralKernel kernel_;
};

// Computes what ImageIntegral::compute must give, in plain C++; SURF's reference uses it too.
std::vector<std::uint64_t> integral_image_reference(const ImageView& image);

}  // namespace lookalike
