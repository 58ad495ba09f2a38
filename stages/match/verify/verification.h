#pragma once

#include <memory>
#include <vector>

#include "config/options.h"
#include "stages/match/match.h"
#include "stages/match/vote/index_query.h"

namespace lookalike {

// A shortlisted image that is to be verified.
struct ShortlistedImage {
  std::shared_ptr<const Record> record;
  double votes = 0;  // its score in the shortlist
};

// Pairs the features and looks for a pose. Without one, the match has no inliers. Thread-safe.
Match verify(const IndexQuery& query, const ShortlistedImage& candidate,
             const MatchOptions& options);

// All of them, in their order, on all cores.
std::vector<Match> verify_all(const IndexQuery& query,
                              const std::vector<ShortlistedImage>& candidates,
                              const MatchOptions& options);

}  // namespace lookalike
