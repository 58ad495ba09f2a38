#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/artefacts.h"
#include "config/options.h"
#include "kernels/session/session.h"
#include "stages/match/match.h"
#include "stages/match/verify/agreeing_pairs.h"
#include "stages/match/verify/pose.h"
#include "stages/match/vote/query_words.h"
#include "stages/match/vote/shortlist.h"
#include "stages/match/vote/word_pairs.h"

namespace lookalike {

// Returns an image and its record, never null. Thread-safe.
using RecordOf = std::function<std::shared_ptr<const Record>(ImageId)>;

// An indexed image as a query's features see it.
struct Verification {
  Match match;                         // without its votes; has no inliers without a pose
  std::vector<PlacePair> pairs;        // one-to-one, see feature_pairs()
  AgreeingPairs agreeing{};            // of these, weighed as votes at their Hamming distances
  std::vector<std::uint32_t> inliers;  // numbers of pairs that agree on the pose, ascending
  PoseAttempt attempt{};
};

// Looks for a pose between the features of one image and the query's. Inliers agree in turn and
// size, so there is none if fewer than options.min_inliers pairs do. `pairs`: those of
// word_pairs(). Throws as feature_pairs().
Verification verify(const IndexQuery& query, const Record& record, std::span<const WordPair> pairs,
                    const VerifyOptions& options);

// Verifies each shortlisted image on at most `threads` >= 1 threads, and returns the matches in the
// order of the shortlist. One without a pose has no inliers. pairs[i]: the pairs of shortlist[i].
// Throws what record_of throws, and as feature_pairs().
std::vector<Match> verify_all(const IndexQuery& query, std::span<const RankedImage> shortlist,
                              std::span<const std::vector<WordPair>> pairs,
                              const RecordOf& record_of, const VerifyOptions& options,
                              std::size_t threads);

// A feature of an object and one of a scene that look alike, by number.
struct FeaturePair {
  std::uint32_t object = 0;
  std::uint32_t scene = 0;
  float distance = 0;  // less is better: bits, or a ratio of distances

  bool operator==(const FeaturePair&) const = default;
};

// Returns the pairs, in their order, that share no feature with an earlier one of the result.
std::vector<FeaturePair> one_to_one(std::span<const FeaturePair> pairs);

// Makes one-to-one pairs of an indexed image's features and a query's. Keeps the word pairs whose
// features have the same Laplacian sign; of two that share a feature, the nearer one. The nearest
// pair comes first; ties by query feature, then by object feature. A query feature may have several
// words. Throws Error(kStorage) for a posting that the record lacks.
std::vector<FeaturePair> feature_pairs(const StoredFeatures& object,
                                       std::span<const QueryWord> query,
                                       std::span<const WordPair> pairs);

// Pairs a feature with its nearest of the same Laplacian sign if that is clearly nearer than the
// next; the distance is the ratio of both, [0, 1]. Searches from both sides, so that every copy of
// a repeated object is paired; a feature may be in several pairs. Most distinct first; ties by
// object feature, then by scene feature.
// Throws Error(kInternal) when the descriptor sizes differ.
// Method: Lowe, "Distinctive image features from scale-invariant keypoints", IJCV 2004.
std::vector<FeaturePair> pair_descriptors(OpenClSession& session, const FeatureSet& object,
                                          const FeatureSet& scene);

}  // namespace lookalike
