#include "stages/match/decide/decision.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "stages/match/decide/calibration.h"
#include "stages/match/refine/prints.h"

namespace lookalike {
namespace {

Match match_with(std::uint32_t inliers, double correlation) {
  Match match;
  match.evidence = {
      .pairs = inliers, .inliers = inliers, .effective_inliers = inliers, .correlation = {}};
  match.evidence.correlation = correlation;
  match.probability = 0.9;
  match.pose.quad = outline({}, 100, 80);
  return match;
}

TEST(Decide, WhatFillsTheQueryAndCorrelatesIsADuplicate) {
  EXPECT_EQ(decide(match_with(50, 0.95), 100, 80, {}), Decision::kDuplicate);
  EXPECT_EQ(decide(match_with(50, 0.95), 200, 80, {}), Decision::kSameObject);
  EXPECT_EQ(decide(match_with(50, 0.85), 100, 80, {}), Decision::kSameObject);
}

TEST(Decide, ADuplicateWithAVisibleDifferenceIsAVariant) {
  Match match = match_with(50, 0.95);
  match.evidence.difference = PictureDifference{.largest = PictureDifference::kSeen};
  EXPECT_EQ(decide(match, 100, 80, {}), Decision::kVariant);
  match.evidence.difference->largest = 0.9 * PictureDifference::kSeen;
  EXPECT_EQ(decide(match, 100, 80, {}), Decision::kDuplicate);
  match.evidence.difference->lacks_colours = true;
  EXPECT_EQ(decide(match, 100, 80, {}), Decision::kVariant);
}

TEST(Decide, TwoShotsAreTheSameObject) {
  Match match = match_with(50, 0.95);
  match.evidence.difference = PictureDifference{.shots = {.moved = ShotSigns::kMoved}};
  EXPECT_EQ(decide(match, 100, 80, {}), Decision::kSameObject);
  match.evidence.difference->largest = PictureDifference::kSeen;
  EXPECT_EQ(decide(match, 100, 80, {}), Decision::kSameObject);
}

TEST(Decide, AWholePictureWithOtherContentOnOnePrintIsAPart) {
  Match match = match_with(50, 0.95);
  match.evidence.difference = PictureDifference{.largest = PictureDifference::kSeen};
  match.evidence.own_agreement = kLeastOwnAgreement - 0.01;
  EXPECT_EQ(decide(match, 100, 80, {}), Decision::kPart);
  match.evidence.own_agreement = kLeastOwnAgreement + 0.01;
  EXPECT_EQ(decide(match, 100, 80, {}), Decision::kVariant);
}

TEST(Decide, ACropIsTheSameObject) {
  EXPECT_EQ(decide(match_with(50, 0.95), 50, 40, {}), Decision::kSameObject);
  EXPECT_EQ(decide(match_with(50, 0.95), 98, 80, {}), Decision::kDuplicate);  // but for its rim
}

TEST(Decide, WhatSharesAPartAndElseDiffersIsAPart) {
  Match match = match_with(50, 0.3);
  match.pose.part = outline({}, 30, 20);
  EXPECT_EQ(decide(match, 100, 80, {}), Decision::kPart);
  match.evidence.correlation = 0.8;  // the rest agrees as well
  EXPECT_EQ(decide(match, 100, 80, {}), Decision::kSameObject);
  match.evidence.detail = 0.1;  // but only in its large shapes
  EXPECT_EQ(decide(match, 100, 80, {}), Decision::kPart);
  match.evidence.detail.reset();
  match.evidence.correlation = 0.3;
  EXPECT_EQ(decide(match, 100, 80, {.same_probability = 1}), Decision::kSimilar);
}

TEST(Decide, APhotoWithoutWhatSetsTheImageApartFromOthersOfItsPrintIsAPart) {
  Match match = match_with(50, 0.85);
  match.evidence.own_agreement = kLeastOwnAgreement - 0.01;
  EXPECT_EQ(decide(match, 100, 80, {}), Decision::kPart);
  match.evidence.own_agreement = kLeastOwnAgreement + 0.01;
  EXPECT_EQ(decide(match, 100, 80, {}), Decision::kSameObject);
  match.evidence.is_page = true;
  EXPECT_EQ(decide(match, 100, 80, {}), Decision::kPart) << "strokes agree more by chance";
  match.evidence.own_agreement = kLeastOwnAgreementOfPages + 0.01;
  EXPECT_EQ(decide(match, 100, 80, {}), Decision::kSameObject);
}

TEST(Decide, ThresholdOfTheSameObjectIsTheUsers) {
  EXPECT_EQ(decide(match_with(50, 0.85), 100, 80, {.same_probability = 1}), Decision::kSimilar);
}

TEST(Decide, VotesThatStandOutAreSimilarWithoutAPose) {
  Match match;
  match.evidence.votes_excess = 7;
  match.evidence.shortlist = kShortestListForVotes;
  EXPECT_EQ(decide(match, 100, 80, {}), Decision::kSimilar);
  match.evidence.votes_excess = 2;
  EXPECT_EQ(decide(match, 100, 80, {}), Decision::kNone);
  match.evidence.votes_excess = 7;
  match.evidence.shortlist = kShortestListForVotes - 1;
  EXPECT_EQ(decide(match, 100, 80, {}), Decision::kNone);
}

TEST(SortByFlow, KeepsOwnMatchesAndTheFirstInFront) {
  const auto match = [](ImageId image, double score, double probability, double flow) {
    Match made;
    made.image.id = image;
    made.score = score;
    made.probability = probability;
    made.flow = flow;
    return made;
  };
  std::vector<Match> matches = {match(1, 9, 0.01, 0),  match(2, 4, 0.01, 0.3),
                                match(3, 5, 0.9, 0.5), match(4, 6, 0.06, 0.1),
                                match(5, 3, 0, 0.8),   match(6, 7, 0, 0)};
  sort_by_flow(matches);
  const auto id_of = [](const Match& each) { return each.image.id; };
  EXPECT_TRUE(std::ranges::equal(matches, std::array<ImageId, 6>{1, 4, 3, 5, 2, 6}, {}, id_of));
}

TEST(WeakestReported, IsWhatTheOptionNames) {
  EXPECT_EQ(weakest_reported({.min_decision = "all"}), Decision::kNone);
  EXPECT_EQ(weakest_reported({.min_decision = "related"}), Decision::kRelated);
  EXPECT_EQ(weakest_reported({.min_decision = "similar"}), Decision::kSimilar);
  EXPECT_EQ(weakest_reported({.min_decision = "part"}), Decision::kPart);
  EXPECT_EQ(weakest_reported({.min_decision = "same_object"}), Decision::kSameObject);
  EXPECT_EQ(weakest_reported({.min_decision = "variant"}), Decision::kVariant);
  EXPECT_EQ(weakest_reported({.min_decision = "duplicate"}), Decision::kDuplicate);
}

TEST(IsReported, ByDecisionAndProbability) {
  Match match;
  match.decision = Decision::kSameObject;
  match.probability = 0.8;
  EXPECT_TRUE(is_reported(match, {}));
  EXPECT_TRUE(is_reported(match, {.min_probability = 0.8}));
  EXPECT_FALSE(is_reported(match, {.min_probability = 0.81}));
  EXPECT_FALSE(is_reported(match, {.min_decision = "duplicate"}));
}

TEST(RankingScore, PixelsThatAgreeRaiseAndVotesBreakTies) {
  const Evidence plain = {.pairs = 100, .inliers = 10, .effective_inliers = 10, .correlation = {}};
  Evidence detailed = plain;
  detailed.detail = 0.5;
  Evidence correlated = plain;
  correlated.correlation = 0.5;
  Evidence voted = plain;
  voted.agreeing_votes = 1;
  EXPECT_GT(ranking_score(detailed), ranking_score(plain));
  EXPECT_GT(ranking_score(correlated), ranking_score(plain));
  EXPECT_GT(ranking_score(voted), ranking_score(plain));
}

TEST(RankingScore, ManyPairsThatDisagreeLowerIt) {
  Evidence agreeing = {.pairs = 100, .inliers = 50, .effective_inliers = 40, .correlation = {}};
  const double alone = ranking_score(agreeing);
  agreeing.pairs = 400;
  EXPECT_DOUBLE_EQ(ranking_score(agreeing), alone / 2);
}

TEST(RankingScore, CrowdedInliersCountOnce) {
  const Evidence crowded = {.pairs = 200, .inliers = 20, .effective_inliers = 5, .correlation = {}};
  EXPECT_EQ(ranking_score(crowded), 5);
}

}  // namespace
}  // namespace lookalike
