#include "kernels/surf/tone.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "kernels/device_images.h"

namespace lookalike {
namespace {

GrayImage flat(int width, int height, std::uint8_t level) {
  GrayImage image(width, height);
  image.pixels.assign(image.pixels.size(), level);
  return image;
}

TEST(MeanLevel, IsThatOfEveryEighthRow) {
  GrayImage image = flat(10, 17, 40);
  EXPECT_EQ(mean_level(image.view()), 40);
  for (int x = 0; x < 10; ++x) image.pixels[static_cast<std::size_t>(8 * 10 + x)] = 70;
  EXPECT_EQ(mean_level(image.view()), 50) << "rows 0, 8 and 16";
  for (int x = 0; x < 10; ++x) image.pixels[static_cast<std::size_t>(9 * 10 + x)] = 255;
  EXPECT_EQ(mean_level(image.view()), 50);
  EXPECT_EQ(mean_level(GrayImage().view()), 0);
}

TEST(ToneCurve, TakesTheLevelToTheTargetAndKeepsBlackWhiteAndTheOrder) {
  for (const int level : {8, 20, 60, 109}) {
    const auto curve = tone_curve(level, 110);
    EXPECT_EQ(curve[static_cast<std::size_t>(level)], 110) << level;
    EXPECT_EQ(curve.front(), 0);
    EXPECT_EQ(curve.back(), 255);
    EXPECT_TRUE(std::ranges::is_sorted(curve)) << level;
  }
  EXPECT_EQ(tone_curve(0, 110), tone_curve(8, 110)) << "noise is not stretched further";
}

TEST(ToneCurve, BrightLevelsStay) {
  for (const int level : {110, 200, 255}) {
    const auto curve = tone_curve(level, 110);
    for (std::size_t i = 0; i < curve.size(); ++i) EXPECT_EQ(curve[i], i);
  }
}

TEST(Brighten, OnlyDarkImagesChange) {
  GrayImage dark = flat(16, 16, 30);
  brighten(dark, 110);
  EXPECT_EQ(dark.pixels.front(), 110);
  GrayImage bright = flat(16, 16, 120);
  brighten(bright, 110);
  EXPECT_EQ(bright.pixels.front(), 120);
  GrayImage kept = flat(16, 16, 30);
  brighten(kept, 0);
  EXPECT_EQ(kept.pixels.front(), 30);
}

}  // namespace
}  // namespace lookalike
