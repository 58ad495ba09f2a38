#include "stages/match/decide/decision.h"

#include <algorithm>
#include <cmath>

#include "stages/match/decide/calibration.h"

namespace lookalike {
namespace {

constexpr double kWhole = 0.85;            // intersection over union of the outlines
constexpr double kWholeCorrelation = 0.7;  // of pictures that share more than a part
constexpr double kAgreementGain = 1.5;

}  // namespace

double ranking_score(const Evidence& evidence) {
  const double agreement =
      std::max(0.0, evidence.correlation.value_or(0)) + std::max(0.0, evidence.detail.value_or(0));
  return evidence.effective_inliers * std::exp(kAgreementGain * agreement) + evidence.votes_ratio;
}

Decision decide(const Match& match, int query_width, int query_height,
                const MatchOptions& options) {
  const Evidence& evidence = match.evidence;
  if (match.is_located() && match.probability >= options.same_probability) {
    const double correlation = evidence.correlation.value_or(-1);
    if (correlation >= options.duplicate_correlation &&
        intersection_over_union(match.quad, outline({}, query_width, query_height)) >= kWhole) {
      return Decision::kDuplicate;
    }
    const bool part = match.part && correlation < kWholeCorrelation;
    return part ? Decision::kPart : Decision::kSameObject;
  }
  const bool votes =
      evidence.shortlist >= kShortestListForVotes && evidence.votes_excess >= kSimilarExcess;
  return votes || match.probability >= kSimilarProbability ? Decision::kSimilar : Decision::kNone;
}

Decision weakest_reported(const MatchOptions& options) {
  if (options.report == "all") return Decision::kNone;
  if (options.report == "similar") return Decision::kSimilar;
  if (options.report == "part") return Decision::kPart;
  return options.report == "duplicate" ? Decision::kDuplicate : Decision::kSameObject;
}

}  // namespace lookalike
