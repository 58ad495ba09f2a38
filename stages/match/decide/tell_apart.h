#pragma once

#include <functional>
#include <vector>

#include "stages/match/match.h"
#include "stages/match/refine/rivals.h"

namespace lookalike {

// Compares two indexed images with the photo at their poses, the first being the surer.
using CompareMatches = std::function<RivalComparison(const Match& first, const Match& second)>;

// Tells images of one print apart, such as two flavours of one brand: the photo shows at most one
// of them. The best match of a place, of the same object or more, is compared with the other
// matches there of the same object or more and with parts, 16 times at most; their pixels must have
// been compared with the photo. One loses to the other by its colours, or if the photo shows the
// other in place of its own detail. The loser becomes a part; if that is the best, the other takes
// its rank and its score. If the photo lacks the best match's own detail, its print is not indexed:
// that match becomes a part, and so does every other one whose own detail the photo lacks.
// Variants, duplicates and matches that correlate by 0.7 or more never lose, and those that
// correlate by kAgreeingPixels or more do not lose by detail.
//   Before that, distinctive cells decide (PrintAgreement): a match that shows its own content
//   takes
// the rank of one that is a part because it does not. If none there does, one whose content is
// unclear is the same object, first of them, if it agrees by kResemblesMore more than each other.
//   judged  best first, with decisions
void tell_rivals_apart(std::vector<Match>& judged, const CompareMatches& compare);

}  // namespace lookalike
