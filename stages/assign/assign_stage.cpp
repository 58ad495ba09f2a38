#include "stages/assign/assign_stage.h"

#include <utility>

#include <fmt/format.h>

namespace lookalike {
namespace {

// Images uploaded together: 64 MiB of 64-D descriptors of 1,000 features each.
constexpr std::size_t kBatchImages = 256;

// Returns the descriptors of all images, one after the other.
std::vector<float> join(std::span<const ImageFeatures> images, std::size_t descriptor_size) {
  std::vector<float> descriptors;
  for (const ImageFeatures& image : images) {
    const FeatureSet& features = image.features;
    if (features.size() > 0 && features.descriptor_size != descriptor_size) {
      throw Error(
          ErrorKind::kInput,
          fmt::format("assign: {}: descriptors have {} numbers, but the codebook's words {}",
                      image.image.file.path, features.descriptor_size, descriptor_size));
    }
    descriptors.insert(descriptors.end(), features.descriptors.begin(), features.descriptors.end());
  }
  return descriptors;
}

// Copies the first n values of a buffer.
template <typename T>
std::vector<T> copy_of(OpenClSession& session, const cl::Buffer& buffer, std::size_t n) {
  std::vector<T> copy;
  session.view<T>(buffer, n,
                  [&](std::span<const T> values) { copy.assign(values.begin(), values.end()); });
  return copy;
}

}  // namespace

AssignStage::AssignStage(OpenClSession& session, Codebook codebook)
    : session_(session),
      codebook_(std::move(codebook)),
      assigner_(session, codebook_),
      signatures_(session, codebook_),
      histograms_(session, codebook_.size()) {}

std::vector<ImageWords> AssignStage::run(std::span<const ImageFeatures> images) {
  std::vector<ImageWords> result;
  for_each_batch(images.size(), kBatchImages, [&](std::size_t first, std::size_t count) {
    const std::span<const ImageFeatures> batch = images.subspan(first, count);
    std::vector<std::uint32_t> offsets = {0};
    for (const ImageFeatures& image : batch) {
      offsets.push_back(offsets.back() + static_cast<std::uint32_t>(image.features.size()));
    }
    const std::vector<float> descriptors = join(batch, codebook_.descriptor_size);
    const AssignedFeatures assigned =
        run(session_.upload(std::span<const float>(descriptors)), offsets);
    for (std::size_t i = 0; i < count; ++i) {
      result.push_back(
          image_words(batch[i].image, batch[i].features.keypoints, assigned, offsets[i]));
    }
  });
  return result;
}

AssignedFeatures AssignStage::run(const cl::Buffer& descriptors,
                                  std::span<const std::uint32_t> offsets) {
  const std::size_t n = offsets.empty() ? 0 : offsets.back();
  if (n == 0) return {};
  buffers_.words.reserve(session_, n * sizeof(std::uint32_t));
  buffers_.squared_distances.reserve(session_, n * sizeof(float));
  buffers_.signatures.reserve(session_, n * sizeof(std::uint64_t));
  assigner_.nearest(descriptors, n, 1, buffers_.words.buffer, buffers_.squared_distances.buffer);
  signatures_.compute(descriptors, buffers_.words.buffer, n, buffers_.signatures.buffer);
  const auto& [words, signatures, numbers] =
      histograms_.sort(buffers_.words.buffer, buffers_.signatures.buffer, offsets);
  return {copy_of<std::uint32_t>(session_, words, n),
          copy_of<std::uint64_t>(session_, signatures, n),
          copy_of<std::uint32_t>(session_, numbers, n)};
}

ImageWords image_words(const ImageRecord& image, std::span<const Keypoint> keypoints,
                       const AssignedFeatures& assigned, std::size_t first) {
  std::vector<IndexedFeature> features;
  features.reserve(keypoints.size());
  for (std::size_t i = first; i < first + keypoints.size(); ++i) {
    const Keypoint& keypoint = keypoints[assigned.numbers[i]];
    features.push_back({assigned.words[i], assigned.signatures[i], keypoint.x, keypoint.y,
                        keypoint.size, keypoint.angle_degrees, keypoint.laplacian_sign});
  }
  SparseHistogram histogram = count_words(features, &IndexedFeature::word);
  return {image, std::move(features), std::move(histogram)};
}

}  // namespace lookalike
