#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/session/session.h"
#include "pipeline/image.h"

namespace lookalike {

// The sums that mean and variance of an image's grey levels come from, exactly.
struct VarianceSums {
  std::uint64_t count = 0;           // pixels
  std::uint64_t sum = 0;             // of p
  std::uint64_t sum_of_squares = 0;  // of p^2

  // Both are 0 for an image without pixels. The variance is that of all pixels, not of a sample:
  // (count * sum_of_squares - sum^2) / count^2, the difference taken in 128-bit integers.
  double mean() const;
  double variance() const;
  bool operator==(const VarianceSums&) const = default;
};

// How the parts of an image come together; every reduction gives the same integers.
enum class Reduction {
  kAuto,      // kAtomic where session.has_int64_atomics(), else kTwoStage
  kAtomic,    // one 64-bit atomic addition a work-group
  kTwoStage,  // partial sums, then a second launch
};

// "auto", "atomic", "two-stage".
std::string_view to_string(Reduction reduction);

class ImageVariance {
 public:
  // Throws Error(kDevice) when kAtomic is asked for and the device has no 64-bit atomics.
  explicit ImageVariance(OpenClSession& session, Reduction reduction = Reduction::kAuto);

  // The sums of each image. Images may differ in size, be empty and start anywhere in memory; many
  // go in one launch, fewer while the device is out of memory.
  // Throws Error(kDevice) when a launch fails.
  std::vector<VarianceSums> compute(std::span<const ImageView> images);

  // The reduction in use; never kAuto.
  Reduction reduction() const { return reduction_; }

 private:
  void compute_batch(std::span<const ImageView> images, std::span<VarianceSums> results);

  OpenClSession& session_;
  Reduction reduction_;
  std::size_t group_items_;
};

}  // namespace lookalike
