#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/geometry.h"
#include "stages/match/decide/decision.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;

// A match with `count` inliers, of the query's features from `first` on, that fills a square.
Match match_of(std::uint32_t first, std::uint32_t count, Point corner, double side_px) {
  Match match;
  match.evidence = {.inliers = count, .effective_inliers = count, .correlation = {}};
  match.pose.query_features.resize(count);
  std::iota(match.pose.query_features.begin(), match.pose.query_features.end(), first);
  match.pose.inlier_pairs.resize(count);
  const double right = corner.x + side_px;
  const double bottom = corner.y + side_px;
  match.pose.quad = {corner, {right, corner.y}, {right, bottom}, {corner.x, bottom}};
  return match;
}

// The surest match of a photo: features 0 to 99, at its left.
Match sure() {
  Match match = match_of(0, 100, {0, 0}, 200);
  match.probability = 0.99;
  return match;
}

std::vector<std::uint32_t> inliers_after(const Match& best, const Match& other) {
  std::vector<Match> matches = {best, other};
  resolve_overlaps(matches, {});
  std::vector<std::uint32_t> inliers;
  for (const Match& match : matches) {
    EXPECT_EQ(match.evidence.inliers, match.pose.query_features.size());
    EXPECT_EQ(match.pose.inlier_pairs.size(), match.pose.query_features.size());
    inliers.push_back(match.evidence.inliers);
  }
  return inliers;
}

TEST(ResolveOverlaps, ObjectsSideBySideBothStay) {
  EXPECT_THAT(inliers_after(sure(), match_of(100, 30, {300, 0}, 200)), ElementsAre(100U, 30U));
}

TEST(ResolveOverlaps, MatchThatRestsOnAnothersFeaturesLosesItsPose) {
  EXPECT_THAT(inliers_after(sure(), match_of(10, 12, {150, 150}, 900)), ElementsAre(100U, 0U));
}

TEST(ResolveOverlaps, ALostPoseLeavesNothing) {
  Match lost = match_of(10, 12, {150, 150}, 900);
  lost.evidence.correlation = 0.4;
  lost.evidence.detail = 0.1;
  lost.pose.moved_px = 2.5;
  lost.pose.object_to_query = {{2, 0, 5, 0, 2, 7, 0, 0, 1}};
  std::vector<Match> matches = {sure(), lost};
  resolve_overlaps(matches, {});
  const Match& left = matches.back();
  EXPECT_FALSE(left.has_pose());
  EXPECT_FALSE(left.evidence.correlation.has_value());
  EXPECT_FALSE(left.evidence.detail.has_value());
  EXPECT_FALSE(left.pose.moved_px.has_value());
  EXPECT_EQ(left.pose.quad, Quad{});
  EXPECT_EQ(left.pose.object_to_query, Homography{});
}

TEST(ResolveOverlaps, MatchWithFeaturesOfItsOwnKeepsThese) {
  EXPECT_THAT(inliers_after(sure(), match_of(90, 40, {180, 0}, 200)), ElementsAre(100U, 30U));
}

TEST(ResolveOverlaps, AsManyAsAPoseNeedsSuffice) {
  EXPECT_THAT(inliers_after(sure(), match_of(94, 12, {180, 0}, 200)), ElementsAre(100U, 6U));
  EXPECT_THAT(inliers_after(sure(), match_of(94, 11, {180, 0}, 200)), ElementsAre(100U, 0U));
}

TEST(ResolveOverlaps, CopyInTheSamePlaceStays) {
  EXPECT_THAT(inliers_after(sure(), match_of(0, 60, {10, 10}, 200)), ElementsAre(100U, 60U));
}

TEST(ResolveOverlaps, DetailThatThePixelsConfirmStays) {
  Match detail = match_of(0, 20, {50, 50}, 40);
  detail.evidence.detail = 0.7;
  EXPECT_THAT(inliers_after(sure(), detail), ElementsAre(100U, 20U));
}

TEST(ResolveOverlaps, MatchThatIsNotSureTakesNothing) {
  Match doubtful = sure();
  doubtful.probability = 0.3;
  EXPECT_THAT(inliers_after(doubtful, match_of(10, 12, {150, 150}, 900)), ElementsAre(100U, 12U));
}

}  // namespace
}  // namespace lookalike
