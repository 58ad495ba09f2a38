#include "stages/match/locate/exhaustive_search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/image.h"

namespace lookalike {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A grey from 0 to 1 that looks like chance, the same for the same place.
double chance(int x, int y, std::uint32_t seed) {
  std::uint32_t state = static_cast<std::uint32_t>(x) * 374761393U +
                        static_cast<std::uint32_t>(y) * 668265263U + seed * 2246822519U;
  state = (state ^ (state >> 13U)) * 1274126177U;
  return static_cast<double>((state ^ (state >> 16U)) & 0xFFFFU) / 65535;
}

// Blots of about 8 px, unlike each other.
GrayImage blots(int width, int height, std::uint32_t seed) {
  constexpr double kBlotPx = 8;
  const auto smooth = [](double part) { return part * part * (3 - 2 * part); };
  GrayImage image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int left = static_cast<int>(x / kBlotPx);
      const int top = static_cast<int>(y / kBlotPx);
      const double right = smooth(x / kBlotPx - left);
      const double grey =
          std::lerp(std::lerp(chance(left, top, seed), chance(left + 1, top, seed), right),
                    std::lerp(chance(left, top + 1, seed), chance(left + 1, top + 1, seed), right),
                    smooth(y / kBlotPx - top));
      image.at(x, y) = static_cast<std::uint8_t>(std::lround(20 + 200 * grey));
    }
  }
  return image;
}

double interpolated(const GrayImage& image, double x, double y) {
  const int left = std::clamp(static_cast<int>(x), 0, image.width - 2);
  const int top = std::clamp(static_cast<int>(y), 0, image.height - 2);
  const auto at = [&](int column, int row) {
    return static_cast<double>(image.view().at(column, row));
  };
  return std::lerp(std::lerp(at(left, top), at(left + 1, top), x - left),
                   std::lerp(at(left, top + 1), at(left + 1, top + 1), x - left), y - top);
}

struct Place {
  Point centre;
  double turn_degrees = 0;
  double scale = 1;
};

// Draws the object into the scene, through gain and offset.
void paste(const GrayImage& object, const Place& place, double gain, double offset,
           GrayImage& scene) {
  const double turn = place.turn_degrees * std::numbers::pi / 180;
  for (int y = 0; y < scene.height; ++y) {
    for (int x = 0; x < scene.width; ++x) {
      const double dx = (x - place.centre.x) / place.scale;
      const double dy = (y - place.centre.y) / place.scale;
      const double u = std::cos(turn) * dx + std::sin(turn) * dy + (object.width - 1) / 2.0;
      const double v = std::cos(turn) * dy - std::sin(turn) * dx + (object.height - 1) / 2.0;
      if (u < 0 || v < 0 || u > object.width - 1 || v > object.height - 1) continue;
      scene.at(x, y) = static_cast<std::uint8_t>(
          std::clamp(std::lround(gain * interpolated(object, u, v) + offset), 0L, 255L));
    }
  }
}

class ExhaustiveSearchTest : public ::testing::Test {
 protected:
  SearchResult find(const GrayImage& object, const GrayImage& scene,
                    const LocateOptions& options = {}) {
    return search_.find(SearchObject(object.view(), {}), scene.view(), options);
  }

  static void expect_at(const PoseHit& hit, const Place& place) {
    const CentrePose& pose = hit.fit.pose;
    EXPECT_NEAR(pose.centre.x, place.centre.x, 0.2);
    EXPECT_NEAR(pose.centre.y, place.centre.y, 0.2);
    EXPECT_NEAR(
        std::remainder(pose.turn_scale.turn * 180 / std::numbers::pi - place.turn_degrees, 360.0),
        0, 0.25);
    EXPECT_NEAR(pose.turn_scale.scale / place.scale, 1, 0.005);
  }

  OpenClSession session_;
  ExhaustiveSearch search_{session_};
  GrayImage wall_ = blots(320, 240, 0);
  GrayImage object_ = crop(blots(200, 200, 5).view(), 70, 60, 64, 56);
};

TEST_F(ExhaustiveSearchTest, ACropIsAtItsExactPixel) {
  for (const int side : {16, 33, 120}) {
    const SearchResult result = find(crop(wall_.view(), 57, 83, side, side), wall_);
    ASSERT_FALSE(result.hits.empty()) << side << ": " << result.reason;
    const Homography expected{{1, 0, 57, 0, 1, 83, 0, 0, 1}};
    EXPECT_EQ(result.hits[0].object_to_scene, expected) << side;
    EXPECT_GE(result.hits[0].fit.correlation, 0.9999);
  }
}

TEST_F(ExhaustiveSearchTest, ATurnedAndScaledObjectIsMeasured) {
  const Place place = {{171.3, 118.8}, 137.5, 1.17};
  paste(object_, place, 1, 0, wall_);
  const SearchResult result = find(object_, wall_);
  ASSERT_THAT(result.hits, SizeIs(1)) << result.reason;
  expect_at(result.hits[0], place);
  EXPECT_GE(result.hits[0].fit.correlation, 0.95);
  EXPECT_LT(result.hits[0].fit.position_error_px, 0.1);
  EXPECT_THAT(result.reason, IsEmpty());
}

TEST_F(ExhaustiveSearchTest, EveryInstanceIsFoundOnceBestFirst) {
  const std::vector<Place> places = {
      {{60, 60}, 20, 1}, {{250, 70}, -100, 1.2}, {{150, 180}, 170, 0.8}};
  for (const Place& place : places) paste(object_, place, 1, 0, wall_);
  const SearchResult result = find(object_, wall_);
  ASSERT_THAT(result.hits, SizeIs(3));
  for (const Place& place : places) {
    EXPECT_TRUE(std::any_of(result.hits.begin(), result.hits.end(), [&](const PoseHit& hit) {
      return std::hypot(hit.fit.pose.centre.x - place.centre.x,
                        hit.fit.pose.centre.y - place.centre.y) < 0.5;
    }));
  }
  EXPECT_GE(result.hits[0].fit.correlation, result.hits[1].fit.correlation);
  EXPECT_GE(result.hits[1].fit.correlation, result.hits[2].fit.correlation);
}

TEST_F(ExhaustiveSearchTest, OnlyTheBestAreReportedWhenTheyAreCapped) {
  paste(object_, {{60, 60}, 20, 1}, 1, 0, wall_);
  paste(object_, {{250, 70}, -100, 1.2}, 1, 0, wall_);
  LocateOptions one;
  one.max_hits = 1;
  const SearchResult all = find(object_, wall_);
  const SearchResult best = find(object_, wall_, one);
  ASSERT_THAT(all.hits, SizeIs(2));
  ASSERT_THAT(best.hits, SizeIs(1));
  EXPECT_EQ(best.hits[0].object_to_scene, all.hits[0].object_to_scene);
}

TEST_F(ExhaustiveSearchTest, GainAndOffsetOfTheLightMakeNoDifference) {
  const Place place = {{150.5, 110.25}, -62, 0.9};
  for (const auto& [gain, offset] : {std::pair{0.5, 40.0}, {1.2, -20.0}, {0.7, -30.0}}) {
    GrayImage scene = wall_;
    paste(object_, place, gain, offset, scene);
    const SearchResult result = find(object_, scene);
    ASSERT_THAT(result.hits, SizeIs(1)) << gain;
    expect_at(result.hits[0], place);
  }
}

TEST_F(ExhaustiveSearchTest, ReversedPolarityIsFoundWhenItIsAllowed) {
  const Place place = {{150, 110}, 40, 1};
  paste(object_, place, -1, 255, wall_);
  LocateOptions options;
  EXPECT_THAT(find(object_, wall_, options).hits, IsEmpty());
  for (const char* polarity : {"reversed", "either"}) {
    options.polarity = polarity;
    const SearchResult result = find(object_, wall_, options);
    ASSERT_THAT(result.hits, SizeIs(1)) << polarity;
    expect_at(result.hits[0], place);
    EXPECT_LT(result.hits[0].fit.correlation, -0.9);
  }
}

TEST_F(ExhaustiveSearchTest, WhatIsMaskedDoesNotCount) {
  GrayImage mask(object_.width, object_.height);
  GrayImage shown = object_;
  for (int y = 0; y < mask.height; ++y) {
    for (int x = 0; x < mask.width; ++x) {
      const bool inside = std::hypot(x - 31.5, y - 27.5) < 27;
      mask.at(x, y) = inside ? 255 : 0;
      if (!inside) shown.at(x, y) = static_cast<std::uint8_t>((x * 37 + y * 91) % 256);
    }
  }
  const Place place = {{150.5, 110.25}, 75, 1.1};
  paste(object_, place, 1, 0, wall_);
  const SearchResult result =
      search_.find(SearchObject(shown.view(), mask.view()), wall_.view(), {});
  ASSERT_THAT(result.hits, SizeIs(1)) << result.reason;
  expect_at(result.hits[0], place);
  EXPECT_GE(result.hits[0].fit.correlation, 0.95);
}

TEST_F(ExhaustiveSearchTest, NothingIsFoundWhereTheObjectIsNot) {
  const SearchResult result = find(object_, wall_);
  EXPECT_THAT(result.hits, IsEmpty());
  EXPECT_FALSE(result.reason.empty());
}

TEST_F(ExhaustiveSearchTest, AnotherEdgeIsNotTakenForTheObject) {
  // Two soft edges correlate highly wherever they are: too little to tell one from the other.
  const auto edge = [](int width, int height, double softness) {
    GrayImage image(width, height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const double rise = 1 / (1 + std::exp((width / 2.0 - x) / softness));
        image.at(x, y) = static_cast<std::uint8_t>(std::lround(60 + 120 * rise));
      }
    }
    return image;
  };
  const SearchResult result = find(edge(64, 56, 5), edge(320, 240, 3));
  EXPECT_THAT(result.hits, IsEmpty());
  EXPECT_THAT(result.reason, HasSubstr("too little detail"));
}

TEST_F(ExhaustiveSearchTest, TheLargestStepOfScaleIsTaken) {
  paste(object_, {{150, 110}, 40, 1}, 1, 0, wall_);
  LocateOptions options;
  options.scale_step = 1;
  EXPECT_THAT(find(object_, wall_, options).hits, SizeIs(1));
}

TEST_F(ExhaustiveSearchTest, FlatThingsAreReportedAsSuch) {
  GrayImage flat(80, 80);
  EXPECT_THAT(find(flat, wall_).reason, HasSubstr("the object is flat"));
  GrayImage flat_scene(320, 240);
  EXPECT_THAT(find(object_, flat_scene).reason, HasSubstr("the scene is flat"));
  EXPECT_THAT(find(wall_, object_).reason, HasSubstr("does not fit"));
  const GrayImage no_mask(object_.width, object_.height);
  EXPECT_THAT(search_.find(SearchObject(object_.view(), no_mask.view()), wall_.view(), {}).reason,
              HasSubstr("the mask leaves nothing"));
}

TEST_F(ExhaustiveSearchTest, RangesOfTurnAndScaleAreKept) {
  paste(object_, {{150, 110}, 90, 1}, 1, 0, wall_);
  LocateOptions options;
  options.min_turn_degrees = -20;
  options.max_turn_degrees = 20;
  EXPECT_THAT(find(object_, wall_, options).hits, IsEmpty());
  options.min_turn_degrees = 80;
  options.max_turn_degrees = 100;
  options.min_scale = options.max_scale = 1;
  const SearchResult result = find(object_, wall_, options);
  ASSERT_THAT(result.hits, SizeIs(1));
  expect_at(result.hits[0], {{150, 110}, 90, 1});
}

TEST_F(ExhaustiveSearchTest, TilesGiveTheSameHitsAsOnePiece) {
  GrayImage scene = blots(900, 700, 1);
  const std::vector<Place> places = {{{80, 90}, 20, 1},
                                     {{451.5, 349.5}, -100, 1.2},
                                     {{700, 350}, 45, 1.1},
                                     {{820.2, 640.7}, 170, 0.8}};
  for (const Place& place : places) paste(object_, place, 1, 0, scene);
  const SearchResult whole = find(object_, scene);
  ExhaustiveSearch small(session_, {.device_bytes = std::size_t{1} << 20});
  const SearchResult tiled = small.find(SearchObject(object_.view(), {}), scene.view(), {}, true);
  ASSERT_THAT(whole.hits, SizeIs(4));
  ASSERT_THAT(tiled.hits, SizeIs(4));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(tiled.hits[i].fit.pose.centre.x, whole.hits[i].fit.pose.centre.x, 1e-2);
    EXPECT_NEAR(tiled.hits[i].fit.pose.centre.y, whole.hits[i].fit.pose.centre.y, 1e-2);
    EXPECT_NEAR(tiled.hits[i].fit.correlation, whole.hits[i].fit.correlation, 1e-4);
  }
  const SearchResult mapped =
      search_.find(SearchObject(object_.view(), {}), scene.view(), {}, true);
  EXPECT_EQ(mapped.map.width, tiled.map.width);
  EXPECT_EQ(mapped.map.scores, tiled.map.scores);
}

TEST_F(ExhaustiveSearchTest, APoseNearbyIsFittedWithItsError) {
  const Place place = {{171.3, 118.8}, 30, 1.1};
  paste(object_, place, 1, 0, wall_);
  const SearchObject object(object_.view(), {});
  const CentrePose near{{172, 118}, {0.53, 1.09}};
  const auto fitted =
      search_.fit_near(object, wall_.view(), similarity(near, object.level(0).centre));
  ASSERT_TRUE(fitted.has_value());
  expect_at(*fitted, place);
  EXPECT_GT(fitted->fit.position_error_px, 0);
  EXPECT_LT(fitted->fit.position_error_px, 0.1);
}

}  // namespace
}  // namespace lookalike
