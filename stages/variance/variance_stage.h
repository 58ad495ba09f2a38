#pragma once

#include <span>
#include <vector>

#include "base/artefacts.h"
#include "config/options.h"
#include "kernels/variance/variance.h"

namespace lookalike {

// Whether an image shows nothing: it is recorded, and never found.
inline bool is_blank(const PixelSums& sums, const VarianceOptions& options) {
  return sums.variance() < options.minimum;
}

// Stage variance: exact sums over the grey pixels that features are extracted from.
class VarianceStage {
 public:
  explicit VarianceStage(OpenClSession& session) : variance_(session) {}

  // One result an image, in order.
  std::vector<ImageStatistics> run(std::span<const DecodedImage> images);

 private:
  ImageVariance variance_;
};

}  // namespace lookalike
