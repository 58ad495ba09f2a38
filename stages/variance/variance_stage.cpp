#include "stages/variance/variance_stage.h"

namespace lookalike {

std::vector<ImageStatistics> VarianceStage::run(std::span<const DecodedImage> images) {
  std::vector<ImageView> views;
  for (const DecodedImage& image : images) views.push_back(image.pixels.view());
  const std::vector<PixelSums> sums = variance_.compute(views);
  std::vector<ImageStatistics> statistics;
  for (std::size_t i = 0; i < images.size(); ++i) {
    statistics.push_back({images[i].record, sums[i]});
  }
  return statistics;
}

}  // namespace lookalike
