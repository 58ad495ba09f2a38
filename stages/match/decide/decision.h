#pragma once

#include <vector>

#include "config/options.h"
#include "stages/match/match.h"

namespace lookalike {

// The score by which matches are ranked: effective inliers times exp(1.5 (c + d)) of the
// correlation c and the agreement in detail d, each where it is known and positive, and times the
// square root of relative_inlier_share, plus votes over the median of the shortlist, so that votes
// decide where geometry cannot. Of pictures that share their details, such as the frames of a film
// or a page and the same page turned, the correlation tells which one fits as a whole; of packs of
// one brand, whose inliers fill the same places, the share of pairs does.
double ranking_score(const Evidence& evidence);

// Whether an outline nearly is that of a whole photo of width x height px: no corner is further off
// than 3 % of the longer side.
bool fills(const Quad& quad, int width, int height);

// The decision about a match, from its evidence, its probability and its quad:
//   duplicate    as the same object, and each picture shows the other whole (see fills), and the
//                correlation is at least options.duplicate_correlation
//   same_object  the probability is at least options.same_probability
//   part         as the same object, but only a small part agrees, and the rest of what both show
//                differs; see shared_part
//   similar      its votes stand out by kSimilarExcess from a shortlist of at least
//                kShortestListForVotes images; or its pose is too weak for more
//   none         anything else
Decision decide(const Match& match, int query_width, int query_height, const MatchOptions& options);

inline constexpr double kSureProbability = 0.95;  // of matches that a query is expanded by
// In interquartile ranges above the median. Of 420 unrelated photos that were looked up in two
// collections, one in a hundred has an image that stands out so; see
// docs/measurements/quality.md, "Votes that stand out".
inline constexpr double kSimilarExcess = 6;
inline constexpr double kSimilarProbability = 0.05;

// The weakest decision that options.min_decision includes.
Decision weakest_reported(const MatchOptions& options);
// Whether options.min_decision and options.min_probability let the match into the answer.
bool is_reported(const Match& match, const MatchOptions& options);

// Whether a match keeps the features that a sure one has too; see resolve_overlaps.
bool keeps_its_features(const Match& weaker, const Match& sure);

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
