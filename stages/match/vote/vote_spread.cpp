#include "stages/match/vote/vote_spread.h"

namespace lookalike {

VoteSpread spread_of(std::span<const RankedImage> shortlist) {
  if (shortlist.empty()) return {};
  const auto at = [&](std::size_t quarter) {
    return shortlist[quarter * shortlist.size() / 4].score;
  };
  return {shortlist.size(), at(1), at(2), at(3)};
}

void compare_votes(const VoteSpread& spread, Evidence& evidence) {
  if (spread.images == 0) return;
  const double range = spread.upper - spread.lower;
  evidence.votes_ratio = evidence.votes / spread.median;
  evidence.votes_excess = range > 0 ? (evidence.votes - spread.median) / range : 0;
  evidence.shortlist = spread.images;
}

}  // namespace lookalike
