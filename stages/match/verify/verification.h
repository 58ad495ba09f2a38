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
#include "stages/match/verify/pose.h"
#include "stages/match/vote/query_words.h"
#include "stages/match/vote/shortlist.h"

namespace lookalike {

// Returns the forward record of an image, never null. Thread-safe.
using RecordOf = std::function<std::shared_ptr<const Record>(ImageId)>;

// An indexed image as a query's features see it.
struct Verification {
  Match match;                         // without its votes; has no inliers without a pose
  std::vector<PlacePair> pairs;        // one-to-one, see pair_words
  std::vector<std::uint32_t> inliers;  // numbers of pairs that agree on the pose, ascending
  PoseAttempt attempt{};
};

// Pairs the features of one image with the query's and looks for a pose.
Verification verify(const IndexQuery& query, const Record& record, const VerifyOptions& options);

// Verifies each shortlisted image on at most `threads` >= 1 threads, and returns the matches in the
// order of the shortlist. One without a pose has no inliers. Throws what record_of throws.
std::vector<Match> verify_all(const IndexQuery& query, std::span<const RankedImage> shortlist,
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

// Pairs the features of an indexed image one-to-one with those of a query: the same word, the same
// Laplacian sign, and signatures at most `hamming_threshold` bits apart, which is the pair's
// distance. The nearest pair comes first; ties by query feature, then by object feature. Both
// inputs are sorted by word; a query feature may have several.
std::vector<FeaturePair> pair_words(std::span<const IndexedFeature> object,
                                    std::span<const QueryWord> query,
                                    std::uint32_t hamming_threshold);

// Pairs a feature with its nearest of the same Laplacian sign if that is clearly nearer than the
// next; the distance is the ratio of both, [0, 1]. Searches from both sides, so that every copy of
// a repeated object is paired; a feature may be in several pairs. Most distinct first; ties by
// object feature, then by scene feature.
// Throws Error(kInternal) when the descriptor sizes differ.
// Method: Lowe, "Distinctive image features from scale-invariant keypoints", IJCV 2004.
std::vector<FeaturePair> pair_descriptors(OpenClSession& session, const FeatureSet& object,
                                          const FeatureSet& scene);

}  // namespace lookalike
