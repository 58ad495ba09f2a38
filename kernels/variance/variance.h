#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/artefacts.h"
#include "base/image.h"
#include "kernels/session/session.h"

namespace lookalike {

// How the sums of the parts of an image are added up; every reduction gives the same integers.
enum class Reduction {
  kAuto,      // the fastest measured at the size, else the first of reductions
  kAtomic,    // one 64-bit atomic addition a work-group
  kTwoStage,  // partial sums, then a second launch
};

// "auto", "atomic", "two-stage".
std::string_view to_string(Reduction reduction);
// The reductions that the device can run, best guess first: kAtomic where it has 64-bit atomics,
// kTwoStage everywhere.
std::vector<Reduction> reductions(OpenClSession& session);

class ImageVariance {
 public:
  explicit ImageVariance(OpenClSession& session, Reduction reduction = Reduction::kAuto)
      : session_(session), reduction_(reduction) {}

  // The sums of each image. Images may differ in size, be empty and start anywhere in memory; many
  // go in one launch, fewer while the device is out of memory.
  // Throws Error(kDevice) when the device cannot run the reduction or a launch fails.
  std::vector<PixelSums> compute(std::span<const ImageView> images);

  // The reduction for `images` images of `pixels` pixels on average; never kAuto.
  Reduction reduction_for(std::size_t images, std::size_t pixels);

 private:
  void compute_batch(std::span<const ImageView> images, Reduction reduction,
                     std::span<PixelSums> results);

  OpenClSession& session_;
  Reduction reduction_;
};

}  // namespace lookalike
