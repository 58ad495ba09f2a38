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
// Before that, distinctive cells decide (PrintAgreement). If the first match of a place is a part
// because the photo lacks its content, the first one there whose content the photo shows takes its
// rank. If the photo shows the content of none, the one that agrees most becomes the same object,
// and the first of them, provided that its content is unclear (is_own_content_unclear()) and it
// agrees by kResemblesMore more than each other.
//   judged  best first, with decisions
void tell_rivals_apart(std::vector<Match>& judged, const CompareMatches& compare);

}  // namespace lookalike
