#include "stages/match/verify/pose_fit.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

constexpr double kPlain = std::numeric_limits<double>::infinity();
const Homography kSimilarity{{0.6, -0.3, 40, 0.3, 0.6, 25, 0, 0, 1}};
const Homography kAffine{{0.9, -0.3, 40, 0.5, 0.6, 25, 0, 0, 1}};
const Homography kPerspective{{0.9, -0.2, 40, 0.3, 0.7, 25, 6e-4, -3e-4, 1}};

std::vector<PointPair> grid(const Homography& map) {
  std::vector<PointPair> pairs;
  for (double y = 0; y <= 200; y += 50) {
    for (double x = 0; x <= 300; x += 60) pairs.push_back({{x, y}, map.apply({x, y})});
  }
  return pairs;
}

void expect_same_map(const std::optional<Homography>& actual, const Homography& expected,
                     double tolerance_px = 1e-6) {
  ASSERT_TRUE(actual.has_value());
  EXPECT_DOUBLE_EQ(actual->h[8], 1);
  for (const Point corner : {Point{0, 0}, Point{300, 0}, Point{300, 200}, Point{0, 200}}) {
    EXPECT_NEAR(actual->apply(corner).x, expected.apply(corner).x, tolerance_px);
    EXPECT_NEAR(actual->apply(corner).y, expected.apply(corner).y, tolerance_px);
  }
}

TEST(FitPose, ExactPairsGiveTheExactMap) {
  expect_same_map(fit_pose(PoseModel::kSimilarity, grid(kSimilarity), {}, kPlain), kSimilarity);
  expect_same_map(fit_pose(PoseModel::kAffine, grid(kAffine), {}, kPlain), kAffine);
  expect_same_map(fit_pose(PoseModel::kPerspective, grid(kPerspective), {}, kPlain), kPerspective,
                  1e-3);
}

TEST(FitPose, SmallestSetsAreEnough) {
  const std::vector<PointPair> pairs = {{{0, 0}, kPerspective.apply({0, 0})},
                                        {{300, 0}, kPerspective.apply({300, 0})},
                                        {{300, 200}, kPerspective.apply({300, 200})},
                                        {{0, 200}, kPerspective.apply({0, 200})}};
  expect_same_map(fit_pose(PoseModel::kPerspective, pairs, {}, kPlain), kPerspective, 1e-2);
  EXPECT_FALSE(fit_pose(PoseModel::kPerspective, std::span(pairs).first(3), {}, kPlain));
  EXPECT_TRUE(fit_pose(PoseModel::kAffine, std::span(pairs).first(3), {}, kPlain));
  EXPECT_FALSE(fit_pose(PoseModel::kAffine, std::span(pairs).first(2), {}, kPlain));
  EXPECT_TRUE(fit_pose(PoseModel::kSimilarity, std::span(pairs).first(2), {}, kPlain));
  EXPECT_FALSE(fit_pose(PoseModel::kSimilarity, std::span(pairs).first(1), {}, kPlain));
}

TEST(FitPose, OutliersHaveLittleWeight) {
  std::vector<PointPair> pairs = grid(kAffine);
  for (std::size_t i = 0; i < pairs.size(); i += 5) pairs[i].scene.x += 60;
  const Homography near{{0.88, -0.3, 42, 0.5, 0.62, 24, 0, 0, 1}};
  expect_same_map(fit_pose(PoseModel::kAffine, pairs, near, 4), kAffine, 0.1);
}

TEST(FitPose, LineDeterminesASimilarityAndNoMore) {
  std::vector<PointPair> pairs;
  for (double t = 0; t < 10; ++t) {
    const Point at = {20 * t, 50 + 10 * t};
    pairs.push_back({at, kSimilarity.apply(at)});
  }
  expect_same_map(fit_pose(PoseModel::kSimilarity, pairs, {}, kPlain), kSimilarity);
  EXPECT_FALSE(fit_pose(PoseModel::kAffine, pairs, {}, kPlain));
  EXPECT_FALSE(fit_pose(PoseModel::kPerspective, pairs, {}, kPlain));
}

TEST(FitPose, OnePlaceDeterminesNothing) {
  const std::vector<PointPair> pairs(8, PointPair{{5, 5}, {9, 9}});
  EXPECT_FALSE(fit_pose(PoseModel::kSimilarity, pairs, {}, kPlain));
  EXPECT_FALSE(fit_pose(PoseModel::kSimilarity, {}, {}, kPlain));
}

}  // namespace
}  // namespace lookalike
