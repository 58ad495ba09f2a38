#include "stages/match/verify/pose.h"

#include <utility>

#include <gtest/gtest.h>

#include "base/geometry.h"
#include "tests/stages/match/verify/synthetic_pairs.h"

namespace lookalike {
namespace {

constexpr int kWidth = 320;
constexpr int kHeight = 240;
constexpr int kSceneWidth = 640;
constexpr int kSceneHeight = 480;

const Homography kTurned{{0.5, -0.6, 300, 0.6, 0.5, 100, 0, 0, 1}};
const Homography kSheared{{0.8, -0.5, 250, 0.2, 1.1, 60, 0, 0, 1}};
const Homography kTilted{{1.1, -0.3, 180, 0.2, 0.8, 90, 1.2e-3, -4e-4, 1}};

std::optional<Pose> find_pose(std::span<const PlacePair> pairs) {
  // An inlier lies within 9.6 px.
  return lookalike::find_pose(pairs, {kWidth, kHeight}, {kSceneWidth, kSceneHeight},
                              {.min_inliers = 6, .inlier_distance = 0.012});
}

double worst_corner_px(const Homography& actual, const Homography& expected) {
  return furthest_corner_px(outline(actual, kWidth, kHeight), outline(expected, kWidth, kHeight));
}

class FindPoseUnder : public ::testing::TestWithParam<Homography> {};

TEST_P(FindPoseUnder, MapIsRecoveredAmongOutliers) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SyntheticPairs synthetic(kWidth, kHeight, seed);
    synthetic.add_inliers(GetParam(), 80, 0.5);
    synthetic.add_outliers(160, kSceneWidth, kSceneHeight);
    synthetic.shuffle();
    const auto pose = find_pose(synthetic.pairs);
    ASSERT_TRUE(pose.has_value());
    EXPECT_LT(worst_corner_px(pose->object_to_scene, GetParam()), 1) << seed;
    EXPECT_GE(pose->inliers.size(), 78U);
    EXPECT_LE(pose->inliers.size(), 84U);
  }
}

TEST_P(FindPoseUnder, NineInliersAmongFortyAreEnough) {
  SyntheticPairs synthetic(kWidth, kHeight, 3);
  synthetic.add_inliers(GetParam(), 9, 0.5);
  synthetic.add_outliers(31, kSceneWidth, kSceneHeight);
  const auto pose = find_pose(synthetic.pairs);
  ASSERT_TRUE(pose.has_value());
  EXPECT_GT(intersection_over_union(outline(pose->object_to_scene, kWidth, kHeight),
                                    outline(GetParam(), kWidth, kHeight)),
            0.85);
}

INSTANTIATE_TEST_SUITE_P(Maps, FindPoseUnder, ::testing::Values(kTurned, kSheared, kTilted));

TEST(FindPose, InliersAreThePairsThatWereDrawnFromTheMap) {
  SyntheticPairs synthetic(kWidth, kHeight);
  synthetic.add_inliers(kTilted, 20);
  synthetic.add_outliers(5, 30, 30);
  const auto pose = find_pose(synthetic.pairs);
  ASSERT_TRUE(pose.has_value());
  ASSERT_EQ(pose->inliers.size(), 20U);
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(pose->inliers[i], i);
}

TEST(FindPose, NoisySimilarityDoesNotBecomeAHomography) {
  SyntheticPairs synthetic(kWidth, kHeight, 5);
  synthetic.add_inliers(kTurned, 12, 3);
  const auto pose = find_pose(synthetic.pairs);
  ASSERT_TRUE(pose.has_value());
  EXPECT_EQ(pose->object_to_scene.h[6], 0);
  EXPECT_EQ(pose->object_to_scene.h[7], 0);
}

TEST(FindPose, TooFewPairsAreNoPose) {
  SyntheticPairs synthetic(kWidth, kHeight);
  EXPECT_FALSE(find_pose(synthetic.pairs));
  synthetic.add_inliers(kTurned, 5);
  EXPECT_FALSE(find_pose(synthetic.pairs));
  synthetic.add_inliers(kTurned, 1);
  EXPECT_TRUE(find_pose(synthetic.pairs));
}

TEST(FindPose, UnrelatedFeaturesAreNoPose) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SyntheticPairs synthetic(kWidth, kHeight, seed);
    synthetic.add_outliers(60, kSceneWidth, kSceneHeight);
    EXPECT_FALSE(find_pose(synthetic.pairs)) << seed;
  }
}

TEST(FindPose, LineGivesASimilarityAndNothingWilder) {
  SyntheticPairs synthetic(kWidth, kHeight);
  for (double t = 0; t < 12; ++t) synthetic.add(kTurned, {20 * t, 40 + 10 * t});
  const auto pose = find_pose(synthetic.pairs);
  ASSERT_TRUE(pose.has_value());
  const auto& h = pose->object_to_scene.h;
  EXPECT_NEAR(h[0], h[4], 1e-9);
  EXPECT_NEAR(h[1], -h[3], 1e-9);
  EXPECT_LT(worst_corner_px(pose->object_to_scene, kTurned), 1e-3);
}

TEST(FindPose, OnePlaceIsNoPose) {
  SyntheticPairs synthetic(kWidth, kHeight);
  for (int i = 0; i < 12; ++i) synthetic.add(kTurned, {100, 100});
  EXPECT_FALSE(find_pose(synthetic.pairs));
}

TEST(FindPose, MirrorImageIsNoPose) {
  SyntheticPairs synthetic(kWidth, kHeight);
  synthetic.add_inliers({{-1, 0, 400, 0, 1, 50, 0, 0, 1}}, 60);
  EXPECT_FALSE(find_pose(synthetic.pairs));
}

TEST(FindPose, CoherenceFallsWhenFeaturesTurnAndGrowOtherwiseThanTheMap) {
  SyntheticPairs synthetic(kWidth, kHeight, 3);
  synthetic.add_inliers(kTurned, 30);
  const auto exact = find_pose(synthetic.pairs);
  ASSERT_TRUE(exact.has_value());
  EXPECT_GT(exact->coherence, 2);
  EXPECT_NEAR(exact->squeeze, 1, 0.01);
  for (std::size_t i = 0; i < synthetic.pairs.size(); ++i) {
    synthetic.pairs[i].scene.angle_degrees += i % 2 == 0 ? 20 : -20;
    synthetic.pairs[i].scene.size *= i % 2 == 0 ? 1.4 : 1 / 1.4;
  }
  const auto rough = find_pose(synthetic.pairs);
  ASSERT_TRUE(rough.has_value());
  EXPECT_LT(rough->coherence, -1);
}

TEST(FindPose, SqueezeIsTheRatioOfTheAxesOfACircle) {
  SyntheticPairs synthetic(kWidth, kHeight, 3);
  synthetic.add_inliers({{0.9, 0, 20, 0, 0.45, 30, 0, 0, 1}}, 40);
  const auto pose = find_pose(synthetic.pairs);
  ASSERT_TRUE(pose.has_value());
  EXPECT_NEAR(pose->squeeze, 2, 0.1);
}

TEST(FindPose, AnAttemptRecordsHowFarItCame) {
  const auto attempt_with = [](std::span<const PlacePair> pairs) {
    PoseAttempt attempt;
    const bool found = lookalike::find_pose(pairs, {kWidth, kHeight}, {kSceneWidth, kSceneHeight},
                                            {.min_inliers = 6, .inlier_distance = 0.012}, &attempt)
                           .has_value();
    return std::pair(found, attempt);
  };
  SyntheticPairs five(kWidth, kHeight);
  five.add_inliers(kTurned, 5);
  five.add_outliers(3, kSceneWidth, kSceneHeight);
  EXPECT_FALSE(attempt_with(five.pairs).first);
  EXPECT_EQ(attempt_with(five.pairs).second.inliers, 5U);

  SyntheticPairs one_place(kWidth, kHeight);
  for (int i = 0; i < 12; ++i) one_place.add(kTurned, {100, 100});
  EXPECT_FALSE(attempt_with(one_place.pairs).first);
  EXPECT_EQ(attempt_with(one_place.pairs).second.inliers, 12U);
  EXPECT_EQ(attempt_with(one_place.pairs).second.cells, 1U);

  SyntheticPairs good(kWidth, kHeight);
  good.add_inliers(kTurned, 30);
  const auto [found, attempt] = attempt_with(good.pairs);
  EXPECT_TRUE(found);
  EXPECT_EQ(attempt.inliers, 30U);
  EXPECT_GE(attempt.cells, kMinCells);
}

TEST(FindPose, SamePairsGiveTheSamePose) {
  SyntheticPairs synthetic(kWidth, kHeight);
  synthetic.add_inliers(kTilted, 200, 2);
  synthetic.add_outliers(400, kSceneWidth, kSceneHeight);
  synthetic.shuffle();
  const auto once = find_pose(synthetic.pairs);
  const auto again = find_pose(synthetic.pairs);
  ASSERT_TRUE(once && again);
  EXPECT_EQ(once->object_to_scene, again->object_to_scene);
  EXPECT_EQ(once->inliers, again->inliers);
}

TEST(FindPose, PatchThatIsBusyCountsOnce) {
  SyntheticPairs synthetic(kWidth, kHeight);
  for (int i = 0; i < 30; ++i) synthetic.add(kTurned, {101 + 0.2 * i, 101 + 0.1 * (i % 7)});
  synthetic.add_inliers(kTurned, 10);
  const auto pose = find_pose(synthetic.pairs);
  ASSERT_TRUE(pose.has_value());
  EXPECT_EQ(pose->inliers.size(), 40U);
  EXPECT_LE(pose->effective_inliers, 11U);
  EXPECT_GE(pose->effective_inliers, 9U);
}

TEST(IsPlausible, ImplausibleViewsAreRefused) {
  const auto plausible = [](const Homography& map) { return is_plausible(map, kWidth, kHeight); };
  EXPECT_TRUE(plausible({}));
  EXPECT_TRUE(plausible(kTilted));
  EXPECT_FALSE(plausible({{-1, 0, 0, 0, 1, 0, 0, 0, 1}})) << "mirrored";
  EXPECT_FALSE(plausible({{1, 0, 0, 0, 0.1, 0, 0, 0, 1}})) << "squeezed";
  EXPECT_FALSE(plausible({{0.005, 0, 0, 0, 0.005, 0, 0, 0, 1}})) << "tiny";
  EXPECT_FALSE(plausible({{1, 0, 0, 0, 1, 0, -0.01, 0, 1}})) << "behind the camera";
  EXPECT_FALSE(plausible({{1, 0, 0, 0, 1, 0, -0.0029, 0, 1}})) << "nearly edge on";
  EXPECT_FALSE(plausible({{0, 0, 0, 0, 0, 0, 0, 0, 1}})) << "all in one place";
}

}  // namespace
}  // namespace lookalike
