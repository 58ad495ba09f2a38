#pragma once

#include <memory>
#include <vector>

#include "config/options.h"
#include "stages/match/match.h"
#include "stages/match/vote/query_words.h"

namespace lookalike {

// A shortlisted image that is to be verified.
struct ShortlistedImage {
  std::shared_ptr<const Record> record;
  double votes = 0;  // its score in the shortlist
};

// Pairs the features of each candidate with the query's and looks for a pose, on all cores. In
// their order; a match without a pose has no inliers.
std::vector<Match> verify_all(const IndexQuery& query,
                              const std::vector<ShortlistedImage>& candidates,
                              const MatchOptions& options);

}  // namespace lookalike
