#include "tools/lookalike/object_mask.h"

#include <cstdint>
#include <string>
#include <sys/stat.h>
#include <utility>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "base/error.h"
#include "tests/stages/pictures.h"
#include "tests/stages/png_bytes.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using testing::HasSubstr;

class ObjectMask : public testing::Test {
 protected:
  std::string write(const std::string& name, const cv::Mat& image) {
    const std::string path = (folder_.path() / name).native();
    cv::imwrite(path, image);
    return path;
  }
  DecodedImage object(const cv::Mat& image, std::uint32_t longest_side_px = 40) {
    auto decoded = decode_file(write("object.png", image), longest_side_px, {});
    return std::get<DecodedImage>(std::move(decoded));
  }
  // Opaque in the left half.
  static cv::Mat half_transparent() {
    cv::Mat image(30, 40, CV_8UC4, cv::Scalar(10, 20, 30, 0));
    image.colRange(0, 20).setTo(cv::Scalar(10, 20, 30, 255));
    return image;
  }
  TemporaryFolder folder_;
};

TEST_F(ObjectMask, TransparentPixelsDoNotCount) {
  const GrayImage mask = object_mask(object(half_transparent()), "", {});
  ASSERT_EQ(mask.width, 40);
  ASSERT_EQ(mask.height, 30);
  EXPECT_EQ(mask.view().at(19, 7), 255);
  EXPECT_EQ(mask.view().at(20, 7), 0);
}

TEST_F(ObjectMask, IsReducedAsTheObjectIs) {
  const GrayImage mask = object_mask(object(half_transparent(), 20), "", {});
  ASSERT_EQ(mask.width, 20);
  EXPECT_EQ(mask.view().at(9, 7), 255);
  EXPECT_EQ(mask.view().at(10, 7), 0);
}

TEST_F(ObjectMask, WithoutTransparencyThereIsNone) {
  EXPECT_TRUE(object_mask(object(cv::Mat(30, 40, CV_8UC3, cv::Scalar::all(9))), "", {}).empty());
  EXPECT_TRUE(object_mask(object(cv::Mat(30, 40, CV_8UC4, cv::Scalar::all(255))), "", {}).empty());
}

TEST_F(ObjectMask, WhatEitherMaskOrTransparencyLeavesOutDoesNotCount) {
  cv::Mat lower(30, 40, CV_8U, cv::Scalar(0));
  lower.rowRange(15, 30).setTo(255);
  const GrayImage mask = object_mask(object(half_transparent()), write("m.png", lower), {});
  ASSERT_EQ(mask.width, 40);
  EXPECT_EQ(mask.view().at(19, 15), 255);
  EXPECT_EQ(mask.view().at(20, 15), 0);
  EXPECT_EQ(mask.view().at(19, 14), 0);
}

TEST_F(ObjectMask, SixteenBitsWillDo) {
  cv::Mat deep(30, 40, CV_16UC4, cv::Scalar(1, 2, 3, 0));
  deep.colRange(0, 20).setTo(cv::Scalar(1, 2, 3, 65535));
  const GrayImage mask = object_mask(object(deep), "", {});
  ASSERT_EQ(mask.width, 40);
  EXPECT_EQ(mask.view().at(19, 7), 255);
  EXPECT_EQ(mask.view().at(20, 7), 0);
}

TEST_F(ObjectMask, TransparentPartsOfAMaskDoNotCount) {
  cv::Mat white_left = half_transparent();
  white_left.setTo(cv::Scalar(255, 255, 255, 0));
  white_left.colRange(0, 20).setTo(cv::Scalar::all(255));
  const DecodedImage opaque = object(cv::Mat(30, 40, CV_8UC3, cv::Scalar::all(9)));
  const GrayImage mask = object_mask(opaque, write("m.png", white_left), {});
  ASSERT_EQ(mask.width, 40);
  EXPECT_EQ(mask.view().at(19, 7), 255);
  EXPECT_EQ(mask.view().at(20, 7), 0);
}

TEST_F(ObjectMask, AMaskOfAnotherSizeIsRefused) {
  const std::string wrong = write("m.png", cv::Mat(29, 40, CV_8U, cv::Scalar(255)));
  try {
    object_mask(object(half_transparent()), wrong, {});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), HasSubstr("40 x 30 px, was 40 x 29"));
  }
}

TEST_F(ObjectMask, FilesThatCannotBeReadAreInputErrorsThatSayWhy) {
  const DecodedImage half = object(half_transparent());
  const std::string fifo = (folder_.path() / "fifo.png").native();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::string bomb =
      folder_.write("bomb.png", text(png_bomb(encode(".png", draw_picture(40, 30, 1)))));
  const auto refused = [&](const std::string& mask_file, const std::string& why) {
    try {
      object_mask(half, mask_file, {});
      FAIL() << mask_file << " accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
      EXPECT_THAT(error.what(), HasSubstr(mask_file + ": " + why));
    }
  };
  refused("/no/such/mask.png", "vanished");
  refused(fifo, "unreadable: not a regular file");
  refused(bomb, "too_large");
}

}  // namespace
}  // namespace lookalike
