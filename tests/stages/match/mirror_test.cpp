#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/surf/surf.h"
#include "stages/match/match.h"
#include "tests/stages/match/photos.h"

namespace lookalike {
namespace {

GrayImage flipped(const GrayImage& image) {
  GrayImage result = image;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      result.at(x, y) = image.view().at(image.width - 1 - x, y);
    }
  }
  return result;
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) square += std::pow(double(a[i]) - b[i], 2);
  return std::sqrt(square);
}

// Keypoints of many sizes and turns, away from the rim.
std::vector<Keypoint> some_keypoints() {
  std::vector<Keypoint> keypoints;
  for (int i = 0; i < 12; ++i) {
    Keypoint keypoint;
    keypoint.x = 120.25F + 20 * static_cast<float>(i);
    keypoint.y = 150.5F + 7 * static_cast<float>(i);
    keypoint.size = 15 + 2 * static_cast<float>(i);
    keypoint.angle_degrees = 31 * static_cast<float>(i);
    keypoints.push_back(keypoint);
  }
  return keypoints;
}

// The largest distance between a mirrored descriptor and that of the mirrored photo.
double largest_distance(std::size_t descriptor_size, bool upright, int max_interval = 0) {
  const GrayImage whole = photo("home.jpg");
  const GrayImage image = crop(whole.view(), 0, 0, whole.width - 1, whole.height);
  const GrayImage mirror = flipped(image);
  const SurfParameters parameters = {
      .descriptor_size = descriptor_size, .upright = upright, .max_interval = max_interval};
  double largest = 0;
  for (Keypoint keypoint : some_keypoints()) {
    if (upright) keypoint.angle_degrees = 270;
    FeatureSet features{descriptor_size, {keypoint}, {}};
    features.descriptors = surf_descriptor_reference(image.view(), keypoint, parameters);
    const FeatureSet seen = mirrored(features, image.width);
    const std::vector<float> truth =
        surf_descriptor_reference(mirror.view(), seen.keypoints[0], parameters);
    largest = std::max(largest, distance(seen.descriptors, truth));
  }
  return largest;
}

// Descriptors have length 1, and those of unlike features lie about 1 apart.
TEST(Mirrored, DescriptorIsThatOfTheMirroredPhoto) {
  EXPECT_LT(largest_distance(64, false), 0.03);
}

// The mirrored photo is halved on another grid where its width is odd.
TEST(Mirrored, DescriptorInAHalvedImageIsNearThatOfTheMirroredPhoto) {
  EXPECT_LT(largest_distance(64, false, 2), 0.3);
}

TEST(Mirrored, UprightDescriptorIsThatOfTheMirroredPhoto) {
  EXPECT_LT(largest_distance(64, true), 0.3);  // its window starts at whole pixels
}

// A gradient of exactly zero counts as positive, in a mirror too, and flat windows have many.
TEST(Mirrored, LongDescriptorIsNearThatOfTheMirroredPhoto) {
  EXPECT_LT(largest_distance(128, false), 0.7);
  EXPECT_LT(largest_distance(128, true), 0.7);
}

TEST(Mirrored, TwiceIsTheSameAgain) {
  FeatureSet features{128, some_keypoints(), {}};
  for (std::size_t i = 0; i < features.size() * 128; ++i) {
    features.descriptors.push_back(static_cast<float>(i));
  }
  const FeatureSet once = mirrored(features, 640);
  EXPECT_NE(once.descriptors, features.descriptors);
  const FeatureSet twice = mirrored(once, 640);
  EXPECT_EQ(twice.descriptors, features.descriptors);
  for (std::size_t i = 0; i < features.size(); ++i) {
    EXPECT_FLOAT_EQ(twice.keypoints[i].x, features.keypoints[i].x);
    EXPECT_NEAR(twice.keypoints[i].angle_degrees, features.keypoints[i].angle_degrees, 1e-3);
  }
}

TEST(Mirrored, AnglesStayInTheCircleAndUprightStaysUpright) {
  FeatureSet features{64, std::vector<Keypoint>(4), std::vector<float>(256)};
  const std::vector<float> angles = {0, 180, 270, 350};
  for (std::size_t i = 0; i < 4; ++i) features.keypoints[i].angle_degrees = angles[i];
  const FeatureSet seen = mirrored(features, 10);
  EXPECT_FLOAT_EQ(seen.keypoints[0].angle_degrees, 180);
  EXPECT_FLOAT_EQ(seen.keypoints[1].angle_degrees, 0);
  EXPECT_FLOAT_EQ(seen.keypoints[2].angle_degrees, 270);
  EXPECT_FLOAT_EQ(seen.keypoints[3].angle_degrees, 190);
}

TEST(Mirrored, PixelsAreMirroredAboutTheWidthThatKeypointsAre) {
  Query query;
  query.image.record.width = 5;
  query.image.record.height = 1;
  query.image.pixels = GrayImage(3, 1);
  query.image.pixels.pixels = {1, 2, 3};
  query.image.scale = 0.5;
  query.features = {64, std::vector<Keypoint>(1), std::vector<float>(64)};
  const Query seen = mirrored(query);
  EXPECT_THAT(seen.image.pixels.pixels, testing::ElementsAre(3, 2, 1));
  // Three pixels of twice the size: the photo's first column is where a sixth would end.
  EXPECT_FLOAT_EQ(seen.features.keypoints[0].x, 5);
  EXPECT_EQ(mirror_width(query.image), 6);
}

TEST(Unmirror, MatchesLieInThePhotoAgain) {
  Match match;
  match.image.width = 10;
  match.image.height = 20;
  match.evidence.inliers = 1;
  match.pose.object_to_query = {{1, 0, 5, 0, 1, 7, 0, 0, 1}};
  match.pose.quad = outline(match.pose.object_to_query, 10, 20);
  match.pose.inlier_pairs = {{{0, 0}, {5, 7}}};
  std::vector<Match> matches = {match};
  unmirror(matches, 100);
  EXPECT_TRUE(matches[0].pose.mirrored);
  // The object's left side is at x = 5 in the mirror, so at 95 from the photo's left.
  EXPECT_EQ(matches[0].pose.quad, (Quad{{{95, 7}, {85, 7}, {85, 27}, {95, 27}}}));
  EXPECT_EQ(matches[0].pose.inlier_pairs[0].scene, (Point{94, 7}));
}

TEST(Mirrored, TransparencyIsMirroredWithThePixels) {
  Query query;
  query.image.pixels = GrayImage(2, 1);
  query.image.alpha = GrayImage(2, 1);
  query.image.alpha.pixels = {0, 255};
  EXPECT_THAT(mirrored(query).image.alpha.pixels, testing::ElementsAre(255, 0));
}

}  // namespace
}  // namespace lookalike
