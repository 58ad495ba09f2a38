#include "stages/extract/extract_stage.h"

#include <utility>

namespace lookalike {
namespace {

void enlarge(std::vector<Keypoint>& keypoints, double scale) {
  for (Keypoint& keypoint : keypoints) {
    keypoint.x = static_cast<float>(to_full_size(keypoint.x, scale));
    keypoint.y = static_cast<float>(to_full_size(keypoint.y, scale));
    keypoint.size = static_cast<float>(keypoint.size / scale);
  }
}

}  // namespace

SurfParameters surf_parameters(const ExtractOptions& options) {
  SurfParameters parameters;
  parameters.hessian_threshold = static_cast<float>(options.hessian_threshold);
  parameters.octaves = static_cast<int>(options.octaves);
  parameters.layers = static_cast<int>(options.layers);
  parameters.descriptor_size = options.descriptor_size;
  parameters.upright = options.upright;
  parameters.max_features = options.max_features;
  return parameters;
}

ExtractStage::ExtractStage(OpenClSession& session, const ExtractOptions& options)
    : surf_(session, surf_parameters(options)) {}

std::vector<ImageFeatures> ExtractStage::run(std::span<const DecodedImage> images,
                                             std::span<const ImageView> masks) {
  std::vector<ImageView> views;
  for (const DecodedImage& image : images) views.push_back(image.pixels.view());
  std::vector<FeatureSet> found = surf_.extract(views, masks);
  std::vector<ImageFeatures> features;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (images[i].scale != 1) enlarge(found[i].keypoints, images[i].scale);
    features.push_back({images[i].record, std::move(found[i])});
  }
  return features;
}

}  // namespace lookalike
