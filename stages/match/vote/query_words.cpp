#include "stages/match/vote/query_words.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "base/signature.h"

namespace lookalike {
std::vector<QueryWord> query_words(const FeatureSet& features, const Codebook& codebook,
                                   WordAssigner& assigner, std::size_t count) {
  const std::size_t m = std::min(count, codebook.size());
  const auto words = assigner.nearest(features.descriptor_matrix(), m).words;
  const auto signatures = signatures_of(features.descriptor_matrix(), codebook, words);
  std::vector<QueryWord> result(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t feature = i / m;
    result[i] = {words[i], signatures[i], static_cast<std::uint32_t>(feature),
                 features.keypoints[feature].laplacian_sign};
  }
  std::sort(result.begin(), result.end(), [](const QueryWord& a, const QueryWord& b) {
    return std::tie(a.word, a.feature) < std::tie(b.word, b.feature);
  });
  return result;
}

}  // namespace lookalike
