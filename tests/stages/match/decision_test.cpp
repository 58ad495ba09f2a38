#include "stages/match/decision.h"

#include <gtest/gtest.h>

#include "stages/match/quad.h"

namespace lookalike {
namespace {

Match match_with(std::uint32_t inliers, double correlation) {
  Match match;
  match.evidence = {
      .pairs = inliers, .inliers = inliers, .effective_inliers = inliers, .correlation = {}};
  match.evidence.correlation = correlation;
  match.probability = probability_of_same(match.evidence);
  match.quad = outline({}, 100, 80);
  return match;
}

TEST(ProbabilityOfSame, GrowsWithInliersAndWithCorrelation) {
  const auto probability = [](std::uint32_t inliers, double correlation) {
    return match_with(inliers, correlation).probability;
  };
  EXPECT_LT(probability(6, 0.1), 0.1);
  EXPECT_LT(probability(6, 0.1), probability(12, 0.1));
  EXPECT_LT(probability(6, 0.1), probability(6, 0.8));
  EXPECT_GT(probability(40, 0.8), 0.99);
  EXPECT_EQ(probability(0, 0), 0);
}

TEST(Decide, WhatFillsTheQueryAndCorrelatesIsADuplicate) {
  EXPECT_EQ(decide(match_with(50, 0.95), 100, 80, 100, {}), Decision::kDuplicate);
  EXPECT_EQ(decide(match_with(50, 0.95), 200, 80, 100, {}), Decision::kSameObject);
  EXPECT_EQ(decide(match_with(50, 0.85), 100, 80, 100, {}), Decision::kSameObject);
}

TEST(Decide, PartOfTheIndexedImageIsADuplicate) {
  EXPECT_EQ(decide(match_with(50, 0.95), 50, 40, 100, {}), Decision::kDuplicate);
}

TEST(Decide, ThresholdOfTheSameObjectIsTheUsers) {
  EXPECT_EQ(decide(match_with(50, 0.85), 100, 80, 100, {.same_probability = 1}),
            Decision::kSimilar);
}

TEST(Decide, ManyVotesWithoutAPoseAreSimilar) {
  Match match;
  match.evidence.votes_ratio = 3;
  EXPECT_EQ(decide(match, 100, 80, kSimilarDepth, {}), Decision::kSimilar);
  EXPECT_EQ(decide(match, 100, 80, kSimilarDepth - 1, {}), Decision::kNone);
  match.evidence.votes_ratio = 1;
  EXPECT_EQ(decide(match, 100, 80, kSimilarDepth, {}), Decision::kNone);
}

TEST(RankingScore, CorrelationRaisesAndVotesBreakTies) {
  const Evidence plain = {.votes_ratio = 1, .effective_inliers = 10, .correlation = {}};
  Evidence correlated = plain;
  correlated.correlation = 0.5;
  Evidence voted = plain;
  voted.votes_ratio = 2;
  EXPECT_GT(ranking_score(correlated, {}), ranking_score(plain, {}));
  EXPECT_GT(ranking_score(voted, {}), ranking_score(plain, {}));
}

TEST(RankingScore, AllInliersCountWithoutTheGrid) {
  const Evidence crowded = {.inliers = 20, .effective_inliers = 5, .correlation = {}};
  EXPECT_EQ(ranking_score(crowded, {}), 5);
  EXPECT_EQ(ranking_score(crowded, {.effective_inliers = false}), 20);
}

}  // namespace
}  // namespace lookalike
