#pragma once

#include <span>
#include <vector>

#include "kernels/variance/variance.h"
#include "stages/decode/decode.h"

namespace lookalike {

// Stage variance: exact sums over the grey pixels that features are taken from. An image whose
// variance is below VarianceOptions::minimum shows nothing, and counts as blank.
class VarianceStage {
 public:
  explicit VarianceStage(OpenClSession& session) : variance_(session) {}

  // One result an image, in order.
  std::vector<ImageStatistics> run(std::span<const DecodedImage> images) {
    std::vector<ImageView> views;
    for (const DecodedImage& image : images) views.push_back(image.pixels.view());
    const std::vector<PixelSums> sums = variance_.compute(views);
    std::vector<ImageStatistics> statistics;
    for (std::size_t i = 0; i < images.size(); ++i) {
      statistics.push_back({images[i].record, sums[i]});
    }
    return statistics;
  }

 private:
  ImageVariance variance_;
};

}  // namespace lookalike
