#pragma once

#include <cstddef>
#include <vector>

#include "base/random.h"
#include "kernels/session/session.h"
#include "stages/codebook/kmeans.h"
#include "storage/row_file.h"

namespace lookalike {

// First words for k-means, each one of the features [n][d], drawn with a chance in proportion to
// its squared distance from the words that there are. They are drawn in rounds, each a quarter of
// what there is (one at first), from the distances at the round's start, so that the device gets
// few large assignments: all rounds together cost about as much as one assignment to all words.
// Returns [k][d]; fewer than k rows when there are fewer different features. Throws as
// assign_features.
// Method: Arthur and Vassilvitskii, "k-means++", SODA 2007, which draws one word a round; drawing
// many a round is Bahmani et al., "Scalable k-means++", VLDB 2012, without its final reduction.
std::vector<float> seed_words(OpenClSession& session, const RowFile& features, std::size_t words,
                              Random& random, const TrainingWatch& watch);

}  // namespace lookalike
