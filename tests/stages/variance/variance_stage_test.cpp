#include "stages/variance/variance_stage.h"

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(VarianceStage, EachImageKeepsItsRecordAndGetsItsSums) {
  OpenClSession session;
  std::vector<DecodedImage> images(2);
  images[0].record.file.path = "/first";
  images[0].pixels = GrayImage(20, 10);
  images[1].record.file.path = "/second";
  images[1].pixels = GrayImage(3, 1);
  images[1].pixels.pixels = {1, 2, 3};
  const std::vector<ImageStatistics> statistics = VarianceStage(session).run(images);
  ASSERT_EQ(statistics.size(), 2U);
  EXPECT_EQ(statistics[0].image, images[0].record);
  EXPECT_EQ(statistics[0].sums, (PixelSums{200, 0, 0}));
  EXPECT_EQ(statistics[1].image, images[1].record);
  EXPECT_EQ(statistics[1].sums, (PixelSums{3, 6, 14}));
}

TEST(IsBlank, BelowTheMinimumAlone) {
  const PixelSums one_and_three{2, 4, 10};  // variance 1
  EXPECT_FALSE(is_blank(one_and_three, {.blank_below = 1}));
  EXPECT_TRUE(is_blank(one_and_three, {.blank_below = 1.5}));
}

}  // namespace
}  // namespace lookalike
