#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/features.h"
#include "kernels/session/session.h"
#include "stages/match/verify/pose.h"

namespace lookalike {

// A feature of an object and one of a scene whose descriptors are near.
struct DescriptorPair {
  std::uint32_t object = 0;
  std::uint32_t scene = 0;
  float ratio = 0;  // distance to this feature over that to the next best, [0, 1]

  bool operator==(const DescriptorPair&) const = default;
};

// Pairs in which one feature is the other's nearest of the same Laplacian sign, and clearly nearer
// than the next: looked for from both sides, so that of a repeated object every copy is paired.
// Most distinct first, ties by object feature, then by scene feature; a feature may be in several.
// Throws Error(kInternal) when the descriptor sizes differ.
// Method: Lowe, "Distinctive image features from scale-invariant keypoints", IJCV 2004.
std::vector<DescriptorPair> pair_descriptors(OpenClSession& session, const FeatureSet& object,
                                             const FeatureSet& scene);

// The pairs, in their order, that share no feature with an earlier one that was kept.
std::vector<DescriptorPair> one_to_one(std::span<const DescriptorPair> pairs);

// Where the features of each pair lie.
std::vector<PlacePair> places_of(std::span<const DescriptorPair> pairs, const FeatureSet& object,
                                 const FeatureSet& scene);

}  // namespace lookalike
