#include "stages/assign/assign_stage.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "pipeline/parallel_ranges.h"
#include "pipeline/signature.h"

namespace lookalike {
namespace {

// The descriptors of several images as one matrix, and where each image's rows start.
struct Rows {
  std::vector<float> descriptors;
  std::vector<std::uint32_t> offsets = {0};
};

Rows join(std::span<const ImageFeatures> images, std::size_t descriptor_size) {
  Rows rows;
  for (const ImageFeatures& image : images) {
    const FeatureSet& features = image.features;
    if (features.size() > 0 && features.descriptor_size != descriptor_size) {
      throw Error(ErrorKind::kInput,
                  fmt::format("assign: {}: descriptors have {} numbers, the codebook's words {}",
                              image.image.file.path, features.descriptor_size, descriptor_size));
    }
    rows.descriptors.insert(rows.descriptors.end(), features.descriptors.begin(),
                            features.descriptors.end());
    rows.offsets.push_back(rows.offsets.back() + static_cast<std::uint32_t>(features.size()));
  }
  return rows;
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

SparseHistogram sparse(std::span<const std::uint32_t> counts) {
  SparseHistogram histogram;
  for (std::size_t word = 0; word < counts.size(); ++word) {
    if (counts[word] > 0) histogram.push_back({static_cast<std::uint32_t>(word), counts[word]});
  }
  return histogram;
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

}  // namespace

AssignStage::AssignStage(OpenClSession& session, Codebook codebook, const AssignOptions& options)
    : codebook_(std::move(codebook)),
      assigner_(session, codebook_.word_matrix(), parse_assign_kernel(options.kernel)) {}

std::vector<ImageWords> AssignStage::run(std::span<const ImageFeatures> images) {
  const Rows rows = join(images, codebook_.descriptor_size);
  const MatrixView<const float> descriptors(rows.descriptors, codebook_.descriptor_size);
  const std::vector<std::uint32_t> words = assigner_.assign(descriptors).words;
  const std::vector<std::uint64_t> signatures =
      signatures_in_parallel(descriptors, codebook_, words);
  const std::vector<std::uint32_t> counts = assigner_.histograms(words, rows.offsets);

  std::vector<ImageWords> result;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const std::size_t first = rows.offsets[i];
    const std::size_t count = rows.offsets[i + 1] - first;
    result.push_back({images[i].image,
                      by_word(images[i].features.keypoints, std::span(words).subspan(first, count),
                              std::span(signatures).subspan(first, count)),
                      sparse(std::span(counts).subspan(i * codebook_.size(), codebook_.size()))});
  }
  return result;
}

}  // namespace lookalike
