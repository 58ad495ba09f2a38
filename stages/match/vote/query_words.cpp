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

PhotoWords::PhotoWords(const Query& photo, const Codebook& codebook, std::size_t most_words)
    : photo_(photo), codebook_(codebook), most_words_(most_words) {}

IndexQuery PhotoWords::query(WordAssigner& assigner, std::size_t words_per_feature,
                             std::size_t features) {
  const MatrixView descriptors = photo_.features.descriptor_matrix();
  const std::size_t stored = std::min(most_words_, assigner.max_nearest());
  const std::size_t known = found_.size() / stored;
  if (known < features) {
    const auto more = assigner.nearest(descriptors.middle_rows(known, features - known), stored);
    found_.insert(found_.end(), more.words.begin(), more.words.end());
  }
  const std::size_t m = std::min(words_per_feature, stored);
  std::vector<std::uint32_t> words;
  words.reserve(features * m);
  for (std::size_t i = 0; i < features; ++i) {
    const auto first = found_.begin() + static_cast<std::ptrdiff_t>(i * stored);
    words.insert(words.end(), first, first + static_cast<std::ptrdiff_t>(m));
  }
  const auto signatures = signatures_of(descriptors.middle_rows(0, features), codebook_, words);

  IndexQuery result;
  result.excluded_image = photo_.excluded_image;
  result.width = photo_.image.record.width;
  result.height = photo_.image.record.height;
  const std::vector<Keypoint>& keypoints = photo_.features.keypoints;
  for (const Keypoint& keypoint : keypoints) result.places.push_back(place_of(keypoint));
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
