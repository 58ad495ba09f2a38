#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/artefacts.h"
#include "stages/match/vote/shortlist.h"

namespace lookalike {

// A feature of the query and one of the indexed image that look alike.
struct FeaturePair {
  std::uint32_t query = 0;   // index of the query's feature
  std::uint32_t object = 0;  // index into the indexed image's features
  std::uint32_t hamming = 0;

  bool operator==(const FeaturePair&) const = default;
};

// One-to-one pairs of features with the same word, the same Laplacian sign and signatures at most
// `hamming_threshold` bits apart: the nearest pair first, ties by query feature, then by object
// feature; each feature is used once. Both inputs are by word; a query feature may have several.
std::vector<FeaturePair> pair_features(std::span<const QueryWord> query,
                                       std::span<const IndexedFeature> object,
                                       std::uint32_t hamming_threshold);

}  // namespace lookalike
