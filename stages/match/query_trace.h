#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "stages/match/match.h"
#include "stages/match/vote/query_words.h"
#include "stages/match/vote/shortlist.h"

namespace lookalike {

// A search of the part of a query that no match of the same object or more covers.
struct RestSearch {
  IndexQuery words;
  std::vector<RankedImage> shortlist;  // best first
  std::vector<ImageId> found;          // surely; added to the query's matches
};

// Records what the steps of a query saw.
struct QueryTrace {
  const IndexQuery& words() const { return second_look ? *second_look : first_look; }

  IndexQuery first_look;
  std::vector<RankedImage> shortlist;  // best first, by the first look; long enough for a second
  std::optional<IndexQuery> second_look;
  std::size_t verified = 0;  // leading images of the shortlist
  std::vector<RestSearch> rest;
  std::vector<Match> judged;  // all matches with their decisions, best first
};

}  // namespace lookalike
