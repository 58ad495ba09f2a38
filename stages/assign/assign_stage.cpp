#include "stages/assign/assign_stage.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace lookalike {
namespace {

// Features uploaded together: 64 MiB of 64-D descriptors.
constexpr std::size_t kBatchFeatures = std::size_t{1} << 18;

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

// Returns the features sorted by word, stably.
std::vector<IndexedFeature> by_word(std::span<const Keypoint> keypoints,
                                    std::span<const std::uint32_t> words,
                                    std::span<const std::uint64_t> signatures) {
  std::vector<std::uint64_t> order;  // the word above, the feature below
  order.reserve(words.size());
  for (std::size_t i = 0; i < words.size(); ++i)
    order.push_back(std::uint64_t{words[i]} << 32U | i);
  std::ranges::sort(order);
  std::vector<IndexedFeature> features;
  features.reserve(order.size());
  for (const std::uint64_t key : order) {
    const auto i = static_cast<std::uint32_t>(key);
    const Keypoint& keypoint = keypoints[i];
    features.push_back({words[i], signatures[i], keypoint.x, keypoint.y, keypoint.size,
                        keypoint.angle_degrees, keypoint.laplacian_sign});
  }
  return features;
}

}  // namespace

AssignStage::AssignStage(OpenClSession& session, Codebook codebook, const AssignOptions& options)
    : session_(session),
      codebook_(std::move(codebook)),
      assigner_(session, codebook_, variant_of<AssignKernel>("assign kernel", options.variant)),
      signatures_(session, codebook_) {}

std::vector<ImageWords> AssignStage::run(std::span<const ImageFeatures> images) {
  const std::vector<float> values = join(images, codebook_.descriptor_size);
  const std::size_t features = values.size() / codebook_.descriptor_size;
  AssignedFeatures assigned;
  for_each_batch(features, kBatchFeatures, [&](std::size_t first, std::size_t count) {
    const std::span<const float> rows(values.data() + first * codebook_.descriptor_size,
                                      count * codebook_.descriptor_size);
    const AssignedFeatures some = run(session_.upload(rows), count);
    assigned.words.insert(assigned.words.end(), some.words.begin(), some.words.end());
    assigned.signatures.insert(assigned.signatures.end(), some.signatures.begin(),
                               some.signatures.end());
  });
  std::vector<ImageWords> result;
  std::size_t first = 0;
  for (const auto& [image, features_of_image] : images) {
    const std::size_t count = features_of_image.size();
    result.push_back(image_words(image, features_of_image.keypoints,
                                 std::span(assigned.words).subspan(first, count),
                                 std::span(assigned.signatures).subspan(first, count)));
    first += count;
  }
  return result;
}

AssignedFeatures AssignStage::run(const cl::Buffer& descriptors, std::size_t n) {
  AssignedFeatures assigned;
  if (n == 0) return assigned;
  buffers_.words.reserve(session_, n * sizeof(std::uint32_t));
  buffers_.squared_distances.reserve(session_, n * sizeof(float));
  buffers_.signatures.reserve(session_, n * sizeof(std::uint64_t));
  assigner_.nearest(descriptors, n, 1, buffers_.words.buffer, buffers_.squared_distances.buffer);
  signatures_.compute(descriptors, buffers_.words.buffer, n, buffers_.signatures.buffer);
  session_.view<std::uint32_t>(buffers_.words.buffer, n, [&](std::span<const std::uint32_t> words) {
    assigned.words.assign(words.begin(), words.end());
  });
  session_.view<std::uint64_t>(buffers_.signatures.buffer, n,
                               [&](std::span<const std::uint64_t> signatures) {
                                 assigned.signatures.assign(signatures.begin(), signatures.end());
                               });
  return assigned;
}

ImageWords image_words(const ImageRecord& image, std::span<const Keypoint> keypoints,
                       std::span<const std::uint32_t> words,
                       std::span<const std::uint64_t> signatures) {
  std::vector<IndexedFeature> indexed = by_word(keypoints, words, signatures);
  SparseHistogram histogram = count_words(indexed, &IndexedFeature::word);
  return {image, std::move(indexed), std::move(histogram)};
}

}  // namespace lookalike
