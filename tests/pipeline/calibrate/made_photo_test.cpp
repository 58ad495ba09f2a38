#include "pipeline/calibrate/made_photo.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "tests/fixtures/drawing.h"
#include "tests/stages/pictures.h"

namespace lookalike {
namespace {

class MadePhotoTest : public ::testing::Test {
 protected:
  cv::Mat make(std::uint64_t seed) const {
    Random random(seed);
    return make_photo(object_, background_, random);
  }

  const cv::Mat object_ = draw_picture(160, 120, 1);
  const cv::Mat background_ = draw_picture(320, 240, 2);
};

TEST_F(MadePhotoTest, HasTheSizeOfTheBackground) {
  EXPECT_EQ(make(1).size(), background_.size());
}

TEST_F(MadePhotoTest, SeedDecidesEverything) {
  EXPECT_EQ(cv::norm(make(5), make(5)), 0);
  EXPECT_GT(cv::norm(make(5), make(6)), 1000);
}

TEST_F(MadePhotoTest, BothPicturesCanBeSeen) {
  const cv::Mat white(120, 160, CV_8U, cv::Scalar(255));
  const cv::Mat black(240, 320, CV_8U, cv::Scalar(0));
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    const cv::Mat photo = make_photo(white, black, random);
    const double shown = cv::countNonZero(photo > 128) / static_cast<double>(photo.total());
    EXPECT_GT(shown, 0.04) << seed;
    EXPECT_LT(shown, 0.999) << seed;
  }
}

TEST_F(MadePhotoTest, CompressedIsAJpegOfThePhoto) {
  Random random(3);
  const cv::Mat photo = make(3);
  const cv::Mat back = cv::imdecode(compressed(photo, random), cv::IMREAD_GRAYSCALE);
  ASSERT_EQ(back.size(), photo.size());
  EXPECT_LT(cv::norm(back, photo, cv::NORM_L1) / static_cast<double>(photo.total()), 20);
}

const VariantKind& kind(const std::string& name) {
  static const std::vector<VariantKind> kinds = variant_kinds();
  return *std::find_if(kinds.begin(), kinds.end(),
                       [&](const VariantKind& candidate) { return candidate.name == name; });
}

Variant make(const std::string& name, const cv::Mat& photo, double strength,
             std::uint64_t seed = 1) {
  Random random(seed);
  return kind(name).make(photo, strength, random);
}

cv::Mat picture_of(const Variant& variant) {
  return cv::imdecode(variant.file, cv::IMREAD_COLOR);
}

// Returns the largest difference between the photo and the variant at mapped points, over the inner
// half of the photo's area that the variant shows.
double largest_difference(const cv::Mat& photo, const Variant& variant) {
  cv::Mat seen = picture_of(variant);
  cv::Mat smooth;
  cv::blur(photo, smooth, {5, 5});
  double largest = 0;
  for (int y = photo.rows / 4; y < photo.rows * 3 / 4; y += 3) {
    for (int x = photo.cols / 4; x < photo.cols * 3 / 4; x += 3) {
      const Point at = variant.photo_to_variant.apply({double(x), double(y)});
      const cv::Point pixel(static_cast<int>(std::lround(at.x)),
                            static_cast<int>(std::lround(at.y)));
      if (!cv::Rect({}, seen.size()).contains(pixel)) continue;
      const cv::Vec3b a = smooth.at<cv::Vec3b>(y, x);
      const cv::Vec3b b = seen.at<cv::Vec3b>(pixel);
      for (int c = 0; c < 3; ++c) largest = std::max(largest, std::abs(double(a[c]) - b[c]));
    }
  }
  return largest;
}

// Smooth: a map wrong by a pixel or two makes a small difference, a larger error a large one.
cv::Mat smooth_photo() {
  cv::Mat photo = draw_poster(3, {240, 180});
  cv::GaussianBlur(photo, photo, {}, 6);
  return photo;
}

TEST(VariantKinds, AreAllThatUsersKnowAndHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const VariantKind& kind : variant_kinds()) {
    names.insert(kind.name);
    EXPECT_FALSE(kind.strengths.empty()) << kind.name;
  }
  EXPECT_THAT(names,
              testing::ElementsAre("blur", "brightness", "contrast", "crop", "jpeg", "mirror",
                                   "noise", "perspective", "scale", "text", "turn"));
}

TEST(VariantKinds, TheMapSaysWherePixelsWent) {
  const cv::Mat photo = smooth_photo();
  for (const std::string name : {"crop", "turn", "scale", "perspective", "mirror"}) {
    for (const double strength : kind(name).strengths) {
      for (const std::uint64_t seed : {1, 2, 3, 4}) {
        EXPECT_LT(largest_difference(photo, make(name, photo, strength, seed)), 24)
            << name << ' ' << strength << ' ' << seed;
      }
    }
  }
}

TEST(VariantKinds, WhatLeavesPixelsWhereTheyAreSaysSo) {
  const cv::Mat photo = smooth_photo();
  for (const std::string name : {"jpeg", "blur", "noise", "brightness", "contrast", "text"}) {
    const Variant variant = make(name, photo, kind(name).strengths.front());
    EXPECT_EQ(variant.photo_to_variant, Homography{}) << name;
    EXPECT_EQ(picture_of(variant).size(), photo.size()) << name;
  }
}

TEST(VariantKinds, TheSameSeedGivesTheSameVariantAndAnotherAnother) {
  const cv::Mat photo = draw_poster(1, {160, 120});
  for (const std::string name : {"crop", "turn", "perspective", "noise", "text"}) {
    const double strength = kind(name).strengths[2];
    EXPECT_EQ(make(name, photo, strength, 1).file, make(name, photo, strength, 1).file) << name;
    bool differs = false;
    for (std::uint64_t seed = 2; seed < 12; ++seed) {
      differs |= make(name, photo, strength, seed).file != make(name, photo, strength, 1).file;
    }
    EXPECT_TRUE(differs) << name;
  }
}

TEST(Crop, KeepsTheShareOfTheArea) {
  const cv::Mat photo = draw_poster(1, {400, 300});
  for (const double percent : kind("crop").strengths) {
    const cv::Size size = picture_of(make("crop", photo, percent)).size();
    EXPECT_NEAR(100.0 * size.area() / photo.size().area(), percent, 0.5);
  }
}

TEST(Turn, ByARightAngleSwapsTheSidesAndLosesNothing) {
  const cv::Mat photo = draw_poster(1, {60, 40});
  const cv::Mat turned = picture_of(make("turn", photo, 90));
  cv::Mat clockwise;
  cv::Mat other_way;
  cv::rotate(photo, clockwise, cv::ROTATE_90_CLOCKWISE);
  cv::rotate(photo, other_way, cv::ROTATE_90_COUNTERCLOCKWISE);
  ASSERT_EQ(turned.size(), cv::Size(40, 60));
  EXPECT_LE(std::min(cv::norm(turned, clockwise, cv::NORM_INF),
                     cv::norm(turned, other_way, cv::NORM_INF)),
            1);
}

TEST(Turn, ShowsTheWholePhotoWhateverTheAngle) {
  const cv::Mat white(40, 60, CV_8UC3, cv::Scalar::all(255));
  const cv::Mat turned = picture_of(make("turn", white, 45));
  cv::Mat lit;
  cv::inRange(turned, cv::Scalar::all(200), cv::Scalar::all(255), lit);
  EXPECT_NEAR(cv::countNonZero(lit), white.size().area(), 0.04 * white.size().area());
}

TEST(Mirror, SwapsLeftAndRight) {
  cv::Mat photo(2, 3, CV_8UC3, cv::Scalar::all(0));
  photo.at<cv::Vec3b>(1, 0) = {10, 20, 30};
  EXPECT_EQ(picture_of(make("mirror", photo, 1)).at<cv::Vec3b>(1, 2), cv::Vec3b(10, 20, 30));
}

TEST(Noise, HasTheStrengthThatWasAskedFor) {
  const cv::Mat grey(200, 200, CV_8UC3, cv::Scalar::all(128));
  cv::Scalar mean;
  cv::Scalar deviation;
  cv::meanStdDev(picture_of(make("noise", grey, 20)), mean, deviation);
  EXPECT_NEAR(mean[0], 128, 1);
  EXPECT_NEAR(deviation[0], 20, 1);
}

TEST(BrightnessAndContrast, ShiftAndSpreadTheLevels) {
  const cv::Mat grey(4, 4, CV_8UC3, cv::Scalar::all(100));
  EXPECT_EQ(picture_of(make("brightness", grey, 64)).at<cv::Vec3b>(0, 0)[0], 164);
  EXPECT_EQ(picture_of(make("brightness", grey, -128)).at<cv::Vec3b>(0, 0)[0], 0);
  EXPECT_EQ(picture_of(make("contrast", grey, 0.5)).at<cv::Vec3b>(0, 0)[0], 114);
  EXPECT_EQ(picture_of(make("contrast", grey, 2)).at<cv::Vec3b>(0, 0)[0], 72);
}

TEST(JpegAndBlur, MoreIsFurtherFromThePhoto) {
  const cv::Mat photo = draw_poster(5, {160, 120});
  const auto error = [&](const std::string& name, double strength) {
    return cv::norm(photo, picture_of(make(name, photo, strength)), cv::NORM_L2);
  };
  EXPECT_LT(error("jpeg", 90), error("jpeg", 10));
  EXPECT_LT(error("blur", 4), error("blur", 16));
}

TEST(Text, MoreWordsCoverMore) {
  const cv::Mat grey(200, 300, CV_8UC3, cv::Scalar::all(128));
  const auto covered = [&](double words) {
    cv::Mat ink;
    cv::absdiff(picture_of(make("text", grey, words)), grey, ink);
    return cv::countNonZero(ink.reshape(1) > 8);
  };
  EXPECT_GT(covered(1), 0);
  EXPECT_GT(covered(10), covered(1));
}

}  // namespace
}  // namespace lookalike
