#include "stages/match/vote/query_words.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "base/signature.h"
#include "stages/match/vote/runs.h"

namespace lookalike {
namespace {

void sort_by_word(std::vector<QueryWord>& words) {
  std::ranges::sort(words, [](const QueryWord& a, const QueryWord& b) {
    return std::tie(a.word, a.feature) < std::tie(b.word, b.feature);
  });
}

}  // namespace

IndexQuery index_query(const Query& query, const Codebook& codebook, WordAssigner& assigner,
                       std::size_t words_per_feature, std::size_t features) {
  IndexQuery result;
  result.excluded_image = query.excluded_image;
  result.width = query.image.record.width;
  result.height = query.image.record.height;
  const std::vector<Keypoint>& keypoints = query.features.keypoints;
  for (const Keypoint& keypoint : keypoints) result.places.push_back(place_of(keypoint));
  const std::size_t m = std::min(words_per_feature, assigner.max_nearest());
  const MatrixView descriptors = query.features.descriptor_matrix().middle_rows(0, features);
  const auto words = assigner.nearest(descriptors, m).words;
  const auto signatures = signatures_of(descriptors, codebook, words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t feature = i / m;
    result.words.push_back({words[i], signatures[i], static_cast<std::uint32_t>(feature),
                            keypoints[feature].laplacian_sign});
  }
  sort_by_word(result.words);
  return result;
}

std::vector<std::span<const QueryWord>> word_runs(std::span<const QueryWord> words) {
  std::vector<std::span<const QueryWord>> runs;
  for_each_run(
      words,
      [&](std::size_t first, std::size_t end) {
        runs.push_back(words.subspan(first, end - first));
      },
      &QueryWord::word);
  return runs;
}

IndexQuery index_query(const Record& record, std::span<const std::uint64_t> signatures) {
  IndexQuery result;
  result.excluded_image = record.image.id;
  result.width = record.image.width;
  result.height = record.image.height;
  const StoredFeatures& features = record.features;
  for (std::size_t i = 0; i < features.size(); ++i) {
    const FeatureGeometry& geometry = features.geometry[i];
    result.words.push_back(
        {features.words[i], signatures[i], static_cast<std::uint32_t>(i), geometry.laplacian_sign});
    result.places.push_back(place_of(geometry));
  }
  return result;
}

}  // namespace lookalike
