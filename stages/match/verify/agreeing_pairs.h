#pragma once

#include <cstddef>
#include <span>

#include "stages/match/verify/pose.h"

namespace lookalike {

// Returns the number of pairs that agree in the turn and the size of their features: the most
// within 45 degrees and an octave. Two views of one thing have many, even where no flat pose
// fits them.
// Method: Jegou, Douze, Schmid, "Hamming embedding and weak geometric consistency for large scale
// image search", ECCV 2008.
std::size_t agreeing_pairs(std::span<const PlacePair> pairs);

}  // namespace lookalike
