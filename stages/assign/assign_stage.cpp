#include "stages/assign/assign_stage.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/signature.h"

namespace lookalike {
namespace {

// The descriptors of all images, one after the other.
std::vector<float> join(std::span<const ImageFeatures> images, std::size_t descriptor_size) {
  std::vector<float> descriptors;
  for (const ImageFeatures& image : images) {
    const FeatureSet& features = image.features;
    if (features.size() > 0 && features.descriptor_size != descriptor_size) {
      throw Error(ErrorKind::kInput,
                  fmt::format("assign: {}: descriptors have {} numbers, the codebook's words {}",
                              image.image.file.path, features.descriptor_size, descriptor_size));
    }
    descriptors.insert(descriptors.end(), features.descriptors.begin(), features.descriptors.end());
  }
  return descriptors;
}

std::vector<std::uint64_t> signatures_in_parallel(MatrixView<const float> descriptors,
                                                  const Codebook& codebook,
                                                  std::span<const std::uint32_t> words) {
  std::vector<std::uint64_t> signatures(words.size());
  parallel_ranges(words.size(), [&](std::size_t first, std::size_t last) {
    const std::size_t count = last - first;
    std::ranges::copy(
        signatures_of(descriptors.middle_rows(first, count), codebook, words.subspan(first, count)),
        signatures.begin() + static_cast<std::ptrdiff_t>(first));
  });
  return signatures;
}

std::vector<IndexedFeature> by_word(const std::vector<Keypoint>& keypoints,
                                    std::span<const std::uint32_t> words,
                                    std::span<const std::uint64_t> signatures) {
  std::vector<IndexedFeature> features;
  features.reserve(keypoints.size());
  for (std::size_t i = 0; i < keypoints.size(); ++i) {
    const Keypoint& keypoint = keypoints[i];
    features.push_back({words[i], signatures[i], keypoint.x, keypoint.y, keypoint.size,
                        keypoint.angle_degrees, keypoint.laplacian_sign});
  }
  std::ranges::stable_sort(features, {}, &IndexedFeature::word);
  return features;
}

// Of features in the order of their words.
SparseHistogram count_words(std::span<const IndexedFeature> features) {
  SparseHistogram histogram;
  for (const IndexedFeature& feature : features) {
    if (histogram.empty() || histogram.back().word != feature.word) {
      histogram.push_back({feature.word, 0});
    }
    ++histogram.back().count;
  }
  return histogram;
}

}  // namespace

AssignStage::AssignStage(OpenClSession& session, Codebook codebook, const AssignOptions& options)
    : codebook_(std::move(codebook)),
      assigner_(session, codebook_.word_matrix(),
                variant_of<AssignKernel>("assign kernel", options.kernel)) {}

std::vector<ImageWords> AssignStage::run(std::span<const ImageFeatures> images) {
  const std::vector<float> values = join(images, codebook_.descriptor_size);
  const MatrixView<const float> descriptors(values, codebook_.descriptor_size);
  const std::vector<std::uint32_t> words = assigner_.assign(descriptors).words;
  const std::vector<std::uint64_t> signatures =
      signatures_in_parallel(descriptors, codebook_, words);

  std::vector<ImageWords> result;
  std::size_t first = 0;
  for (const auto& [image, features] : images) {
    std::vector<IndexedFeature> indexed =
        by_word(features.keypoints, std::span(words).subspan(first, features.size()),
                std::span(signatures).subspan(first, features.size()));
    SparseHistogram histogram = count_words(indexed);
    result.push_back({image, std::move(indexed), std::move(histogram)});
    first += features.size();
  }
  return result;
}

}  // namespace lookalike
