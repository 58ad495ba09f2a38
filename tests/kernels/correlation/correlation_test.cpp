#include "kernels/correlation/correlation.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/kernels/correlation/every_correlation.h"
#include "tests/kernels/correlation/pictures.h"

namespace lookalike {
namespace {

class CorrelationTest : public EveryCorrelation {};

INSTANTIATE_TEST_SUITE_P(EveryDevice, CorrelationTest, every_form(), name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CorrelationTest);

TEST_P(CorrelationTest, ExactCropIsFoundAtItsPixel) {
  const GrayImage image = noise(131, 97, 1);
  for (const auto& [x, y, width, height] : std::vector<std::array<int, 4>>{
           {0, 0, 24, 24}, {107, 73, 24, 24}, {37, 21, 7, 50}, {64, 4, 33, 17}, {100, 40, 5, 3}}) {
    const GrayImage pattern = crop(image.view(), x, y, width, height);
    const auto peak = best_match(image.view(), pattern.view());
    ASSERT_TRUE(peak);
    EXPECT_NEAR(peak->x, x, 0.5);
    EXPECT_NEAR(peak->y, y, 0.5);
    EXPECT_GE(peak->correlation, 0.999999F);
    EXPECT_LE(peak->correlation, 1.0F);
  }
}

TEST_P(CorrelationTest, MapAgreesWithTheReference) {
  std::uint64_t seed = 10;
  for (const auto& [width, height, pattern_width, pattern_height] :
       std::vector<std::array<int, 4>>{{1, 2, 1, 2},
                                       {16, 16, 16, 16},
                                       {17, 15, 2, 3},
                                       {48, 48, 24, 24},
                                       {63, 5, 31, 1},
                                       {64, 70, 1, 33},
                                       {65, 33, 5, 4},
                                       {129, 40, 64, 7},
                                       {130, 66, 65, 34},
                                       {97, 101, 16, 17},
                                       {300, 9, 201, 9},
                                       {9, 300, 3, 257},
                                       {1101, 5, 1050, 3},
                                       {4, 1100, 2, 1041}}) {
    SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height) + " by " +
                 std::to_string(pattern_width) + "x" + std::to_string(pattern_height));
    const GrayImage image = noise(width, height, ++seed);
    const GrayImage pattern = noise(pattern_width, pattern_height, ++seed);
    expect_map_like_reference(image.view(), pattern.view());
  }
}

TEST_P(CorrelationTest, LargeBrightPatternIsExact) {
  const GrayImage image = noise(302, 301, 3, 254, 255);
  const GrayImage pattern = crop(image.view(), 1, 1, 300, 300);
  expect_map_like_reference(image.view(), pattern.view());
  EXPECT_GE(correlation().map(image.view(), pattern.view())[4], 0.999999F);
}

TEST_P(CorrelationTest, FlatWindowsAreUndefinedAndOthersAreNot) {
  GrayImage image = noise(40, 30, 5);
  for (int y = 4; y < 20; ++y) {
    for (int x = 7; x < 25; ++x) image.at(x, y) = 255;
  }
  const GrayImage pattern = noise(6, 5, 6);
  const std::vector<float> map = correlation().map(image.view(), pattern.view());
  EXPECT_TRUE(std::isnan(map[4 * 35 + 7]));
  EXPECT_FALSE(std::isnan(map[4 * 35 + 6]));
  expect_map_like_reference(image.view(), pattern.view());
}

TEST_P(CorrelationTest, OneGreyLevelInALargeBrightWindowIsDefined) {
  GrayImage image = noise(280, 280, 1, 255, 255);
  image.at(140, 140) = 254;
  const GrayImage pattern = crop(image.view(), 0, 0, 279, 279);
  EXPECT_GE(correlation().map(image.view(), pattern.view())[0], 0.999999F);
}

TEST_P(CorrelationTest, FlatPatternIsUndefinedEverywhere) {
  const GrayImage image = noise(30, 30, 7);
  const GrayImage flat = noise(4, 4, 0, 255, 255);
  for (const float value : correlation().map(image.view(), flat.view())) {
    EXPECT_TRUE(std::isnan(value));
  }
  EXPECT_FALSE(best_match(image.view(), flat.view()));
}

TEST_P(CorrelationTest, PatternOfOnePixelIsUndefinedEverywhere) {
  const GrayImage image = noise(20, 10, 8);
  const GrayImage pixel = noise(1, 1, 9);
  EXPECT_FALSE(best_match(image.view(), pixel.view()));
}

TEST_P(CorrelationTest, GainAndOffsetDoNotMatter) {
  const GrayImage image = noise(60, 50, 11, 40, 140);
  GrayImage pattern = crop(image.view(), 13, 22, 20, 16);
  for (std::uint8_t& pixel : pattern.pixels) pixel = static_cast<std::uint8_t>(2 * pixel - 50);
  const auto peak = best_match(image.view(), pattern.view());
  ASSERT_TRUE(peak);
  EXPECT_GE(peak->correlation, 0.999999F);
  for (std::uint8_t& pixel : pattern.pixels) pixel = static_cast<std::uint8_t>(255 - pixel);
  const std::vector<float> negative = correlation().map(image.view(), pattern.view());
  EXPECT_LE(negative[22 * 41 + 13], -0.999999F);
}

TEST_P(CorrelationTest, PatternAsLargeAsTheImageGivesOnePosition) {
  const GrayImage image = noise(37, 29, 12);
  const std::vector<float> map = correlation().map(image.view(), image.view());
  ASSERT_EQ(map.size(), 1U);
  EXPECT_GE(map[0], 0.999999F);
  const auto peak = best_match(image.view(), image.view());
  ASSERT_TRUE(peak);
  EXPECT_EQ(peak->x, 0);
  EXPECT_EQ(peak->y, 0);
}

TEST_P(CorrelationTest, ManyPairsGiveWhatEachGivesAlone) {
  std::vector<GrayImage> images;
  std::vector<GrayImage> patterns;
  std::vector<CorrelationPair> pairs;
  for (int i = 0; i < 40; ++i) {
    const int extra = i % 7;
    const auto seed = static_cast<std::uint64_t>(i);
    images.push_back(noise(48 + 9 * extra, 48 - extra, seed));
    patterns.push_back(noise(24 - extra, 20 + extra, 100 + seed, i == 5 ? 9 : 0, i == 5 ? 9 : 255));
  }
  for (std::size_t i = 0; i < images.size(); ++i) {
    pairs.push_back({images[i].view(), patterns[i].view()});
  }
  const auto together = correlation().best_matches(pairs);
  ASSERT_EQ(together.size(), pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto alone = best_match(pairs[i].image, pairs[i].pattern);
    ASSERT_EQ(together[i].has_value(), alone.has_value());
    ASSERT_EQ(alone.has_value(), i != 5);
    if (!alone) continue;
    EXPECT_EQ(together[i]->x, alone->x);
    EXPECT_EQ(together[i]->y, alone->y);
    EXPECT_EQ(together[i]->correlation, alone->correlation);
  }
}

// One pair takes 0.9 MB, the images of all 0.4 MB.
TEST(CorrelationMemoryTest, PairsThatDoNotFitTogetherAreTakenInParts) {
  std::vector<GrayImage> images;
  std::vector<GrayImage> patterns;
  for (int i = 0; i < 12; ++i) {
    images.push_back(noise(200, 160, 70 + static_cast<std::uint64_t>(i)));
    patterns.push_back(crop(images.back().view(), 10 * i, 3 + i, 24, 24));
  }
  std::vector<CorrelationPair> pairs;
  for (std::size_t i = 0; i < images.size(); ++i) {
    pairs.push_back({images[i].view(), patterns[i].view()});
  }
  OpenClSession session({.memory_limit_bytes = 1'200'000});
  Correlation correlation(session, {.kernel = CorrelationKernel::kVector});
  const auto peaks = correlation.best_matches(pairs);
  ASSERT_EQ(peaks.size(), images.size());
  for (std::size_t i = 0; i < peaks.size(); ++i) {
    ASSERT_TRUE(peaks[i]) << i;
    EXPECT_EQ(std::round(peaks[i]->x), 10 * static_cast<float>(i)) << i;
    EXPECT_EQ(std::round(peaks[i]->y), 3 + static_cast<float>(i)) << i;
  }
}

TEST_P(CorrelationTest, NoPairsGiveNoMatches) {
  EXPECT_TRUE(correlation().best_matches({}).empty());
}

TEST_P(CorrelationTest, TieGoesToTheTopmostThenTheLeftmost) {
  GrayImage image = noise(70, 60, 13);
  const GrayImage pattern = noise(8, 8, 14);
  for (const auto& [left, top] : {std::array{50, 20}, std::array{30, 20}, std::array{5, 40}}) {
    for (int y = 0; y < 8; ++y) {
      for (int x = 0; x < 8; ++x) image.at(left + x, top + y) = pattern.view().at(x, y);
    }
  }
  const auto peak = best_match(image.view(), pattern.view());
  ASSERT_TRUE(peak);
  EXPECT_NEAR(peak->x, 30, 0.5);
  EXPECT_NEAR(peak->y, 20, 0.5);
}

TEST_P(CorrelationTest, PeakLiesBetweenPixels) {
  for (const auto& [dx, dy] : {std::pair{0.0, 0.0}, std::pair{0.3, -0.25}, std::pair{-0.45, 0.4}}) {
    const GrayImage image = waves(60, 60, 20 + dx, 18 + dy);
    const GrayImage pattern = waves(24, 24);
    const auto peak = best_match(image.view(), pattern.view());
    ASSERT_TRUE(peak);
    EXPECT_NEAR(peak->x, 20 + dx, 0.1);
    EXPECT_NEAR(peak->y, 18 + dy, 0.1);
  }
}

TEST_P(CorrelationTest, PeakOnTheBorderStaysThere) {
  const GrayImage image = waves(48, 40);
  const GrayImage pattern = crop(image.view(), 24, 0, 24, 24);
  const auto peak = best_match(image.view(), pattern.view());
  ASSERT_TRUE(peak);
  EXPECT_EQ(peak->x, 24);
  EXPECT_EQ(peak->y, 0);
}

TEST_P(CorrelationTest, PeakBesideUndefinedValuesStaysOnThatAxis) {
  // One column of windows is defined, so that nothing can be said across it.
  GrayImage image = noise(9, 60, 0, 100, 100);
  const GrayImage pattern = waves(1, 36, 0, 3);
  for (int y = 0; y < 60; ++y) image.at(4, y) = waves(1, 60, 0, 7.3).view().at(0, y);
  const auto peak = best_match(image.view(), pattern.view());
  ASSERT_TRUE(peak);
  EXPECT_EQ(peak->x, 4);
  EXPECT_NEAR(peak->y, 4.3, 0.1);
}

TEST_P(CorrelationTest, PatternThatDoesNotFitIsABug) {
  const GrayImage image = noise(10, 10, 1);
  const GrayImage wide = noise(11, 2, 1);
  EXPECT_THROW(correlation().map(image.view(), wide.view()), Error);
  EXPECT_THROW(correlation().map(image.view(), {}), Error);
  EXPECT_THROW(best_match(wide.view(), image.view()), Error);
}

}  // namespace
}  // namespace lookalike
