// Matches that a mirror shows.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stages/match/matcher_fixture.h"

namespace lookalike {
namespace {

TEST_F(MatcherTest, MirroredCopyIsFoundOnlyWhenAskedFor) {
  // Left and right exchanged, and moved to the right by the picture's width.
  const Homography mirror{{-1, 0, kWidth - 1.0, 0, 1, 0, 0, 0, 1}};
  const Homography place = tilted_ * mirror;
  const Query query = view_of(3, place);
  EXPECT_THAT(match(query), testing::IsEmpty());
  const auto matches = match(query, with(ReportOptions{.mirror = true}));
  ASSERT_EQ(matches.size(), 1U);
  const Match& best = matches.front();
  EXPECT_TRUE(best.pose.mirrored);
  EXPECT_EQ(best.image.paths, std::vector<std::string>{path_of(3)});
  EXPECT_EQ(best.decision, Decision::kSameObject);
  EXPECT_GT(best.evidence.correlation.value_or(0), 0.95);
  const Quad expected = outline(place, kWidth, kHeight);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(distance(best.pose.quad[i], expected[i]), 1) << i;
  for (const auto& [on_object, in_query] : best.pose.inlier_pairs) {
    EXPECT_LT(distance(best.pose.object_to_query.apply(on_object), in_query), 10);
  }
}

TEST_F(MatcherTest, WhatIsNotMirroredIsTheSameWithTheMirror) {
  const Query query = view_of(3, tilted_);
  const auto plain = match(query);
  const auto both = match(query, with(ReportOptions{.mirror = true}));
  ASSERT_EQ(both.size(), plain.size());
  EXPECT_FALSE(both.front().pose.mirrored);
  EXPECT_EQ(both.front().score, plain.front().score);
  EXPECT_EQ(both.front().pose.quad, plain.front().pose.quad);
}

}  // namespace
}  // namespace lookalike
