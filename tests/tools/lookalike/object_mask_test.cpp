#include "tools/lookalike/object_mask.h"

#include <string>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "pipeline/error.h"
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
  static DecodedImage object(double scale) {
    DecodedImage object;
    object.record.width = 40;
    object.record.height = 30;
    object.pixels = GrayImage(static_cast<int>(40 * scale), static_cast<int>(30 * scale));
    object.scale = scale;
    return object;
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
  const GrayImage mask = object_mask(write("a.png", half_transparent()), object(1), "", {});
  ASSERT_EQ(mask.width, 40);
  ASSERT_EQ(mask.height, 30);
  EXPECT_EQ(mask.view().at(19, 7), 255);
  EXPECT_EQ(mask.view().at(20, 7), 0);
}

TEST_F(ObjectMask, IsReducedAsTheObjectIs) {
  const GrayImage mask = object_mask(write("a.png", half_transparent()), object(0.5), "", {});
  ASSERT_EQ(mask.width, 20);
  EXPECT_EQ(mask.view().at(9, 7), 255);
  EXPECT_EQ(mask.view().at(10, 7), 0);
}

TEST_F(ObjectMask, WithoutTransparencyThereIsNone) {
  EXPECT_TRUE(
      object_mask(write("a.png", cv::Mat(30, 40, CV_8UC3, cv::Scalar::all(9))), object(1), "", {})
          .empty());
  EXPECT_TRUE(
      object_mask(write("b.png", cv::Mat(30, 40, CV_8UC4, cv::Scalar::all(255))), object(1), "", {})
          .empty());
}

TEST_F(ObjectMask, WhatEitherMaskOrTransparencyLeavesOutDoesNotCount) {
  cv::Mat lower(30, 40, CV_8U, cv::Scalar(0));
  lower.rowRange(15, 30).setTo(255);
  const GrayImage mask =
      object_mask(write("a.png", half_transparent()), object(1), write("m.png", lower), {});
  ASSERT_EQ(mask.width, 40);
  EXPECT_EQ(mask.view().at(19, 15), 255);
  EXPECT_EQ(mask.view().at(20, 15), 0);
  EXPECT_EQ(mask.view().at(19, 14), 0);
}

TEST_F(ObjectMask, SixteenBitsWillDo) {
  cv::Mat deep(30, 40, CV_16UC4, cv::Scalar(1, 2, 3, 0));
  deep.colRange(0, 20).setTo(cv::Scalar(1, 2, 3, 65535));
  const GrayImage mask = object_mask(write("a.png", deep), object(1), "", {});
  ASSERT_EQ(mask.width, 40);
  EXPECT_EQ(mask.view().at(19, 7), 255);
  EXPECT_EQ(mask.view().at(20, 7), 0);
}

TEST_F(ObjectMask, AMaskOfAnotherSizeIsRefused) {
  const std::string wrong = write("m.png", cv::Mat(29, 40, CV_8U, cv::Scalar(255)));
  try {
    object_mask(write("a.png", half_transparent()), object(1), wrong, {});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), HasSubstr("40 x 30 px, was 40 x 29"));
  }
}

TEST_F(ObjectMask, FilesThatCannotBeReadAreInputErrorsThatSayWhy) {
  const std::string object_file = write("a.png", half_transparent());
  const std::string fifo = (folder_.path() / "fifo.png").native();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::string bomb =
      folder_.write("bomb.png", text(png_bomb(encode(".png", draw_picture(40, 30, 1)))));
  const auto refused = [&](const std::string& mask_file, const std::string& why) {
    try {
      object_mask(object_file, object(1), mask_file, {});
      FAIL() << mask_file << " accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
      EXPECT_THAT(error.what(), HasSubstr(mask_file + ": " + why));
    }
  };
  refused("/no/such/mask.png", "vanished");
  refused(fifo, "unreadable: not a regular file");
  refused(bomb, "too_large");
  EXPECT_THROW(object_mask(bomb, object(1), "", {}), Error);
}

}  // namespace
}  // namespace lookalike
