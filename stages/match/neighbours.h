#pragma once

#include <span>
#include <vector>

#include "stages/match/vote/query_words.h"
#include "stages/match/vote/shortlist.h"
#include "stages/match/vote/vote_spread.h"
#include "stages/match/vote/word_pairs.h"
#include "storage/neighbours.h"
#include "storage/prints.h"

namespace lookalike {

struct SharedSearch;
class QueryInput;

// The edges from an indexed image to earlier images.
struct FoundNeighbours {
  std::vector<Neighbour> edges;  // of the neighbour graph; best first, at most kMostNeighbours
  std::vector<PrintPairEdges> prints;  // to images of its print, with the edges back
};

// The images among which the neighbours of an image are sought, ranked by votes.
struct NeighbourCandidates {
  std::span<const RankedImage> ranked;           // best first
  std::span<const std::vector<WordPair>> pairs;  // of each
  VoteSpread spread;                             // of the shortlist from which they come
};

// Verifies candidates in their order until kMostNeighbours edges are sure, and returns the edges of
// the indexed image, number `id`, that is looked up. Compares the pixels of possible copies and
// prints at once, and those of other matches that are not sure by their features at the end. See
// NeighbourJoin.
FoundNeighbours find_neighbours(SharedSearch& shared, QueryInput& input, ImageId id,
                                const IndexQuery& query, const NeighbourCandidates& candidates);

}  // namespace lookalike
