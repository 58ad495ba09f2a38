#include "stages/extract/extract_stage.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stages/decode/decode.h"
#include "tests/stages/cutouts.h"
#include "tests/stages/pictures.h"

namespace lookalike {
namespace {

DecodedImage decoded(const std::vector<std::uint8_t>& bytes, std::uint32_t longest_side_px) {
  LoadedFile file;
  file.bytes = bytes;
  return std::get<DecodedImage>(decode(file, longest_side_px, ImagesOptions{}));
}

class ExtractStageTest : public ::testing::Test {
 protected:
  std::vector<ImageFeatures> extract(const std::vector<DecodedImage>& images) {
    return ExtractStage(session_, options_).run(images);
  }
  static bool same(const FeatureSet& a, const FeatureSet& b) {
    return a.keypoints == b.keypoints && a.descriptors == b.descriptors;
  }

  OpenClSession session_;
  ExtractOptions options_;
};

TEST_F(ExtractStageTest, KeypointsAreInFullSizePixels) {
  const cv::Mat small = draw_picture(320, 240, 1);
  cv::Mat large;
  cv::resize(small, large, {}, 2, 2, cv::INTER_NEAREST);
  const DecodedImage image = decoded(encode(".png", large), 320);
  ASSERT_EQ(image.scale, 0.5);
  const FeatureSet full = extract({image})[0].features;
  const FeatureSet half = extract({decoded(encode(".png", small), 320)})[0].features;
  ASSERT_GT(half.size(), 50U);
  ASSERT_EQ(full.size(), half.size());
  EXPECT_EQ(full.descriptors, half.descriptors);
  for (std::size_t i = 0; i < half.size(); ++i) {
    EXPECT_FLOAT_EQ(full.keypoints[i].x, 2 * half.keypoints[i].x + 0.5F);
    EXPECT_FLOAT_EQ(full.keypoints[i].y, 2 * half.keypoints[i].y + 0.5F);
    EXPECT_FLOAT_EQ(full.keypoints[i].size, 2 * half.keypoints[i].size);
  }
}

TEST_F(ExtractStageTest, WhatIsTransparentHasNoFeatures) {
  const cv::Mat cutout = draw_cutout(1, Tones::kColoured);
  cv::Mat alpha;
  cv::extractChannel(cutout, alpha, 3);
  for (const std::uint32_t side_px : {320U, 200U}) {
    const FeatureSet features = extract({decoded(encode(".png", cutout), side_px)})[0].features;
    ASSERT_GT(features.size(), 50U);
    for (const Keypoint& keypoint : features.keypoints) {
      const cv::Point at(cvRound(keypoint.x), cvRound(keypoint.y));
      const cv::Rect near = cv::Rect(at.x - 1, at.y - 1, 3, 3) & cv::Rect({}, alpha.size());
      EXPECT_GT(cv::countNonZero(alpha(near)), 0) << at;
    }
  }
}

TEST_F(ExtractStageTest, ImageTurnedByExifHasTheFeaturesOfTheUprightOne) {
  // The file stores turned pixels with an orientation tag. A turn maps JPEG's blocks onto blocks,
  // so the decoded pixels are equal to within a grey level or two.
  const cv::Mat upright = draw_picture(320, 240, 2);
  cv::Mat stored;
  cv::rotate(upright, stored, cv::ROTATE_180);
  const std::vector<int> best = {cv::IMWRITE_JPEG_QUALITY, 100};
  const DecodedImage turned = decoded(with_orientation(encode(".jpg", stored, best), 3), 1024);
  cv::Mat turned_back;
  cv::rotate(cv::imdecode(encode(".jpg", stored, best), cv::IMREAD_GRAYSCALE), turned_back,
             cv::ROTATE_180);
  const DecodedImage original = decoded(encode(".png", turned_back), 1024);
  const std::vector<ImageFeatures> features = extract({turned, original});
  ASSERT_GT(features[0].features.size(), 50U);
  EXPECT_TRUE(same(features[0].features, features[1].features));
}

TEST_F(ExtractStageTest, FeaturesDoNotDependOnTheBatch) {
  const DecodedImage first = decoded(encode(".png", draw_picture(200, 150, 3)), 1024);
  const DecodedImage second = decoded(encode(".png", draw_picture(333, 77, 4)), 1024);
  const std::vector<ImageFeatures> together = extract({first, second});
  EXPECT_TRUE(same(together[1].features, extract({second})[0].features));
  EXPECT_EQ(together[1].image, second.record);
}

TEST_F(ExtractStageTest, SmallImageIsEnlargedAndItsKeypointsAreNot) {
  LoadedFile file;
  file.bytes = encode(".png", draw_picture(160, 120, 6));
  ExtractOptions larger = options_;
  larger.enlarge_to_px = 640;
  const auto image = std::get<DecodedImage>(decode(file, wanted_size(larger), {}));
  EXPECT_EQ(image.scale, 4);
  EXPECT_EQ(image.pixels.width, 640);
  EXPECT_EQ(image.record.width, 160);
  const FeatureSet found = extract({image})[0].features;
  ASSERT_GT(found.size(), extract({decoded(file.bytes, 640)})[0].features.size());
  for (const Keypoint& keypoint : found.keypoints) EXPECT_LT(keypoint.x, 160);
}

TEST_F(ExtractStageTest, SignedRootsHaveLengthOne) {
  const DecodedImage image = decoded(encode(".png", draw_picture(320, 240, 7)), 1024);
  options_.descriptor_form = "plain";
  const FeatureSet plain = extract({image})[0].features;
  options_.descriptor_form = "signed_root";
  const FeatureSet rooted = extract({image})[0].features;
  EXPECT_EQ(rooted.keypoints, plain.keypoints);
  EXPECT_NE(rooted.descriptors, plain.descriptors);
  for (std::size_t first = 0; first < rooted.descriptors.size(); first += 64) {
    double squares = 0;
    for (std::size_t i = first; i < first + 64; ++i) {
      squares += rooted.descriptors[i] * rooted.descriptors[i];
    }
    EXPECT_NEAR(squares, 1, 1e-4);
  }
}

TEST_F(ExtractStageTest, SignedRootKeepsSigns) {
  const DecodedImage image = decoded(encode(".png", draw_picture(320, 240, 8)), 1024);
  options_.descriptor_form = "plain";
  const FeatureSet plain = extract({image})[0].features;
  options_.descriptor_form = "signed_root";
  const FeatureSet rooted = extract({image})[0].features;
  ASSERT_EQ(rooted.descriptors.size(), plain.descriptors.size());
  for (std::size_t i = 0; i < plain.descriptors.size(); ++i) {
    EXPECT_EQ(std::signbit(rooted.descriptors[i]), std::signbit(plain.descriptors[i]));
  }
}

TEST_F(ExtractStageTest, MostFeaturesAreTheStrongest) {
  const DecodedImage image = decoded(encode(".png", draw_picture(320, 240, 5)), 1024);
  const FeatureSet all = extract({image})[0].features;
  options_.max_features = 20;
  const FeatureSet few = extract({image})[0].features;
  ASSERT_EQ(few.size(), 20U);
  EXPECT_TRUE(std::equal(few.keypoints.begin(), few.keypoints.end(), all.keypoints.begin()));
}

}  // namespace
}  // namespace lookalike
