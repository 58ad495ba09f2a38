#include "stages/extract/extract_stage.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

namespace lookalike {
namespace {

void to_full_size(std::vector<Keypoint>& keypoints, double scale) {
  for (Keypoint& keypoint : keypoints) {
    keypoint.x = static_cast<float>(lookalike::to_full_size(keypoint.x, scale));
    keypoint.y = static_cast<float>(lookalike::to_full_size(keypoint.y, scale));
    keypoint.size = static_cast<float>(keypoint.size / scale);
  }
}

void take_signed_root(std::span<float> values) {
  for (float& value : values) value = std::copysign(std::sqrt(std::abs(value)), value);
}

void normalise(std::span<float> values) {
  float squares = 0;
  for (const float value : values) squares += value * value;
  if (squares <= 0) return;
  const float length = std::sqrt(squares);
  for (float& value : values) value /= length;
}

void take_form(FeatureSet& features, const std::string& form) {
  if (form == "plain") return;
  const std::size_t size = features.descriptor_size;
  for (std::size_t first = 0; first < features.descriptors.size(); first += size) {
    const std::span<float> descriptor(features.descriptors.data() + first, size);
    take_signed_root(descriptor);
    normalise(descriptor);
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
    take_form(found[i], descriptor_form_);
    if (images[i].scale != 1) to_full_size(found[i].keypoints, images[i].scale);
    features.push_back({images[i].record, std::move(found[i])});
  }
  return features;
}

}  // namespace lookalike
