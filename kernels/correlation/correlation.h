#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/image.h"
#include "kernels/session/session.h"
#include "kernels/variants.h"

namespace lookalike {

// How to compute the sums of window times pattern. All forms give the same integers, hence the same
// correlations, bit for bit.
enum class CorrelationKernel {
  kAuto,         // the fastest for the device and the sizes
  kPerPosition,  // a work-group per position, an item per pixel of the pattern; as published
  kTiled,        // 16 x 16 positions per work-group, half of each window reused; as published
  kVector,       // wide vectors of floats in registers, no local memory; for CPUs
  kDotProduct,   // byte dot products: AVX-512 VNNI or AVX-VNNI on a CPU, dp4a on NVIDIA
  kMatrix,       // NVIDIA's matrix units
  kFrequency,    // Fourier transforms of blocks in double precision; where VkFFT is built in
};
template <>
inline constexpr auto kVariantNames<CorrelationKernel> = std::to_array<std::string_view>(
    {"auto", "per_position", "tiled", "vector", "dot_product", "matrix", "frequency"});

// Returns the forms that work on this device, best guess first. Forms with machine code are
// compiled and tried on a small pair, once a session.
std::vector<CorrelationKernel> correlation_kernels(OpenClSession& session);

// A search for some patterns of one size in an image.
struct CorrelationSizes {
  int width = 0;  // of the image, px
  int height = 0;
  int pattern_width = 0;
  int pattern_height = 0;
  std::size_t patterns = 1;

  // Returns the products of pixels that one pattern takes at all positions.
  double products() const {
    return 1.0 * (width - pattern_width + 1) * (height - pattern_height + 1) * pattern_width *
           pattern_height;
  }
  // Returns the sizes as tuning files name them.
  TuningSizes tuning_sizes() const;
};

// Moves kFrequency to the front where it should take less time than the first form, which must be
// the best of those that go through positions.
//   kernels  at least one
std::vector<CorrelationKernel> best_guess_first(std::vector<CorrelationKernel> kernels,
                                                const CorrelationSizes& sizes, bool is_cpu);

// An image, and a pattern ("template" is a word of C++) to find in it.
struct CorrelationPair {
  ImageView image;
  ImageView pattern;
};

// Where a pattern fits best.
struct CorrelationPeak {
  float x = 0;  // top-left of the window, px of the image, sub-pixel
  float y = 0;
  float correlation = 0;  // at the best whole position
};

struct CorrelationOptions {
  CorrelationKernel kernel = CorrelationKernel::kAuto;
  bool double_precision = true;  // for the last division and root, if supported
};

// Normalised cross-correlation on the device:
//   rho = (n Sxt - Sx St) / sqrt((n Sxx - Sx^2) (n Stt - St^2)), in [-1, 1],
// sums over the n pixels of the pattern t and of the window x under it. Every sum is an exact
// integer, so that a flat window or pattern, for which rho is undefined, is recognised for certain.
// Patterns hold up to 2^24 pixels and are up to 2^16 - 1 wide. Throws Error(kInternal) when a
// pattern is empty, larger than its image or past these limits; Error(kDevice) when the device
// cannot run the kernel of the options. Method: Lewis, "Fast normalized cross-correlation", 1995.
class Correlation {
 public:
  using Peaks = std::vector<std::optional<CorrelationPeak>>;

  explicit Correlation(OpenClSession& session, const CorrelationOptions& options = {});
  ~Correlation();

  // Returns rho at every whole position: [image.height - pattern.height + 1][image.width -
  // pattern.width + 1], NaN where undefined.
  std::vector<float> map(const ImageView& image, const ImageView& pattern);

  // Returns the highest correlation of each pair (ties: lowest y, then lowest x), moved to the top
  // of the quadric through the 3x3 values around it, by at most half a pixel each way, and not
  // along an axis on which a neighbour is missing or undefined. Nothing where rho is undefined
  // everywhere. Neighbouring pairs of the same image share it on the device, and its sums if their
  // patterns have one size.
  Peaks best_matches(std::span<const CorrelationPair> pairs);

  // Returns rho of two images of one size [height][width], in [-1, 1]; nothing where it is
  // undefined. Computed on the host, from exact sums. With a mask of that size, only pixels where
  // it is not zero count. Throws Error(kInternal) when the sizes differ.
  static std::optional<float> correlate(const ImageView& a, const ImageView& b,
                                        const ImageView& mask = {});

 private:
  class Rep;
  std::unique_ptr<Rep> rep_;
};

// Computes what Correlation::map must give, in plain C++ from the definition: exact sums at every
// position, NaN where undefined. The pattern must fit into the image.
std::vector<double> correlation_reference(const ImageView& image, const ImageView& pattern);

}  // namespace lookalike
