// What the pixels of the indexed files add to a match.

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/geometry.h"
#include "tests/stages/match/matcher_fixture.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

TEST_F(MatcherTest, PictureWhoseFileIsGoneIsStillFound) {
  const Query query = view_of(0, tilted_);
  fs::rename(path_of(0), path_of(0) + ".away");
  const auto matches = match(query);
  fs::rename(path_of(0) + ".away", path_of(0));
  ASSERT_FALSE(matches.empty());
  EXPECT_EQ(matches.front().image.paths, std::vector<std::string>{path_of(0)});
  EXPECT_FALSE(matches.front().evidence.correlation.has_value());
}

TEST_F(MatcherTest, NoCandidatesToRefineLeaveCorrelationOut) {
  const auto matches = match(view_of(2, tilted_), with(RefineOptions{.refine_candidates = 0}));
  ASSERT_FALSE(matches.empty());
  EXPECT_FALSE(matches.front().evidence.correlation.has_value());
  EXPECT_FALSE(matches.front().pose.moved_px.has_value());
}

TEST_F(MatcherTest, MovedPxIsTheFurthestMoveOfACorner) {
  const Query query = view_of(2, tilted_);
  const auto before = match(query, with(RefineOptions{.refine_candidates = 0}));
  const auto after = match(query);
  ASSERT_FALSE(before.empty() || after.empty());
  ASSERT_TRUE(after.front().pose.moved_px.has_value());
  EXPECT_GT(*after.front().pose.moved_px, 0);
  EXPECT_DOUBLE_EQ(*after.front().pose.moved_px,
                   furthest_corner_px(before.front().pose.quad, after.front().pose.quad));
}

}  // namespace
}  // namespace lookalike
