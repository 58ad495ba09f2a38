#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "stages/match/match.h"
#include "stages/match/vote/shortlist.h"

// What a search for images that surely show the same thing takes and gives; see Matcher::pairs.
namespace lookalike {

// The images among which pairs are sought, in the order in which they are compared. The functions
// are called on the caller's thread.
struct PairCandidates {
  const ImageSet& images;  // those that get votes
  double share = 1;        // of the usual length of a shortlist; see shortlist_length()
  // True if the image may be compared first, one by one, by votes; others follow together.
  std::function<bool(ImageId)> is_early{};
  // True if the pixels of one of the others are to be compared; may wait.
  std::function<bool(ImageId)> is_wanted{};
  // True if the pixels of a match, which has its pose from the features, need not be compared,
  // given those found so far. Empty: all are.
  std::function<bool(const Match&, std::span<const Match> found)> is_needless{};
  // True if a match makes all further comparisons needless. Empty: none does.
  std::function<bool(const Match&)> is_enough{};
};

struct SurePairs {
  std::vector<Match> matches;  // by content; Matcher::pair returns at most one
  // The match that is enough: the only one if it was compared early.
  std::optional<ImageId> enough{};
  // True if every picture to compare could be read. Otherwise a match may be missing, or lack its
  // correlation.
  bool all_read = true;
};

}  // namespace lookalike
