#include "stages/match/decision.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stages/match/quad.h"

namespace lookalike {
namespace {

constexpr double kDuplicateCover = 0.9;
constexpr double kAgreementGain = 1.5;

// The share of the query that the quad covers.
double cover(const Match& match, int width, int height) {
  const Quad whole = outline({}, width, height);
  const double shared = intersection_over_union(match.quad, whole);
  // |A n B| from the ratio of it to |A u B|.
  const double both = signed_area(match.quad) + signed_area(whole);
  return shared / (1 + shared) * both / signed_area(whole);
}

}  // namespace

std::string_view to_string(Decision decision) {
  static constexpr std::array<std::string_view, 4> kNames = {"none", "similar", "same object",
                                                             "duplicate"};
  return kNames[static_cast<std::size_t>(decision)];
}

double ranking_score(const Evidence& evidence, const MatchOptions& options) {
  if (!options.rerank) return evidence.votes_ratio;
  const double inliers = options.effective_inliers ? evidence.effective_inliers : evidence.inliers;
  const double agreement =
      std::max(0.0, evidence.correlation.value_or(0)) + std::max(0.0, evidence.detail.value_or(0));
  return inliers * std::exp(kAgreementGain * agreement) + evidence.votes_ratio;
}

Decision decide(const Match& match, int query_width, int query_height,
                const MatchOptions& options) {
  const Evidence& evidence = match.evidence;
  if (match.is_located() && match.probability >= options.same_probability) {
    const bool copy = evidence.correlation.value_or(-1) >= options.duplicate_correlation &&
                      cover(match, query_width, query_height) >= kDuplicateCover;
    return copy ? Decision::kDuplicate : Decision::kSameObject;
  }
  const bool votes =
      evidence.shortlist >= kShortestListForVotes && evidence.votes_excess >= kSimilarExcess;
  return votes || match.probability >= kSimilarProbability ? Decision::kSimilar : Decision::kNone;
}

Decision weakest_reported(const MatchOptions& options) {
  if (options.report == "all") return Decision::kNone;
  if (options.report == "similar") return Decision::kSimilar;
  return options.report == "duplicate" ? Decision::kDuplicate : Decision::kSameObject;
}

}  // namespace lookalike
