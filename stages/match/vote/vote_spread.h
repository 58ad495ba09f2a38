#pragma once

#include <cstddef>
#include <span>

#include "stages/match/match.h"
#include "stages/match/vote/shortlist.h"

namespace lookalike {

// How the scores of a shortlist spread: the scores at a quarter, a half and three quarters of its
// length, best first.
struct VoteSpread {
  std::size_t images = 0;  // the length; if 0, the scores mean nothing
  double upper = 0;
  double median = 0;
  double lower = 0;
};

// Returns the spread of a shortlist that is sorted, best first.
VoteSpread spread_of(std::span<const RankedImage> shortlist);

// Sets the evidence that relates the votes of a match to the spread of its shortlist; leaves it if
// the shortlist is empty.
void compare_votes(const VoteSpread& spread, Evidence& evidence);

}  // namespace lookalike
