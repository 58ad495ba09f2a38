#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/image.h"
#include "kernels/correlation/correlation_image.h"
#include "kernels/correlation/correlation_jobs.h"
#include "kernels/correlation/correlation_types.h"
#include "kernels/correlation/window_products.h"
#include "kernels/session/session.h"

namespace lookalike {

// Normalised cross-correlation on the device:
//   rho = (n Sxt - Sx St) / sqrt((n Sxx - Sx^2) (n Stt - St^2)), in [-1, 1],
// sums over the n pixels of the pattern t and of the window x under it. Every sum is an exact
// integer, so that a flat window or a flat pattern is known for certain: rho is undefined there.
// Patterns hold up to 2^24 pixels and are up to 2^16 - 1 wide.
// Throws Error(kInternal) when a pattern is empty, larger than its image, past these limits or
// differs in size from its mask; Error(kDevice) when the device cannot run the kernel asked for.
// Method: Lewis, "Fast normalized cross-correlation", 1995; see correlation_kernel.h for the forms.
class Correlation {
 public:
  using Peaks = std::vector<std::optional<CorrelationPeak>>;

  explicit Correlation(OpenClSession& session, const CorrelationOptions& options = {});

  // rho at every whole position: [image.height - pattern.height + 1][image.width - pattern.width
  // + 1], NaN where undefined.
  std::vector<float> map(const ImageView& image, const ImageView& pattern);
  std::vector<float> map(CorrelationImage& image, const CorrelationPattern& pattern);

  // The same for many patterns, left on the device; valid until the next call of any member.
  // Throws DeviceOutOfMemory when the maps do not fit there together.
  CorrelationMaps maps(CorrelationImage& image, std::span<const CorrelationPattern> patterns);

  // The highest correlation of each pair or pattern (ties: lowest y, then lowest x), moved to the
  // top of the quadric through the 3x3 values around it, by at most half a pixel each way; not
  // along an axis on which a neighbour is missing or undefined. Nothing where rho is undefined
  // everywhere.
  Peaks best_matches(std::span<const CorrelationPair> pairs);
  Peaks best_matches(CorrelationImage& image, std::span<const CorrelationPattern> patterns);

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
  using Items = std::span<const CorrelationItem>;

  void reserve(Scratch& scratch, std::size_t bytes);
  void release_scratch();
  template <typename T>
  void refill(Scratch& scratch, std::span<const T> values);

  void build_steps();
  WindowProducts& form_for(Items items);
  std::vector<CorrelationItem> place_pairs(std::span<const CorrelationPair> pairs);
  std::vector<CorrelationItem> items_in(CorrelationImage& image,
                                        std::span<const CorrelationPattern> patterns);
  void make_squares(CorrelationImage& image);
  CorrelationJobs fill_maps(Items items, const cl::Buffer& images, WindowProducts& form);
  void window_statistics(const CorrelationJobs& jobs, const cl::Buffer& images);
  void masked_statistics(const CorrelationJobs& jobs, const CorrelationBuffers& buffers,
                         WindowProducts& form);
  std::vector<float> read_map(const CorrelationJob& job);
  Peaks best_of(Items items, const cl::Buffer& images);
  Peaks find_peaks(const CorrelationJobs& jobs);
  template <typename... Arguments>
  void launch_blocks(cl::Kernel& kernel, const char* label, const JobRange& range, BlockKind kind,
                     const Arguments&... arguments);

  OpenClSession& session_;
  const bool doubles_;
  const std::vector<CorrelationKernel> kernels_;  // to choose from
  const CorrelationSteps steps_;
  std::map<CorrelationKernel, std::unique_ptr<WindowProducts>> forms_;
  cl::Kernel row_sums_, window_statistics_, masked_statistics_, square_planes_, normalise_;
  cl::Kernel best_of_rows_, refine_, pair_sums_;
  Scratch jobs_, images_, patterns_;  // of one batch
  Scratch sums_, squares_, window_sums_, inverses_, products_, map_, row_best_, peaks_;
};

// What Correlation::map computes, in plain C++ from the definition: exact sums at every position,
// NaN where undefined. The pattern must fit into the image; a mask that is not empty has the
// pattern's size, and pixels where it is zero do not count.
std::vector<double> correlation_reference(const ImageView& image, const ImageView& pattern,
                                          const ImageView& mask = {});

}  // namespace lookalike
