#pragma once

#include <span>
#include <string>

#include "stages/match/match.h"

// Answers in a few words, the same on the command line, in reports and on the page.
namespace lookalike {

// What was looked up.
enum class Asked { kPhoto, kIndexedImage };

// Counts matches by decision, surest first: "1 same picture, 3 show it". Empty without matches.
std::string decision_counts(std::span<const Match* const> matches);

// Says what was found: the sure matches as decision_counts(), in how many places of the photo, and
// how many places are not listed: "1 same picture, 3 show it, in 2 places". Without sure matches,
// "nothing sure found, 2 look similar" or "nothing found"; for an indexed image, which does not
// find itself, "no other image shows this".
std::string headline(const QueryResult& result, Asked asked);

}  // namespace lookalike
