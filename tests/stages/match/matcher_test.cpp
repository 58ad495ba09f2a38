#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/stages/match/matcher_fixture.h"

namespace lookalike {
namespace {

TEST_F(MatcherTest, PictureIsFoundFirstAndInItsPlace) {
  const auto matches = match(view_of(3, tilted_));
  ASSERT_FALSE(matches.empty());
  const Match& best = matches.front();
  EXPECT_EQ(best.image.paths, std::vector<std::string>{path_of(3)});
  EXPECT_GT(best.evidence.inliers, 30U);
  EXPECT_EQ(best.inlier_pairs.size(), best.evidence.inliers);
  ASSERT_TRUE(best.evidence.correlation.has_value());
  EXPECT_GT(*best.evidence.correlation, 0.95);
  EXPECT_GT(best.score, best.evidence.inliers / 2.0);
  const Quad expected = outline(tilted_, kWidth, kHeight);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(distance(best.quad[i], expected[i]), 1) << i;
}

TEST_F(MatcherTest, PicturesInOnePhotoAreEachFoundInTheirPlace) {
  const std::vector<Homography> poses = {Homography{{0.9, 0, 10, 0, 0.9, 20, 0, 0, 1}},
                                         Homography{{0.8, -0.2, 370, 0.2, 0.8, 200, 0, 0, 1}}};
  GrayImage photo(640, 480);
  paint(photo, 2, poses[0]);
  paint(photo, 4, poses[1]);
  const auto matches = match(query_of(*session_, photo));
  ASSERT_EQ(matches.size(), 2U);
  for (const Match& found : matches) {
    EXPECT_EQ(found.decision, Decision::kSameObject);
    const bool is_first = found.image.paths.front() == path_of(2);
    EXPECT_EQ(found.image.paths.front(), path_of(is_first ? 2 : 4));
    const Quad expected = outline(poses[is_first ? 0 : 1], kWidth, kHeight);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(distance(found.quad[i], expected[i]), 2) << i;
  }
  EXPECT_NE(matches[0].image.id, matches[1].image.id);
}

TEST_F(MatcherTest, ExpansionKeepsTheMatchItStartsFrom) {
  const Query query = view_of(3, tilted_);
  const auto plain = match(query);
  const auto expanded = match(query, {.expansion_hits = 2});
  ASSERT_FALSE(expanded.empty());
  EXPECT_EQ(expanded.front().image.id, plain.front().image.id);
  EXPECT_EQ(expanded.front().evidence.inliers, plain.front().evidence.inliers);
}

TEST_F(MatcherTest, InlierPairsAgreeWithThePose) {
  const auto matches = match(view_of(1, tilted_));
  ASSERT_FALSE(matches.empty());
  for (const auto& [on_object, in_query] : matches.front().inlier_pairs) {
    EXPECT_LT(distance(matches.front().object_to_query.apply(on_object), in_query), 10);
  }
}

TEST_F(MatcherTest, OtherPicturesAreNotFound) {
  const cv::Mat other = draw_picture(kWidth, kHeight, 99);
  GrayImage image(kWidth, kHeight);
  std::copy(other.datastart, other.dataend, image.pixels.begin());
  EXPECT_TRUE(match(query_of(*session_, image)).empty());
}

TEST_F(MatcherTest, FlatQueryFindsNothing) {
  EXPECT_TRUE(match(query_of(*session_, GrayImage(kWidth, kHeight))).empty());
}

TEST_F(MatcherTest, MoreInliersThanThereAreFindNothing) {
  EXPECT_TRUE(match(view_of(3, tilted_), {.min_inliers = 1000}).empty());
}

TEST_F(MatcherTest, WeakMatchesAreReportedOnlyWhenAskedFor) {
  const Query query = view_of(3, tilted_);
  const auto matches = match(query);
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches.front().decision, Decision::kSameObject);
  const auto all = match(query, {.report = "all"});
  ASSERT_GT(all.size(), 1U);
  EXPECT_EQ(all.back().decision, Decision::kNone);
  EXPECT_TRUE(match(query, {.report = "duplicate"}).empty());
}

TEST_F(MatcherTest, CopyIsADuplicate) {
  const auto matches = match(view_of(2, {{2, 0, 0.5, 0, 2, 0.5, 0, 0, 1}}));
  ASSERT_FALSE(matches.empty());
  EXPECT_EQ(matches.front().decision, Decision::kDuplicate);
}

TEST_F(MatcherTest, TopLimitsTheMatches) {
  MatchOptions loose = {.report = "all", .locate_candidates = 0};
  const Query query = view_of(3, tilted_);
  ASSERT_GT(match(query, loose).size(), 2U);
  loose.top = 2;
  EXPECT_EQ(match(query, loose).size(), 2U);
}

TEST_F(MatcherTest, SameQueryGivesTheSameMatches) {
  const Query query = view_of(4, tilted_);
  const auto once = match(query);
  const auto again = match(query);
  ASSERT_FALSE(once.empty());
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].image.id, again[i].image.id);
    EXPECT_EQ(once[i].score, again[i].score);
    EXPECT_EQ(once[i].quad, again[i].quad);
  }
}

}  // namespace
}  // namespace lookalike
