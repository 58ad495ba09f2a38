#pragma once

#include <optional>
#include <vector>

#include "config/options.h"
#include "stages/match/match.h"
#include "stages/match/shared_search.h"

namespace lookalike {

// Ranks the matches of a query by the neighbour graph of the index (diffuse(), sort_by_flow()). The
// sources are the matches with a probability of at least kSimilarProbability; nothing flows through
// a part, of which only a region agrees. Adds the related images, and with options.min_decision
// "all" every image that the graph reaches, at most 1,000. An image that is `none` by itself, or a
// guess, is related if at most two verified edges link it to a match whose decision is same_object
// or stronger, and if enough flow reaches it over a sure enough path.
//   excluded_image  never in the answer
void relate(const SharedSearch& shared, std::optional<ImageId> excluded_image,
            const ReportOptions& options, std::vector<Match>& judged);

}  // namespace lookalike
