#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace lookalike {

// In a shortlist of fewer images no number of votes is usual.
inline constexpr std::size_t kShortestListForVotes = 20;

// What is known of an indexed image as an answer to a query.
struct Evidence {
  double votes = 0;                     // its score in the shortlist
  double votes_ratio = 0;               // over the median score of the shortlist
  double votes_excess = 0;              // over that median, in interquartile ranges; 0 without one
  std::size_t shortlist = 0;            // how many images that is
  std::uint32_t pairs = 0;              // one-to-one pairs of features, before geometry
  std::uint32_t inliers = 0;            // pairs that agree on the pose; 0: there is no pose
  std::uint32_t effective_inliers = 0;  // see pose.h
  std::optional<double> correlation;    // of the pixels at the pose
  std::optional<double> detail{};       // of the same pixels, detail by detail; see detail.h
  bool identical = false;               // each whole and reduced alike, both pictures are equal
};

}  // namespace lookalike
