#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "kernels/correlation/correlation_jobs.h"
#include "kernels/session/session.h"
#include "pipeline/image.h"

namespace lookalike {

// Where a pattern fits best.
struct CorrelationPeak {
  float x = 0;  // top-left of the window, px of the image, sub-pixel
  float y = 0;
  float correlation = 0;  // at the best whole position
};

enum class CorrelationKernel {
  kAuto,    // kVector on a CPU, else kTiled where its work-group fits
  kVector,  // wide vectors in registers, no local memory
  kTiled,   // window and pattern walked in pieces through local memory
};

struct CorrelationOptions {
  CorrelationKernel kernel = CorrelationKernel::kAuto;
  bool double_precision = true;  // for the last division and root, where the device has it
};

// Normalised cross-correlation on the device:
//   rho = (n Sxt - Sx St) / sqrt((n Sxx - Sx^2) (n Stt - St^2)), in [-1, 1],
// sums over the n pixels of the pattern t and of the window x under it. Every sum is an exact
// integer, so that a flat window or a flat pattern is known for certain: rho is undefined there.
// Patterns hold up to 2^24 pixels and are up to 2^17 - 1 wide.
// Throws Error(kInternal) when a pattern is empty, larger than its image or past these limits.
// Method: Lewis, "Fast normalized cross-correlation", 1995; the tiled form after Song and Zhou,
// "Fast image matching based on GPU parallel computing", 2011.
class Correlation {
 public:
  explicit Correlation(OpenClSession& session, const CorrelationOptions& options = {});

  // rho at every whole position: [image.height - pattern.height + 1][image.width - pattern.width
  // + 1], NaN where undefined.
  std::vector<float> map(const ImageView& image, const ImageView& pattern);

  // The highest correlation of each pair (ties: lowest y, then lowest x), moved to the top of the
  // quadric through the 3x3 values around it, by at most half a pixel each way; not along an axis
  // on which a neighbour is missing or undefined. Nothing where rho is undefined everywhere.
  std::vector<std::optional<CorrelationPeak>> best_matches(std::span<const CorrelationPair> pairs);

  // rho of two images of the same size; with a mask of that size, over the pixels where it is not
  // zero. Nothing where undefined. Throws Error(kInternal) when the sizes differ.
  std::optional<float> correlate(const ImageView& a, const ImageView& b,
                                 const ImageView& mask = {});

 private:
  // Device memory that is kept from call to call and grows as needed.
  struct Scratch {
    cl::Buffer buffer;
    std::size_t bytes = 0;
  };
  void reserve(Scratch& scratch, std::size_t bytes);
  template <typename T>
  void refill(Scratch& scratch, std::span<const T> values);

  void upload(const CorrelationJobs& jobs);
  void fill_maps(const CorrelationJobs& jobs);
  std::vector<std::optional<CorrelationPeak>> find_peaks(const CorrelationJobs& jobs);
  template <typename... Outputs>
  void launch(cl::Kernel& kernel, const char* label, const BlockCounts& blocks,
              const Scratch& first, const Outputs&... buffers);

  OpenClSession& session_;
  const bool tiled_;
  const CorrelationLayout layout_;
  cl::Kernel row_sums_;
  cl::Kernel window_products_;
  cl::Kernel normalise_;
  cl::Kernel best_of_rows_;
  cl::Kernel refine_;
  cl::Kernel pair_sums_;
  Scratch jobs_, row_blocks_, tile_blocks_, normalise_blocks_, map_rows_;  // of one batch
  Scratch images_, patterns_, sums_, squares_, products_, map_, row_best_, peaks_;
};

}  // namespace lookalike
