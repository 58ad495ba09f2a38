#pragma once

#include <span>
#include <vector>

#include "base/artefacts.h"
#include "config/options.h"
#include "kernels/variance/variance.h"

namespace lookalike {

// True if an image shows nothing; such images are recorded but never found.
inline bool is_blank(const PixelSums& sums, const VarianceOptions& options) {
  return sums.variance() < options.blank_below;
}

// Stage variance: computes exact sums over the grey pixels that features are extracted from.
class VarianceStage {
 public:
  explicit VarianceStage(OpenClSession& session) : variance_(session) {}

  // Returns one result per image, in order.
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
  // Returns the sums of images on the device.
  std::vector<PixelSums> run(const DeviceImages& images) { return variance_.compute(images); }

 private:
  ImageVariance variance_;
};

}  // namespace lookalike
