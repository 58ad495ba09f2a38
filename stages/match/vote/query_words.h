#pragma once

#include <cstddef>
#include <vector>

#include "base/artefacts.h"
#include "kernels/assign/assign.h"
#include "stages/match/vote/shortlist.h"

namespace lookalike {

// The words of a query's features, by word, then by feature. Each feature has the `count` words
// nearest to it, fewer when the codebook is smaller: a feature near the border of two words then
// still finds its like. The index stores the nearest alone, so this costs it nothing.
// Method: Jegou, Douze, Schmid, "Improving bag-of-features for large scale image search", IJCV
// 2010 (multiple assignment on the query's side).
std::vector<QueryWord> query_words(const FeatureSet& features, const Codebook& codebook,
                                   WordAssigner& assigner, std::size_t count = 3);

}  // namespace lookalike
