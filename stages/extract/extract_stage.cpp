#include "stages/extract/extract_stage.h"

#include <cmath>
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
          .max_features = options.max_features};
}

// Descriptor normalisation: none ("plain"), or signed square roots, scaled to length 1.
void normalise_descriptors(FeatureSet& features, const std::string& form) {
  if (form == "plain") return;
  const std::size_t size = features.descriptor_size;
  for (std::size_t first = 0; first < features.descriptors.size(); first += size) {
    const std::span<float> descriptor(features.descriptors.data() + first, size);
    for (float& value : descriptor) value = std::copysign(std::sqrt(std::abs(value)), value);
    float squares = 0;
    for (const float value : descriptor) squares += value * value;
    if (squares <= 0) continue;
    const float length = std::sqrt(squares);
    for (float& value : descriptor) value /= length;
  }
}

}  // namespace

ExtractStage::ExtractStage(OpenClSession& session, const ExtractOptions& options)
    : surf_(session, surf_parameters(options)), descriptor_form_(options.descriptor_form) {}

std::vector<ImageFeatures> ExtractStage::run(std::span<const DecodedImage> images,
                                             std::span<const ImageView> masks) {
  std::vector<ImageView> views;
  std::vector<ImageView> alphas;
  for (const DecodedImage& image : images) {
    views.push_back(image.pixels.view());
    alphas.push_back(image.alpha.view());
  }
  std::vector<FeatureSet> found = surf_.extract(views, masks.empty() ? alphas : masks);
  std::vector<ImageFeatures> features;
  for (std::size_t i = 0; i < images.size(); ++i) {
    normalise_descriptors(found[i], descriptor_form_);
    const double scale = images[i].scale;
    for (Keypoint& keypoint : found[i].keypoints) {
      keypoint.x = static_cast<float>(to_full_size(keypoint.x, scale));
      keypoint.y = static_cast<float>(to_full_size(keypoint.y, scale));
      keypoint.size = static_cast<float>(keypoint.size / scale);
    }
    features.push_back({images[i].record, std::move(found[i])});
  }
  return features;
}

}  // namespace lookalike
