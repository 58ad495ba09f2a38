#include "stages/match/decide/calibration.h"

#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace lookalike {
namespace {

Evidence evidence(std::uint32_t inliers, double detail, std::uint32_t pairs = 100) {
  return {.votes_excess = 1,
          .shortlist = 100,
          .pairs = pairs,
          .inliers = inliers,
          .effective_inliers = inliers,
          .correlation = {},
          .detail = detail};
}

// `count` sightings of about `inliers` inliers, spread by a third.
std::vector<Evidence> sightings(std::size_t count, double inliers, double detail,
                                std::uint64_t seed) {
  Random random(seed);
  std::vector<Evidence> result;
  for (std::size_t i = 0; i < count; ++i) {
    const double drawn = inliers * std::exp(random.normal() / 3);
    result.push_back(evidence(static_cast<std::uint32_t>(std::lround(std::max(4.0, drawn))),
                              detail + 0.1 * random.normal()));
  }
  return result;
}

TEST(Calibration, ProbabilityGrowsWithEachKindOfEvidence) {
  const Calibration shipped;
  const double weak = shipped.probability(evidence(6, 0.1));
  EXPECT_LT(weak, 0.2);
  EXPECT_GT(shipped.probability(evidence(12, 0.1)), weak);
  EXPECT_GT(shipped.probability(evidence(6, 0.8)), weak);
  EXPECT_GT(shipped.probability(evidence(6, 0.1, 10)), weak);
  Evidence voted = evidence(6, 0.1);
  voted.votes_excess = 3;
  EXPECT_GT(shipped.probability(voted), weak);
  EXPECT_GT(shipped.probability(evidence(60, 0.8)), 0.99);
}

TEST(Calibration, TheTermsOfAProbabilityAreNamedAndAddUpToIt) {
  const Calibration shipped;
  const Evidence some = evidence(14, 0.3);
  double logit = 0;
  std::set<std::string_view> names;
  for (const EvidenceTerm& term : shipped.terms(some)) {
    EXPECT_FALSE(term.name.empty());
    EXPECT_TRUE(names.insert(term.name).second) << term.name;
    logit += term.product();
  }
  EXPECT_NEAR(1 / (1 + std::exp(-logit)), shipped.probability(some), 1e-12);
}

TEST(Calibration, WithoutAPoseTheProbabilityIsZero) {
  EXPECT_EQ(Calibration().probability({}), 0);
}

TEST(Calibration, VotesOfAShortListSayNothing) {
  Evidence voted = evidence(6, 0.1);
  voted.shortlist = 5;
  const double before = Calibration().probability(voted);
  voted.votes_excess = 4;
  EXPECT_EQ(Calibration().probability(voted), before);
}

TEST(Calibrate, WithoutSightingsTheShippedWeightsStay) {
  EXPECT_EQ(calibrate({}), Calibration());
}

TEST(Calibrate, MatchesLikeDecoysAreImprobable) {
  const Sightings seen = {.shown = sightings(800, 60, 0.7, 1),
                          .others = sightings(800, 7, 0.2, 2),
                          .decoys = sightings(800, 7, 0.2, 3)};
  const Calibration calibration = calibrate(seen);
  EXPECT_LT(calibration.probability(evidence(7, 0.2)), 0.1);
  EXPECT_GT(calibration.probability(evidence(60, 0.7)), 0.95);
}

TEST(Calibrate, WhatMirroredPhotosNeverShowIsProbable) {
  Sightings seen = {.shown = sightings(800, 60, 0.7, 1),
                    .others = sightings(800, 8, 0.3, 2),
                    .decoys = sightings(800, 8, 0.3, 3)};
  const double common = calibrate(seen).probability(evidence(8, 0.3));
  seen.decoys.resize(40);
  EXPECT_GT(calibrate(seen).probability(evidence(8, 0.3)), common + 0.5);
}

TEST(Calibrate, FewSightingsHardlyMoveTheShippedWeights) {
  const Sightings seen = {
      .shown = sightings(8, 60, 0.7, 1), .others = sightings(8, 8, 0.3, 2), .decoys = {}};
  const Evidence weak = evidence(8, 0.3);
  EXPECT_NEAR(calibrate(seen).probability(weak), Calibration().probability(weak), 0.1);
}

TEST(Calibrate, WeightsOfEvidenceAreNeverNegative) {
  // Decoys that have more inliers than what is shown.
  const Sightings seen = {.shown = sightings(50, 6, 0.9, 1),
                          .others = sightings(50, 30, 0.1, 2),
                          .decoys = sightings(50, 30, 0.1, 3)};
  const Calibration calibration = calibrate(seen);
  for (std::size_t i = 1; i < Calibration::kWeights; ++i) EXPECT_GE(calibration.weights[i], 0) << i;
}

TEST(Calibrate, MoreInliersNeverMakeAMatchLessProbable) {
  // Other images have more inliers than what is shown, and agree in the same detail.
  const Sightings seen = {.shown = sightings(200, 6, 0.3, 1),
                          .others = sightings(200, 60, 0.3, 2),
                          .decoys = sightings(200, 60, 0.3, 3)};
  EXPECT_GE(calibrate(seen).weights[1], 0);
}

}  // namespace
}  // namespace lookalike
