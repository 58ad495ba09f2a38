#include "tools/lookalike/correlation_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "pipeline/error.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using testing::ElementsAre;

TEST(CorrelationPicture, IsWhiteAtOneAndBlackWhereThereIsNone) {
  const PoseMap map{{1, 0.5F, 0, -1, kPoseFlat, kPoseOutside}, 3, 2};
  const GrayImage picture = correlation_picture(map);
  EXPECT_EQ(picture.width, 3);
  EXPECT_THAT(picture.pixels, ElementsAre(255, 128, 0, 0, 0, 0));
}

TEST(WritePicture, CanBeReadBack) {
  const TemporaryFolder folder;
  GrayImage picture(2, 1);
  picture.pixels = {7, 200};
  const std::string file = (folder.path() / "map.png").native();
  write_picture(picture, file);
  const cv::Mat read = cv::imread(file, cv::IMREAD_UNCHANGED);
  ASSERT_EQ(read.total(), 2U);
  EXPECT_EQ(read.at<std::uint8_t>(0, 0), 7);
  EXPECT_EQ(read.at<std::uint8_t>(0, 1), 200);
}

TEST(WritePicture, WhatCannotBeWrittenIsAnError) {
  EXPECT_THROW(write_picture(GrayImage(2, 2), "/no/such/folder/map.png"), Error);
  EXPECT_THROW(write_picture(GrayImage(2, 2), "/tmp/map.no-such-format"), Error);
}

}  // namespace
}  // namespace lookalike
