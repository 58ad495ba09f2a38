#pragma once

#include <vector>

#include "config/options.h"
#include "stages/match/decide/calibration.h"
#include "stages/match/match.h"

namespace lookalike {

// Returns the score that ranks a match:
//   effective_inliers * exp(1.5 (c + d)) * sqrt(relative_inlier_share) + agreeing_votes
// with c the correlation and d the agreement in detail, each 0 where unknown or negative. Votes
// that agree in turn and size decide where no pose can. The correlation separates pictures with the
// same details, such as frames of a film or a page and the same page turned; the share of pairs
// separates packs of one brand, whose inliers fill the same places.
double ranking_score(const Evidence& evidence);

// True if `a` ranks before `b`: by score, ties by content.
bool ranks_before(const Match& a, const Match& b);

// Brings probabilities, scores and the order, that of ranks_before(), up to date with the evidence.
void rank(std::vector<Match>& matches, const Calibration& calibration);

// Sorts matches, best first: by ranks_before(), but those less probable than kSimilarProbability
// come by their flow, behind the others. The first match by ranks_before() always stays first.
void sort_by_flow(std::vector<Match>& matches);

// True if an outline is nearly that of a whole photo of width x height px: no corner is off by more
// than 3 % of the longer side.
bool fills(const Quad& quad, int width, int height);

// True if the photo shows other content than the image, in a print of both: it disagrees in
// the distinctive cells (PrintAgreement).
bool has_other_content_in_print(const Evidence& evidence);
// True if a sure match is a part whatever its distinctive cells say: by the region that agrees, by
// the colours, or by other content on light ground.
bool shows_a_part(const Match& match);
// True if the photo agrees in the distinctive cells.
bool shows_own_content(const Evidence& evidence);
// True if it does not, but agrees little with the print as well, so that this does not tell.
bool is_own_content_unclear(const Evidence& evidence);

// Decides about a match by its evidence, probability and quad:
//   duplicate    as same_object, each picture shows the other whole (see fills), the correlation is
//                at least options.duplicate_correlation, they are not two shots
//                (ShotSigns::are_clear()), and no difference is seen
//   variant      as duplicate, but a person sees a difference: it was edited, censored, recoloured,
//                or is another page of one form; not with other content in one print
//                (has_other_content_in_print), which is a part
//   same_object  the probability is at least options.same_probability
//   part         as same_object, but only a small part agrees, while the rest of what both show
//                differs (see shared_part), both are of one print on light ground with other
//                content (see find_other_content), the photo shows another image of the print
//                (see has_other_content_in_print), or the colours contradict
//                (kContradictingColours) while the correlation is below kAgreeingPixels. So are
//                images that tell_rivals_apart() rules out
//   similar      the votes stand out by kSimilarExcess from a shortlist of at least
//                kShortestListForVotes images, or the probability is at least kSimilarProbability
//   none         anything else, or kRelated if the neighbour graph links it to a sure match
Decision decide(const Match& match, int query_width, int query_height,
                const DecideOptions& options);

// Interquartile ranges above the median. Of 420 unrelated photos looked up in two collections, one
// in a hundred has an image that stands out this far; see docs/measurements/quality.md, "Votes that
// stand out".
inline constexpr double kSimilarExcess = 6;
inline constexpr double kSimilarProbability = 0.05;
// The correlation from which a sure match is not judged by its colours.
inline constexpr double kAgreeingPixels = 0.5;

// Returns the weakest decision that options.min_decision lets through.
Decision weakest_reported(const ReportOptions& options);
// True if options.min_decision and options.min_probability let the match into the answer.
bool is_reported(const Match& match, const ReportOptions& options);

// The intersection over union of the outlines from which two matches lie in one place.
inline constexpr double kSamePlace = 0.3;

// True if a match keeps features that a sure one shares; see resolve_overlaps.
bool keeps_its_features(const Match& weaker, const Match& sure);

// Takes from weaker matches the features that a sure match explains: a feature of a photo shows one
// thing, so a match based on features of something else (a logo, a frame, a line of text that both
// have) is false. A match is sure if its probability is at least options.same_probability. A weaker
// one keeps its pairs if
//   it lies in the same place (the intersection over union of the outlines is at least 0.3), as
//     copies and other views of the same thing do, or
//   its pixels agree (in detail by at least 0.3), as with a detail of a larger picture.
// Matches come best first. One with fewer than options.min_inliers pairs left loses its pose.
void resolve_overlaps(std::vector<Match>& matches, const MatchOptions& options);

// Ranks the matches of a query by their evidence, resolves their overlaps under
// options.resolve_overlaps, and decides about each. A part gets the outline of what agrees.
void judge(std::vector<Match>& matches, const Calibration& calibration, int query_width,
           int query_height, const MatchOptions& options);

}  // namespace lookalike
