#include "stages/match/vote/expansion.h"

#include <gtest/gtest.h>

namespace lookalike {
namespace {

IndexedFeature feature(std::uint32_t word, float x, float y) {
  return {.word = word, .signature = 5, .x = x, .y = y, .size = 10, .laplacian_sign = 1};
}

class ExpandedTest : public ::testing::Test {
 protected:
  Question ask(const std::vector<IndexedFeature>& features, const Homography& map) const {
    const auto record = std::make_shared<const Record>(Record{{}, features});
    const std::vector<SureHit> hits = {{record, map}};
    return expanded(question_, hits);
  }

  const Question question_{.words = {{3, 1, 0, -1}, {8, 2, 1, 1}},
                           .places = {{10, 10, 4, 0}, {20, 20, 4, 0}},
                           .width = 100,
                           .height = 80,
                           .itself = {}};
};

TEST_F(ExpandedTest, FeaturesOfTheHitAreAskedForWhereThePosePutsThem) {
  // Twice as large, a quarter turn clockwise as seen: (x, y) goes to (90 - 2y, 2x).
  const Question wider = ask({feature(5, 15, 30)}, {{0, -2, 90, 2, 0, 0, 0, 0, 1}});
  ASSERT_EQ(wider.places.size(), 3U);
  EXPECT_DOUBLE_EQ(wider.places[2].x, 30);
  EXPECT_DOUBLE_EQ(wider.places[2].y, 30);
  EXPECT_DOUBLE_EQ(wider.places[2].size, 20);
  EXPECT_DOUBLE_EQ(wider.places[2].angle_degrees, 90);
  const std::vector<QueryWord> words = {{3, 1, 0, -1}, {5, 5, 2, 1}, {8, 2, 1, 1}};
  EXPECT_EQ(wider.words, words);
}

TEST_F(ExpandedTest, FeaturesOutsideTheQueryAreLeftOut) {
  EXPECT_EQ(ask({feature(5, 101, 10), feature(5, 10, 81), feature(5, -1, 10)}, {}).words,
            question_.words);
}

TEST_F(ExpandedTest, WithoutHitsNothingChanges) {
  EXPECT_EQ(expanded(question_, {}).words, question_.words);
}

}  // namespace
}  // namespace lookalike
