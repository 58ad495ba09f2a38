#include "tools/lookalike/correlation_picture.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "tests/stages/pictures.h"
#include "tests/stages/png_bytes.h"

namespace lookalike {
namespace {

using testing::ElementsAre;

TEST(CorrelationPicture, IsWhiteAtOneAndBlackWhereThereIsNone) {
  const PoseMap map{{1, 0.5F, 0, -1, kPoseFlat, kPoseOutside}, 3, 2};
  const GrayImage picture = correlation_picture(map);
  EXPECT_EQ(picture.width, 3);
  EXPECT_THAT(picture.pixels, ElementsAre(255, 128, 0, 0, 0, 0));
}

TEST(EncodePicture, IsAPngFileOfItsPixels) {
  GrayImage picture(2, 1);
  picture.pixels = {7, 200};
  const cv::Mat read = cv::imdecode(encode_picture(picture), cv::IMREAD_UNCHANGED);
  ASSERT_EQ(read.total(), 2U);
  EXPECT_EQ(read.at<std::uint8_t>(0, 0), 7);
  EXPECT_EQ(read.at<std::uint8_t>(0, 1), 200);
}

TEST(EncodePicture, HasAWholeTextChunkThatNamesLookalike) {
  const std::string data("Software\0lookalike", 18);
  const std::vector<std::uint8_t> chunk = png_chunk("tEXt", {data.begin(), data.end()});
  const Bytes png = encode_picture(GrayImage(3, 2));
  EXPECT_FALSE(std::ranges::search(png, chunk).empty());
}

TEST(CorrelationPictureKind, IsAPngFileWithThatChunk) {
  const auto is_map = correlation_picture_kind().is_earlier;
  const std::string png = text(encode_picture(GrayImage(3, 2)));
  EXPECT_TRUE(is_map(png));
  EXPECT_FALSE(is_map(png.substr(0, 50)));
  EXPECT_FALSE(is_map(text(encode(".png", cv::Mat(2, 3, CV_8U, cv::Scalar(0))))));
  EXPECT_FALSE(is_map(text(encode(".jpg", cv::Mat(2, 3, CV_8U, cv::Scalar(0))))));
  EXPECT_FALSE(is_map(""));
}

}  // namespace
}  // namespace lookalike
