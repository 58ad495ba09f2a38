#pragma once

#include <vector>

#include "config/options.h"
#include "stages/match/match.h"

namespace lookalike {

// Takes from weak matches the features that a sure one explains: a feature of a photo shows one
// thing, so a match that rests on features of something else in the photo (a logo, a frame, a line
// of text that both have) is false. `matches` come best first; a match is sure when its probability
// is at least options.same_probability. A weaker one keeps its pairs when
//   it lies in the same place as the sure one (intersection over union of the outlines of at least
//     0.3): then both show the same thing, as copies and other views do, or
//   its pixels agree (in detail by at least 0.3), as with a detail of a larger picture.
// A match with fewer than options.min_inliers pairs left loses its pose.
void resolve_overlaps(std::vector<Match>& matches, const MatchOptions& options);

}  // namespace lookalike
