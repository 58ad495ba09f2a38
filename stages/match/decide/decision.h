#pragma once

#include <cstddef>
#include <string_view>

#include "config/options.h"
#include "stages/match/match.h"

namespace lookalike {

// What matches are ranked by: effective inliers times exp(1.5 (c + d)) of the correlation c and the
// agreement in detail d, each where it is known and positive, plus votes over the median of the
// shortlist, so that what geometry cannot tell apart is told apart by votes. Of pictures that share
// their details, such as the frames of a film or a page and the same page turned, the correlation
// tells which one fits as a whole.
double ranking_score(const Evidence& evidence);

// What the match is taken for, from its evidence, its probability and its quad:
//   duplicate    as the same object, and each picture shows the other whole, and the correlation is
//                at least options.duplicate_correlation
//   same object  the probability is at least options.same_probability
//   part         as the same object, but all that agrees is a small part, and the rest of what both
//                show differs; see shared_part.h
//   similar      its votes stand out by kSimilarExcess from a shortlist of at least
//                kShortestListForVotes images; or its pose is too weak for more
//   none         anything else
Decision decide(const Match& match, int query_width, int query_height, const MatchOptions& options);

inline constexpr double kSureProbability = 0.95;  // of matches that a query is expanded by
// In interquartile ranges above the median. Of 420 unrelated photos asked of two collections, one
// in a hundred shows an image that stands out so; see EXPERIMENTS.md.
inline constexpr double kSimilarExcess = 6;
inline constexpr double kSimilarProbability = 0.2;

// The weakest decision that options.report lets through.
Decision weakest_reported(const MatchOptions& options);

}  // namespace lookalike
