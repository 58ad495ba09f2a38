#pragma once

#include <cstddef>
#include <span>

#include "stages/match/verify/pose.h"

namespace lookalike {

// Pairs that agree in the turn and the size of their features, within 45 degrees and an octave. Two
// views of one thing have many, even where no flat pose fits them.
// Method: Jegou, Douze, Schmid, "Hamming embedding and weak geometric consistency for large scale
// image search", ECCV 2008.
struct AgreeingPairs {
  std::size_t count = 0;
  double weight = 0;  // sum over the pairs
};

// Returns the most pairs that agree, and the largest weight of such pairs, perhaps of others.
//   weights  [pairs.size()]
// Throws Error(kInternal) if the sizes differ.
AgreeingPairs agreeing_pairs(std::span<const PlacePair> pairs, std::span<const double> weights);

}  // namespace lookalike
