#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/match/refine/refiner.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;

TEST(Halved, IsTheRoundedMeanOfTwoByTwo) {
  GrayImage image(5, 3);
  image.pixels = {0,  1,  10, 20, 99,  //
                  2,  3,  30, 41, 99,  //
                  99, 99, 99, 99, 99};
  const GrayImage half = halved(image.view());
  EXPECT_EQ(half.width, 2);
  EXPECT_EQ(half.height, 1);
  EXPECT_THAT(half.pixels, ElementsAre(2, 25));
}

TEST(Pyramid, LevelNeedsOneSampleAPixel) {
  const DecodedImage image{.record = {}, .pixels = GrayImage(400, 300)};
  const Pyramid pyramid(image);
  EXPECT_EQ(pyramid.level_for(0.3).image.width, 400);
  EXPECT_EQ(pyramid.level_for(1).image.width, 400);
  EXPECT_EQ(pyramid.level_for(1.1).image.width, 200);
  EXPECT_EQ(pyramid.level_for(2).image.width, 200);
  EXPECT_EQ(pyramid.level_for(3.9).image.width, 100);
}

TEST(Pyramid, SmallImagesAreNotHalvedFurther) {
  const DecodedImage image{.record = {}, .pixels = GrayImage(400, 100)};
  const Pyramid pyramid(image);
  EXPECT_EQ(pyramid.level_for(1000).image.height, 50);
}

TEST(Pyramid, LevelsKnowTheirPlace) {
  const DecodedImage image{.record = {}, .pixels = GrayImage(400, 300)};
  const Pyramid pyramid(image);
  const Point middle_of_four = pyramid.level_for(4).to_full.apply({0, 0});
  EXPECT_DOUBLE_EQ(middle_of_four.x, 1.5);
  EXPECT_DOUBLE_EQ(middle_of_four.y, 1.5);
}

}  // namespace
}  // namespace lookalike
