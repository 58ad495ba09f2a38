#include "kernels/warp/warp.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/kernels/correlation/pictures.h"
#include "tests/kernels/shared_session.h"

namespace lookalike {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

Homography similarity(double scale, double degrees, double x, double y) {
  const double cosine = scale * std::cos(degrees * 3.14159265358979 / 180);
  const double sine = scale * std::sin(degrees * 3.14159265358979 / 180);
  return {{cosine, -sine, x, sine, cosine, y, 0, 0, 1}};
}

class WarpTest : public ::testing::TestWithParam<std::string> {
 protected:
  void expect_like_reference(const ImageView& input, const Homography& map, int width, int height) {
    const Warped actual = warp_.warp(input, map, width, height);
    const Warped expected = warp_reference(input, map, width, height);
    EXPECT_EQ(actual.mask.pixels, expected.mask.pixels);
    EXPECT_THAT(actual.mask.pixels, ::testing::Contains(255));
    int largest = 0;
    for (std::size_t i = 0; i < actual.image.pixels.size(); ++i) {
      largest = std::max(largest, std::abs(actual.image.pixels[i] - expected.image.pixels[i]));
    }
    EXPECT_LE(largest, 1);
  }

  Warp warp_{shared_session(GetParam())};
};

INSTANTIATE_TEST_SUITE_P(EveryDevice, WarpTest, ::testing::ValuesIn(every_device()));

TEST_P(WarpTest, IdentityLeavesTheImage) {
  const GrayImage image = noise(53, 37, 1);
  const Warped warped = warp_.warp(image.view(), {}, 53, 37);
  EXPECT_EQ(warped.image.pixels, image.pixels);
  EXPECT_THAT(warped.mask.pixels, Each(255));
}

TEST_P(WarpTest, QuarterTurnMovesPixelsWhole) {
  const GrayImage image = noise(40, 30, 2);
  const Warped warped = warp_.warp(image.view(), similarity(1, 90, 39, 0), 30, 40);
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 30; ++x)
      ASSERT_EQ(warped.image.view().at(x, y), image.view().at(39 - y, x));
  }
}

TEST_P(WarpTest, ShiftBeyondTheInputIsUndefinedAndZero) {
  const GrayImage image = noise(10, 1, 3, 100, 200);
  const Warped warped = warp_.warp(image.view(), similarity(1, 0, 7, 0), 5, 1);
  EXPECT_THAT(warped.mask.pixels, ElementsAre(255, 255, 255, 0, 0));
  EXPECT_THAT(std::vector<int>(warped.image.pixels.begin() + 3, warped.image.pixels.end()),
              ElementsAre(0, 0));
}

TEST_P(WarpTest, TheBorderGoesOnForHalfAPixel) {
  const GrayImage image = noise(4, 4, 4);
  EXPECT_THAT(warp_.warp(image.view(), similarity(1, 0, -0.5, -0.5), 1, 1).image.pixels,
              ElementsAre(image.pixels[0]));
  EXPECT_THAT(warp_.warp(image.view(), similarity(1, 0, -0.51, 0), 1, 1).mask.pixels,
              ElementsAre(0));
  EXPECT_THAT(warp_.warp(image.view(), similarity(1, 0, 3.5, 3.5), 1, 1).image.pixels,
              ElementsAre(image.pixels[15]));
}

TEST_P(WarpTest, HalfwayIsTheMean) {
  const GrayImage image = noise(2, 1, 5);
  const Warped warped = warp_.warp(image.view(), similarity(1, 0, 0.5, 0), 1, 1);
  EXPECT_NEAR(warped.image.pixels[0], (image.pixels[0] + image.pixels[1]) / 2.0, 0.51);
}

TEST_P(WarpTest, ShrinkingAveragesInsteadOfSkipping) {
  GrayImage stripes(64, 64);
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) stripes.at(x, y) = x % 2 == 0 ? 0 : 200;
  }
  const Warped warped = warp_.warp(stripes.view(), similarity(4, 0, 1.5, 1.5), 16, 16);
  EXPECT_THAT(warped.image.pixels, Each(100));
}

TEST_P(WarpTest, BeyondTheHorizonIsUndefined) {
  const GrayImage image = noise(80, 80, 7);
  const Homography map{{1, 0, 0, 0, -0.7, 20, 0, -0.0301, 1}};  // horizon at y = 33.2
  const Warped warped = warp_.warp(image.view(), map, 40, 40);
  EXPECT_EQ(warped.mask.view().at(0, 10), 255);
  EXPECT_EQ(warped.mask.view().at(0, 39), 0);  // would fall on (0, 42)
  expect_like_reference(image.view(), map, 40, 40);
}

TEST_P(WarpTest, NothingToShowIsNothingDefined) {
  const GrayImage image = noise(8, 8, 8);
  EXPECT_THAT(warp_.warp({}, {}, 3, 2).mask.pixels, Each(0));
  EXPECT_TRUE(warp_.warp(image.view(), {}, 0, 5).image.empty());
  EXPECT_THROW(warp_.warp(image.view(), {}, -1, 5), Error);
}

}  // namespace
}  // namespace lookalike
