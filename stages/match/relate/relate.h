#pragma once

#include <optional>
#include <vector>

#include "config/options.h"
#include "stages/match/match.h"
#include "stages/match/shared_search.h"

namespace lookalike {

// Ranks the matches of a query by the neighbour graph of the index (diffuse(), sort_by_flow()),
// from those of a probability of at least kSimilarProbability, and adds the images to which the
// graph leads: the related ones, and with options.min_decision "all" the others, too, at most
// 1,000. An image that is `none` by itself becomes related if verified edges link it to a match of
// at least the decision same_object, and if at least an eighth of the highest flow reaches it.
//   excluded_image  never in the answer
void relate(const SharedSearch& shared, std::optional<ImageId> excluded_image,
            const ReportOptions& options, std::vector<Match>& judged);

}  // namespace lookalike
