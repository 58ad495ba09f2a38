#include "stages/match/decide/decision.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_set>

#include "stages/match/decide/calibration.h"
#include "stages/match/refine/colour.h"
#include "stages/match/refine/prints.h"

namespace lookalike {
namespace {

constexpr double kSlack = 0.03;            // maximum offset of a corner, of the longer side
constexpr double kWholeCorrelation = 0.7;  // minimum if pictures share more than a part
constexpr double kLeastDetail = 0.15;      // with less, as much differs as beside a part
constexpr double kAgreementGain = 1.5;

constexpr double kConfirming = 0.3;  // minimum agreement in detail

using Features = std::unordered_set<std::uint32_t>;

void withdraw_pose(Match& match) {
  match.evidence.inliers = 0;
  match.evidence.effective_inliers = 0;
  match.evidence.correlation.reset();
  match.evidence.detail.reset();
  match.evidence.other_content.clear();
  const bool mirrored = match.pose.mirrored;
  match.pose = MatchPose();
  match.pose.mirrored = mirrored;
}

void take_features(Match& match, const Features& explained, std::uint32_t min_inliers) {
  std::size_t left = 0;
  for (std::size_t i = 0; i < match.pose.query_features.size(); ++i) {
    if (explained.contains(match.pose.query_features[i])) continue;
    match.pose.inlier_pairs[left] = match.pose.inlier_pairs[i];
    match.pose.query_features[left++] = match.pose.query_features[i];
  }
  match.pose.inlier_pairs.resize(left);
  match.pose.query_features.resize(left);
  match.evidence.inliers = static_cast<std::uint32_t>(left);
  match.evidence.effective_inliers =
      std::min(match.evidence.effective_inliers, match.evidence.inliers);
  if (match.evidence.inliers < min_inliers) withdraw_pose(match);
}

}  // namespace

bool keeps_its_features(const Match& weaker, const Match& sure) {
  return weaker.evidence.detail.value_or(-1) >= kConfirming ||
         intersection_over_union(weaker.pose.quad, sure.pose.quad) >= kSamePlace;
}

bool fills(const Quad& quad, int width, int height) {
  return furthest_corner_px(quad, outline({}, width, height)) <= kSlack * std::max(width, height);
}

bool has_other_content_in_print(const Evidence& evidence) {
  return evidence.own_agreement && !shows_own_content(evidence);
}

bool shows_a_part(const Match& match) {
  const Evidence& evidence = match.evidence;
  const double correlation = evidence.correlation.value_or(-1);
  const bool has_other_colours =
      correlation < kAgreeingPixels && evidence.colour.value_or(1) < kContradictingColours;
  // Light and large shapes alone may correlate.
  const bool agrees_as_whole =
      correlation >= kWholeCorrelation && evidence.detail.value_or(1) >= kLeastDetail;
  return (match.pose.part && !agrees_as_whole) || has_other_colours ||
         !evidence.other_content.empty();
}

bool shows_own_content(const Evidence& evidence) {
  const double least = evidence.is_page ? kLeastOwnAgreementOfPages : kLeastOwnAgreement;
  return evidence.own_agreement && *evidence.own_agreement >= least;
}

bool is_own_content_unclear(const Evidence& evidence) {
  return has_other_content_in_print(evidence) && !evidence.is_page &&
         *evidence.own_agreement >= kLeastUnclear &&
         *evidence.own_agreement >= kUnclearShare * evidence.shared_agreement.value_or(1);
}

double ranking_score(const Evidence& evidence) {
  const double agreement =
      std::max(0.0, evidence.correlation.value_or(0)) + std::max(0.0, evidence.detail.value_or(0));
  return evidence.effective_inliers * std::exp(kAgreementGain * agreement) *
             std::sqrt(relative_inlier_share(evidence)) +
         evidence.agreeing_votes;
}

bool ranks_before(const Match& a, const Match& b) {
  return a.score != b.score ? a.score > b.score : a.image.content < b.image.content;
}

void rank(std::vector<Match>& matches, const Calibration& calibration) {
  for (Match& match : matches) {
    match.probability = calibration.probability(match.evidence);
    match.score = ranking_score(match.evidence);
  }
  std::sort(matches.begin(), matches.end(), ranks_before);
}

void sort_by_flow(std::vector<Match>& matches) {
  std::sort(matches.begin(), matches.end(), ranks_before);
  if (matches.empty()) return;
  std::stable_sort(matches.begin() + 1, matches.end(), [](const Match& a, const Match& b) {
    const auto key = [](const Match& match) {
      const bool is_own = match.probability >= kSimilarProbability;
      return std::pair(is_own, is_own ? 0 : match.flow);
    };
    return key(a) > key(b);
  });
}

Decision decide(const Match& match, int query_width, int query_height,
                const DecideOptions& options) {
  const Evidence& evidence = match.evidence;
  if (match.has_pose() && match.probability >= options.same_probability) {
    const double correlation = evidence.correlation.value_or(-1);
    const bool are_two_shots = evidence.difference && evidence.difference->shots.are_clear();
    if (correlation >= options.duplicate_correlation && !are_two_shots &&
        fills(match.pose.quad, query_width, query_height)) {
      const bool differs = evidence.difference && evidence.difference->is_seen();
      if (!differs) return Decision::kDuplicate;
      return has_other_content_in_print(evidence) ? Decision::kPart : Decision::kVariant;
    }
    const bool part = shows_a_part(match) || has_other_content_in_print(evidence);
    return part ? Decision::kPart : Decision::kSameObject;
  }
  const bool votes =
      evidence.shortlist >= kShortestListForVotes && evidence.votes_excess >= kSimilarExcess;
  return votes || match.probability >= kSimilarProbability ? Decision::kSimilar : Decision::kNone;
}

Decision weakest_reported(const ReportOptions& options) {
  if (options.min_decision == "all") return Decision::kNone;
  if (options.min_decision == "related") return Decision::kRelated;
  if (options.min_decision == "similar") return Decision::kSimilar;
  if (options.min_decision == "part") return Decision::kPart;
  if (options.min_decision == "variant") return Decision::kVariant;
  return options.min_decision == "duplicate" ? Decision::kDuplicate : Decision::kSameObject;
}

bool is_reported(const Match& match, const ReportOptions& options) {
  return match.decision >= weakest_reported(options) &&
         match.probability >= options.min_probability;
}

void resolve_overlaps(std::vector<Match>& matches, const MatchOptions& options) {
  std::vector<const Match*> sure;
  for (Match& match : matches) {
    if (!match.has_pose()) continue;
    Features explained;
    for (const Match* other : sure) {
      if (keeps_its_features(match, *other)) continue;
      explained.insert(other->pose.query_features.begin(), other->pose.query_features.end());
    }
    if (!explained.empty()) take_features(match, explained, options.min_inliers);
    if (match.has_pose() && match.probability >= options.same_probability) sure.push_back(&match);
  }
}

void judge(std::vector<Match>& matches, const Calibration& calibration, int query_width,
           int query_height, const MatchOptions& options) {
  rank(matches, calibration);
  if (options.resolve_overlaps) {
    resolve_overlaps(matches, options);
    rank(matches, calibration);
  }
  for (Match& match : matches) {
    match.decision = decide(match, query_width, query_height, options);
    if (match.decision == Decision::kPart && match.pose.part) match.pose.quad = *match.pose.part;
  }
}

}  // namespace lookalike
