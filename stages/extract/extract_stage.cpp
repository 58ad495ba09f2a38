#include "stages/extract/extract_stage.h"

#include <cstddef>
#include <string>
#include <utility>

namespace lookalike {
namespace {

SurfParameters surf_parameters(const ExtractOptions& options) {
  return {.hessian_threshold = static_cast<float>(options.hessian_threshold),
          .octaves = static_cast<int>(options.octaves),
          .layers = static_cast<int>(options.layers),
          .descriptor_size = options.descriptor_size,
          .upright = options.upright,
          .max_features = options.max_features,
          .signed_roots = options.descriptor_form == "signed_root",
          .brighten_to = static_cast<int>(options.brighten_to),
          .max_interval = static_cast<int>(options.max_interval)};
}

// Scales keypoints of resized pixels to the full-size image.
void scale_to_full_size(std::span<Keypoint> keypoints, double scale) {
  for (Keypoint& keypoint : keypoints) {
    keypoint.x = static_cast<float>(to_full_size(keypoint.x, scale));
    keypoint.y = static_cast<float>(to_full_size(keypoint.y, scale));
    keypoint.size = static_cast<float>(keypoint.size / scale);
  }
}

}  // namespace

ExtractStage::ExtractStage(OpenClSession& session, const ExtractOptions& options)
    : surf_(session, surf_parameters(options)) {}

std::vector<ImageFeatures> ExtractStage::run(std::span<const DecodedImage> images,
                                             std::span<const ImageView> masks) {
  std::vector<ImageView> alphas;
  for (const DecodedImage& image : images) alphas.push_back(image.alpha.view());
  std::vector<ImageView> views;
  for (const DecodedImage& image : images) views.push_back(image.pixels.view());
  std::vector<FeatureSet> found = surf_.extract(views, masks.empty() ? alphas : masks);
  std::vector<ImageFeatures> features;
  for (std::size_t i = 0; i < images.size(); ++i) {
    scale_to_full_size(found[i].keypoints, images[i].scale);
    features.push_back({images[i].record, std::move(found[i])});
  }
  return features;
}

void ExtractStage::run(const DeviceImages& uploaded, std::span<const DecodedImage> images,
                       const std::function<void(FoundFeatures)>& visit) {
  require(uploaded.size() == images.size(), "ExtractStage: other images are on the device");
  surf_.find(uploaded, [&](FoundFeatures found) {
    for (std::size_t i = 0; i < found.images.size(); ++i) {
      const auto [first, count] = found.range(i);
      scale_to_full_size(std::span(found.keypoints).subspan(first, count),
                         images[found.images[i]].scale);
    }
    visit(std::move(found));
  });
}

}  // namespace lookalike
