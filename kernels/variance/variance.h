#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/artefacts.h"
#include "base/image.h"
#include "kernels/session/session.h"

namespace lookalike {

// How the parts of an image come together; every reduction gives the same integers.
enum class Reduction {
  kAuto,      // the fastest measured at the size, else the first of reductions
  kAtomic,    // one 64-bit atomic addition a work-group
  kTwoStage,  // partial sums, then a second launch
};

// "auto", "atomic", "two-stage".
std::string_view to_string(Reduction reduction);
// Throws Error(kUsage) when no reduction has this name.
Reduction parse_reduction(std::string_view name);
// The reductions that the session's device can run, the one that should be fastest first: kAtomic
// where session.has_int64_atomics(), and kTwoStage everywhere.
std::vector<Reduction> reductions(OpenClSession& session);

class ImageVariance {
 public:
  // Throws Error(kDevice) when kAtomic is asked for and the device has no 64-bit atomics.
  explicit ImageVariance(OpenClSession& session, Reduction reduction = Reduction::kAuto);

  // The sums of each image. Images may differ in size, be empty and start anywhere in memory; many
  // go in one launch, fewer while the device is out of memory.
  // Throws Error(kDevice) when a launch fails.
  std::vector<PixelSums> compute(std::span<const ImageView> images);

  // The reduction for so many images of so many pixels on average; never kAuto.
  Reduction reduction_for(std::size_t images, std::size_t pixels);

 private:
  void compute_batch(std::span<const ImageView> images, Reduction reduction,
                     std::span<PixelSums> results);

  OpenClSession& session_;
  Reduction reduction_;
  std::size_t group_items_;
};

}  // namespace lookalike
