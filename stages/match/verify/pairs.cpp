#include "stages/match/verify/pairs.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "base/signature.h"

namespace lookalike {
namespace {

std::vector<FeaturePair> candidates(std::span<const QueryWord> query,
                                    std::span<const IndexedFeature> object,
                                    std::uint32_t hamming_threshold) {
  std::vector<FeaturePair> found;
  std::size_t run = 0;  // where the query word's features begin in the object
  for (const QueryWord& wanted : query) {
    while (run < object.size() && object[run].word < wanted.word) ++run;
    for (std::size_t i = run; i < object.size() && object[i].word == wanted.word; ++i) {
      if (object[i].laplacian_sign != wanted.laplacian_sign) continue;
      const std::uint32_t hamming = hamming_distance(wanted.signature, object[i].signature);
      if (hamming > hamming_threshold) continue;
      found.push_back({wanted.feature, static_cast<std::uint32_t>(i), hamming});
    }
  }
  return found;
}

}  // namespace

std::vector<FeaturePair> pair_features(std::span<const QueryWord> query,
                                       std::span<const IndexedFeature> object,
                                       std::uint32_t hamming_threshold) {
  std::vector<FeaturePair> pairs = candidates(query, object, hamming_threshold);
  std::sort(pairs.begin(), pairs.end(), [](const FeaturePair& a, const FeaturePair& b) {
    return std::tie(a.hamming, a.query, a.object) < std::tie(b.hamming, b.query, b.object);
  });
  std::uint32_t query_features = 0;
  for (const QueryWord& word : query) query_features = std::max(query_features, word.feature + 1);
  std::vector<bool> query_used(query_features, false);
  std::vector<bool> object_used(object.size(), false);
  std::vector<FeaturePair> chosen;
  for (const FeaturePair& pair : pairs) {
    if (query_used[pair.query] || object_used[pair.object]) continue;
    query_used[pair.query] = true;
    object_used[pair.object] = true;
    chosen.push_back(pair);
  }
  return chosen;
}

}  // namespace lookalike
