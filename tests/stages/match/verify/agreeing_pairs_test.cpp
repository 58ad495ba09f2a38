#include "stages/match/verify/agreeing_pairs.h"

#include <vector>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

// Pairs whose features are turned and enlarged alike.
std::vector<PlacePair> pairs_of(std::size_t count, double turn_degrees, double scale) {
  std::vector<PlacePair> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const double angle = static_cast<double>(37 * i % 360);
    const double size = 5 + static_cast<double>(i % 7);
    pairs.push_back({{0, 0, size, angle}, {0, 0, scale * size, angle + turn_degrees}});
  }
  return pairs;
}

std::vector<PlacePair> together(std::vector<PlacePair> some, const std::vector<PlacePair>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

AgreeingPairs agreeing(const std::vector<PlacePair>& pairs) {
  return agreeing_pairs(pairs, std::vector<double>(pairs.size(), 1));
}

TEST(AgreeingPairs, CountThoseOfOneTurnAndSize) {
  EXPECT_EQ(agreeing({}).count, 0U);
  EXPECT_EQ(agreeing(pairs_of(20, 0, 1)).count, 20U);
  EXPECT_EQ(agreeing(pairs_of(20, -170, 0.3)).count, 20U);
  EXPECT_EQ(agreeing(together(pairs_of(20, 10, 1), pairs_of(9, 100, 1))).count, 20U);
  EXPECT_EQ(agreeing(together(pairs_of(20, 10, 1), pairs_of(9, 10, 4))).count, 20U);
}

TEST(AgreeingPairs, ToleratesSmallDifferences) {
  for (const double turn : {0., 11., 22.}) {
    EXPECT_EQ(agreeing(together(pairs_of(20, turn, 1), pairs_of(9, turn + 20, 1.3))).count, 29U);
  }
}

TEST(AgreeingPairs, HaveNoSeamAtAFullTurn) {
  EXPECT_EQ(agreeing(together(pairs_of(20, -5, 1), pairs_of(9, 5, 1))).count, 29U);
}

TEST(AgreeingPairs, SumsTheWeightsOfThoseThatAgreeMost) {
  const auto pairs = together(pairs_of(20, 10, 1), pairs_of(9, 100, 1));
  std::vector<double> weights(20, 0.1);
  weights.resize(29, 0.5);  // fewer pairs, of more weight
  const AgreeingPairs weighted = agreeing_pairs(pairs, weights);
  EXPECT_EQ(weighted.count, 20U);
  EXPECT_DOUBLE_EQ(weighted.weight, 4.5);
  EXPECT_DOUBLE_EQ(agreeing(pairs).weight, 20);
}

}  // namespace
}  // namespace lookalike
