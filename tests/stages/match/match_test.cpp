#include "stages/match/match.h"

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(MoveMatches, CarriesPoseOutlineAndPairsAlong) {
  Match located;
  located.image.width = 4;
  located.image.height = 2;
  located.evidence.inliers = 1;
  located.pose.quad = outline({}, 4, 2);
  located.pose.part = outline({}, 2, 1);
  located.pose.inlier_pairs = {{{1, 1}, {1, 1}}};
  std::vector<Match> matches = {located, Match{}};
  move_matches(matches, {{1, 0, 30, 0, 1, 40, 0, 0, 1}});
  EXPECT_EQ(matches[0].pose.object_to_query.apply({0, 0}), (Point{30, 40}));
  EXPECT_EQ(matches[0].pose.quad, (Quad{{{30, 40}, {34, 40}, {34, 42}, {30, 42}}}));
  EXPECT_EQ(matches[0].pose.part, (Quad{{{30, 40}, {32, 40}, {32, 41}, {30, 41}}}));
  EXPECT_EQ(matches[0].pose.inlier_pairs[0].object, (Point{1, 1}));
  EXPECT_EQ(matches[0].pose.inlier_pairs[0].scene, (Point{31, 41}));
  EXPECT_EQ(matches[1].pose.quad, Quad{});
}

}  // namespace
}  // namespace lookalike
