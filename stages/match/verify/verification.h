#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "config/options.h"
#include "stages/match/match.h"
#include "stages/match/vote/query_words.h"
#include "stages/match/vote/shortlist.h"

namespace lookalike {

// The forward record of an image; called from several threads.
using RecordOf = std::function<std::shared_ptr<const Record>(ImageId)>;

// Pairs the features of each shortlisted image with the query's and looks for a pose, on at most
// `threads` threads. In the order of the shortlist; a match without a pose has no inliers.
std::vector<Match> verify_all(const IndexQuery& query, std::span<const RankedImage> shortlist,
                              const RecordOf& record_of, const MatchOptions& options,
                              std::size_t threads);

}  // namespace lookalike
