#pragma once

#include <span>
#include <vector>

#include "base/artefacts.h"
#include "kernels/variance/variance.h"

namespace lookalike {

// Stage variance: exact sums over the grey pixels that features are taken from. An image whose
// variance is below VarianceOptions::minimum shows nothing, and counts as blank.
class VarianceStage {
 public:
  explicit VarianceStage(OpenClSession& session) : variance_(session) {}

  // One result an image, in order.
  std::vector<ImageStatistics> run(std::span<const DecodedImage> images);

 private:
  ImageVariance variance_;
};

}  // namespace lookalike
