#include "kernels/pose_search/pose_search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/kernels/shared_session.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Returns waves of several lengths and directions, with a little noise.
GrayImage waves(int width, int height) {
  GrayImage image(width, height);
  std::uint32_t state = 7;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      state = state * 1664525U + 1013904223U;
      const double wave = 60 * std::sin(0.31 * x + 0.12 * y) + 40 * std::cos(0.17 * x - 0.23 * y);
      image.at(x, y) = static_cast<std::uint8_t>(128 + wave + static_cast<double>(state >> 28U));
    }
  }
  return image;
}

// Returns a part of the image, with every third pixel of a disc as a point of the templates.
PoseObject object_from(const GrayImage& image, int left, int top, int width, int height) {
  PoseObject object;
  object.width = width;
  object.height = height;
  object.centre = {(width - 1) / 2.0, (height - 1) / 2.0};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      object.pixels.push_back(static_cast<float>(image.view().at(left + x, top + y)) - 128.0F);
      const Point point = {x - object.centre.x, y - object.centre.y};
      const bool inside = std::hypot(point.x, point.y) <= std::min(width, height) / 2.0;
      object.mask.push_back(inside ? 255 : 0);
      if (inside && (x + 5 * y) % 3 == 0) object.points.push_back(point);
    }
  }
  return object;
}

const std::vector<TurnScale> kPoses = {{0, 1},      {0.4, 1},   {-2.1, 0.8}, {3.1, 1.3}, {1.2, 1.1},
                                       {0.05, 0.9}, {0.1, 1.2}, {2.5, 1},    {-0.7, 0.7}};

class PoseSearchTest : public ::testing::TestWithParam<std::string> {
 protected:
  static void TearDownTestSuite() { rigs().clear(); }

  // Compiled once a device.
  struct Rig {
    explicit Rig(const std::string& device)
        : session(shared_session(device)), pyramid(session), search(session) {}
    OpenClSession& session;
    ScenePyramid pyramid;
    PoseSearch search;
  };
  Rig& rig() {
    std::unique_ptr<Rig>& rig = rigs()[GetParam()];
    if (!rig) rig = std::make_unique<Rig>(GetParam());
    return *rig;
  }

  std::vector<float> scores(const PlainLevel& level, const PoseObject& object,
                            const std::vector<TurnScale>& poses, bool either) {
    std::vector<float> best(level.pixels.size(), kPoseOutside);
    for (const TurnScale& pose : poses) {
      const auto scores = pose_scores_reference(level, object, pose, either);
      for (std::size_t i = 0; i < best.size(); ++i) best[i] = std::max(best[i], scores[i]);
    }
    return best;
  }

 private:
  static std::map<std::string, std::unique_ptr<Rig>>& rigs() {
    static std::map<std::string, std::unique_ptr<Rig>> rigs;
    return rigs;
  }
};

TEST_P(PoseSearchTest, PyramidsAreThoseOfTheReference) {
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 3}, {63, 65}, {130, 77}}) {
    const GrayImage image = waves(width, height);
    rig().pyramid.load(image.view(), 4, 9);
    const std::vector<PlainLevel> expected = scene_pyramid_reference(image.view(), 4);
    for (int index = 0; index < 4; ++index) {
      const PyramidLevel& level = rig().pyramid.level(index);
      const PlainLevel& plain = expected[static_cast<std::size_t>(index)];
      ASSERT_EQ(level.width, plain.width);
      ASSERT_EQ(level.height, plain.height);
      std::vector<float> pixels(static_cast<std::size_t>(level.pitch) *
                                static_cast<std::size_t>(level.height + 2 * level.margin));
      rig().session.read<float>(level.pixels, pixels);
      for (int y = -level.margin; y < level.height + level.margin; ++y) {
        for (int x = -level.margin; x < level.width + level.margin; ++x) {
          ASSERT_NEAR(pixels[static_cast<std::size_t>(level.origin() + y * level.pitch + x)],
                      plain.at(x, y), 1e-3)
              << width << "x" << height << " level " << index << " (" << x << ", " << y << ")";
        }
      }
    }
  }
}

TEST_P(PoseSearchTest, MapsAreThoseOfTheReference) {
  for (const auto& [width, height] : {std::pair{40, 40}, {67, 50}, {129, 65}}) {
    const GrayImage image = waves(width, height);
    const PoseObject object = object_from(image, 9, 7, 21, 18);
    rig().pyramid.load(image.view(), 1, 30);
    const PlainLevel plain = scene_pyramid_reference(image.view(), 1)[0];
    for (const bool either : {false, true}) {
      PoseMap map;
      rig().search.search(rig().pyramid.level(0), object, kPoses,
                          {.run = 4, .min_score = 0.5F, .either = either, .map = &map});
      const std::vector<float> expected = scores(plain, object, kPoses, either);
      ASSERT_THAT(map.scores, SizeIs(expected.size()));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(map.scores[i], expected[i], 2e-4) << i << " of " << width << "x" << height;
      }
    }
  }
}

TEST_P(PoseSearchTest, PeaksAreWhereNoNeighbourIsHigher) {
  const GrayImage image = waves(90, 70);
  const PoseObject object = object_from(image, 31, 22, 20, 20);
  rig().pyramid.load(image.view(), 1, 30);
  const PosePeaks found =
      rig().search.search(rig().pyramid.level(0), object, {kPoses.data(), 2}, {.min_score = 0.9F});
  ASSERT_FALSE(found.peaks.empty());
  EXPECT_TRUE(found.has_contrast);
  EXPECT_FALSE(found.has_flat);
  EXPECT_EQ(found.peaks[0].template_index, 0);
  EXPECT_EQ(found.peaks[0].x, 40);
  EXPECT_EQ(found.peaks[0].y, 31);
  EXPECT_NEAR(found.peaks[0].score, 1, 1e-5);
  const PlainLevel plain = scene_pyramid_reference(image.view(), 1)[0];
  for (const PosePeak& peak : found.peaks) {
    const auto scores = pose_scores_reference(
        plain, object, kPoses[static_cast<std::size_t>(peak.template_index)], false);
    for (int y = std::max(0, peak.y - 1); y <= std::min(69, peak.y + 1); ++y) {
      for (int x = std::max(0, peak.x - 1); x <= std::min(89, peak.x + 1); ++x) {
        EXPECT_LE(scores[static_cast<std::size_t>(y * 90 + x)], peak.score + 1e-4);
      }
    }
  }
}

TEST_P(PoseSearchTest, AnObjectThatIsShownTurnedAndLargerIsFoundInThatPose) {
  const auto grey = [](double x, double y) {
    return 128 + 60 * std::sin(0.31 * x + 0.12 * y) + 40 * std::cos(0.17 * x - 0.23 * y);
  };
  GrayImage upright(31, 31);
  for (int y = 0; y < 31; ++y) {
    for (int x = 0; x < 31; ++x) {
      upright.at(x, y) = static_cast<std::uint8_t>(grey(x - 15, y - 15));
    }
  }
  const TurnScale shown = {0.6, 1.1};
  GrayImage scene(90, 70);
  for (int y = 0; y < 70; ++y) {
    for (int x = 0; x < 90; ++x) {
      const Point from = {(x - 44) / shown.scale, (y - 33) / shown.scale};
      scene.at(x, y) = static_cast<std::uint8_t>(
          grey(std::cos(shown.turn) * from.x + std::sin(shown.turn) * from.y,
               std::cos(shown.turn) * from.y - std::sin(shown.turn) * from.x));
    }
  }
  const std::vector<TurnScale> poses = {{0, 1}, {0.6, 1}, {0, 1.1}, shown, {0.6, 1.2}, {-0.6, 1.1}};
  rig().pyramid.load(scene.view(), 1, 30);
  const PosePeaks found = rig().search.search(
      rig().pyramid.level(0), object_from(upright, 0, 0, 31, 31), poses, {.min_score = 0.9F});
  ASSERT_FALSE(found.peaks.empty());
  EXPECT_EQ(found.peaks[0].template_index, 3);
  EXPECT_EQ(found.peaks[0].x, 44);
  EXPECT_EQ(found.peaks[0].y, 33);
  EXPECT_GT(found.peaks[0].score, 0.97F);
}

TEST_P(PoseSearchTest, RefiningFindsTheBestOfFiveByFive) {
  const GrayImage image = waves(90, 70);
  const PoseObject object = object_from(image, 31, 22, 20, 20);
  rig().pyramid.load(image.view(), 1, 30);
  std::vector<PosePeak> tries = {{0, 42, 30, 0}, {1, 40, 31, 0}, {2, 60, 40, 0}, {0, 38, 33, 0}};
  const std::vector<PosePeak> from = tries;
  rig().search.refine(rig().pyramid.level(0), object, kPoses, false, tries);
  EXPECT_EQ(tries[0].x, 40);
  EXPECT_EQ(tries[0].y, 31);
  EXPECT_EQ(tries[3].x, 40);
  EXPECT_EQ(tries[3].y, 31);
  const PlainLevel plain = scene_pyramid_reference(image.view(), 1)[0];
  for (std::size_t i = 0; i < tries.size(); ++i) {
    const auto scores = pose_scores_reference(
        plain, object, kPoses[static_cast<std::size_t>(from[i].template_index)], false);
    float best = kPoseOutside;
    for (int y = from[i].y - 2; y <= from[i].y + 2; ++y) {
      for (int x = from[i].x - 2; x <= from[i].x + 2; ++x) {
        best = std::max(best, scores[static_cast<std::size_t>(y * 90 + x)]);
      }
    }
    EXPECT_NEAR(tries[i].score, best, 2e-4) << i;
  }
}

TEST_P(PoseSearchTest, SumsOfTheFitAreThoseOfTheReference) {
  const GrayImage image = waves(120, 100);
  const PoseObject object = object_from(image, 31, 22, 41, 38);
  rig().pyramid.load(image.view(), 1, 30);
  const PlainLevel plain = scene_pyramid_reference(image.view(), 1)[0];
  const std::vector<CentrePose> poses = {{{51.3, 40.2}, {0.1, 1}, 3},
                                         {{60, 50}, {2.3, 0.8}, -5},
                                         {{3.5, 4.5}, {0.7, 1.2}, 0}};  // partly outside
  const std::vector<PoseFitSums> sums =
      rig().search.fit_sums(rig().pyramid.level(0), rig().search.fit_object(object), poses);
  ASSERT_THAT(sums, SizeIs(poses.size()));
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const PoseFitSums expected = fit_sums_reference(plain, object, poses[i]);
    const double most = *std::max_element(expected.begin(), expected.end());
    for (std::size_t term = 0; term < kPoseFitTerms; ++term) {
      EXPECT_NEAR(sums[i][term], expected[term], 1e-4 * most) << i << ", term " << term;
    }
  }
}

TEST_P(PoseSearchTest, AFlatSceneIsToldFromOneThatDiffers) {
  GrayImage flat(64, 64);
  std::fill(flat.pixels.begin(), flat.pixels.end(), std::uint8_t{200});
  const PoseObject object = object_from(waves(64, 64), 9, 7, 21, 21);
  rig().pyramid.load(flat.view(), 1, 30);
  PoseMap map;
  const PosePeaks found = rig().search.search(rig().pyramid.level(0), object, kPoses,
                                              {.run = 8, .min_score = 0.5F, .map = &map});
  EXPECT_THAT(found.peaks, IsEmpty());
  EXPECT_TRUE(found.has_flat);
  EXPECT_FALSE(found.has_contrast);
  EXPECT_EQ(map.scores[32 * 64 + 32], kPoseFlat);
  EXPECT_EQ(map.scores[0], kPoseOutside);
}

TEST_P(PoseSearchTest, NothingToTryGivesNothing) {
  const GrayImage image = waves(64, 64);
  rig().pyramid.load(image.view(), 1, 30);
  const PoseObject object = object_from(image, 9, 7, 21, 21);
  std::vector<PosePeak> none;
  rig().search.refine(rig().pyramid.level(0), object, kPoses, false, none);
  EXPECT_THAT(none, IsEmpty());
  EXPECT_THAT(rig().search.fit_sums(rig().pyramid.level(0), {}, {}), IsEmpty());
}

TEST_P(PoseSearchTest, OfAnObjectOutsideOfTheSceneAllSumsAreZero) {
  const GrayImage image = waves(64, 64);
  rig().pyramid.load(image.view(), 1, 30);
  const PoseObject object = object_from(image, 9, 7, 21, 21);
  const std::vector<CentrePose> outside = {{{-500, 30}, {0, 1}}, {{30, 500}, {0, 1}}};
  EXPECT_THAT(
      rig().search.fit_sums(rig().pyramid.level(0), rig().search.fit_object(object), outside),
      ElementsAre(PoseFitSums{}, PoseFitSums{}));
}

TEST_P(PoseSearchTest, RunsOfNoPosesAndObjectsOfNoPixelsAreRefused) {
  const GrayImage image = waves(64, 64);
  rig().pyramid.load(image.view(), 1, 30);
  const PoseObject object = object_from(image, 9, 7, 21, 21);
  EXPECT_THROW(rig().search.search(rig().pyramid.level(0), object, kPoses, {.run = 0}), Error);
  EXPECT_THROW(rig().search.search(rig().pyramid.level(0), {}, kPoses, {}), Error);
  EXPECT_THROW(rig().search.fit_object({}), Error);
}

TEST_P(PoseSearchTest, AnObjectOutOfReachIsRefused) {
  const GrayImage image = waves(64, 64);
  rig().pyramid.load(image.view(), 1, 1);
  const PoseObject object = object_from(image, 9, 7, 21, 21);
  const std::vector<TurnScale> large = {{0, 3}};
  EXPECT_THROW(rig().search.search(rig().pyramid.level(0), object, large, {}), Error);
  EXPECT_THROW(rig().pyramid.load(ImageView{}, 1, 1), Error);
}

INSTANTIATE_TEST_SUITE_P(EveryDevice, PoseSearchTest, ::testing::ValuesIn(every_device()));

}  // namespace
}  // namespace lookalike
