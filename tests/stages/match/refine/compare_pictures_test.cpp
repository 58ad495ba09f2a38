#include "stages/match/refine/compare_pictures.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "stages/decode/colours.h"
#include "tests/stages/pictures.h"

namespace lookalike {
namespace {

using testing::Gt;
using testing::Lt;

// A drawing whose shapes have colours of their own.
cv::Mat drawn(int seed = 1) {
  cv::Mat channels[3];
  for (int i = 0; i < 3; ++i) channels[i] = draw_picture(640, 480, seed + (i == 2 ? 50 : 0));
  cv::Mat picture;
  cv::merge(channels, 3, picture);
  return picture;
}

// A page with lines of text; `changed` has another number in it.
cv::Mat page(const std::string& number) {
  cv::Mat picture(900, 640, CV_8UC3, cv::Scalar::all(250));
  for (int line = 0; line < 30; ++line) {
    const std::string text = "Line " + std::to_string(line * 7919 % 1000) + " of the statement, " +
                             (line == 12 ? number : std::to_string(line * 104729 % 100000));
    cv::putText(picture, text, {30, 40 + 28 * line}, cv::FONT_HERSHEY_SIMPLEX, 0.6,
                cv::Scalar::all(20), 1, cv::LINE_AA);
  }
  return picture;
}

cv::Mat saved(const cv::Mat& picture, int quality) {
  return cv::imdecode(encode(".jpg", picture, {cv::IMWRITE_JPEG_QUALITY, quality}),
                      cv::IMREAD_COLOR);
}

cv::Mat resized(const cv::Mat& picture, double factor) {
  cv::Mat result;
  cv::resize(picture, result, {}, factor, factor, factor < 1 ? cv::INTER_AREA : cv::INTER_CUBIC);
  return result;
}

ColourImage whole(const cv::Mat& pixels, const cv::Mat& alpha = {}) {
  return colour_image(pixels.size(), pixels, alpha);
}

PictureDifference difference(const cv::Mat& a, const cv::Mat& b) {
  return compare_pictures(whole(a), whole(b), resizing(a.cols, a.rows, b.cols, b.rows)).value();
}

// True if a difference is seen, whichever of the two is the object.
bool differ(const cv::Mat& a, const cv::Mat& b) {
  const bool is_seen = difference(a, b).is_seen();
  EXPECT_EQ(difference(b, a).is_seen(), is_seen);
  return is_seen;
}

TEST(ComparePictures, SavingAgainAndResizingAreNoDifference) {
  for (const cv::Mat& picture : {drawn(), page("12345")}) {
    for (const int quality : {30, 60, 90}) EXPECT_FALSE(differ(picture, saved(picture, quality)));
    for (const double factor : {0.4, 0.7, 1.3, 2.0}) {
      EXPECT_FALSE(differ(picture, saved(resized(picture, factor), 75))) << factor;
    }
  }
}

TEST(ComparePictures, ADetailThatIsLostEverywhereIsNoDifference) {
  for (const cv::Mat& picture : {drawn(), page("12345")}) {
    for (const double factor : {0.5, 0.25}) {
      cv::Mat soft;
      cv::resize(resized(picture, factor), soft, picture.size(), 0, 0, cv::INTER_CUBIC);
      EXPECT_FALSE(differ(picture, soft)) << factor;
    }
  }
}

TEST(ComparePictures, ATintIsNoDifference) {
  const cv::Mat picture = drawn();
  EXPECT_FALSE(differ(picture, picture.mul(cv::Scalar(1, 0.42, 0.42))));
}

TEST(ComparePictures, LightAndExposureAreNoDifference) {
  const cv::Mat picture = drawn();
  cv::Mat other(picture.size(), CV_8UC3);
  for (int y = 0; y < picture.rows; ++y) {
    for (int x = 0; x < picture.cols; ++x) {
      const auto& from = picture.at<cv::Vec3b>(y, x);
      const auto lit = [](double level, double gain) {
        return cv::saturate_cast<std::uint8_t>(gain * 255 * std::pow(level / 255, 0.8));
      };
      other.at<cv::Vec3b>(y, x) = {lit(from[0], 0.8), lit(from[1], 0.95), lit(from[2], 1)};
    }
  }
  EXPECT_FALSE(differ(picture, other));
}

TEST(ComparePictures, AnEnhancedSaturationIsNoDifference) {
  cv::Mat enhanced;
  cv::cvtColor(drawn(), enhanced, cv::COLOR_BGR2YCrCb);
  for (int y = 0; y < enhanced.rows; ++y) {
    for (int x = 0; x < enhanced.cols; ++x) {
      auto& pixel = enhanced.at<cv::Vec3b>(y, x);
      for (int i = 1; i < 3; ++i) {
        pixel[i] = cv::saturate_cast<std::uint8_t>(128 + 0.7 * (pixel[i] - 128));
      }
    }
  }
  cv::cvtColor(enhanced, enhanced, cv::COLOR_YCrCb2BGR);
  EXPECT_FALSE(differ(drawn(), enhanced));
}

TEST(ComparePictures, AnotherNumberIsADifferenceAndIsPlaced) {
  const cv::Mat one = page("10482");
  const PictureDifference found = difference(one, saved(page("93751"), 85));
  EXPECT_TRUE(found.is_seen());
  ASSERT_EQ(found.places.size(), 1);
  EXPECT_TRUE(contains(found.places[0], {320, 371}));
  EXPECT_THAT(std::abs(signed_area(found.places[0])), Lt(0.02 * 640 * 900));
  EXPECT_THAT(found.share, Lt(0.02));
  EXPECT_FALSE(difference(one, saved(one, 85)).is_seen());
}

TEST(ComparePictures, APixelatedRegionIsADifference) {
  cv::Mat censored = drawn();
  cv::Mat region = censored(cv::Rect(200, 150, 96, 96));
  cv::Mat coarse;
  cv::resize(region, coarse, {8, 8}, 0, 0, cv::INTER_AREA);
  cv::resize(coarse, region, region.size(), 0, 0, cv::INTER_NEAREST);
  EXPECT_TRUE(differ(drawn(), censored));
}

TEST(ComparePictures, ColoursOfEqualBrightnessAreADifference) {
  cv::Mat red = drawn();
  cv::Mat green = red.clone();
  const cv::Rect button(300, 200, 64, 48);
  red(button).setTo(cv::Scalar(40, 60, 200));
  green(button).setTo(cv::Scalar(40, 130, 63));  // the same grey
  const PictureDifference found = difference(red, green);
  EXPECT_THAT(found.largest_of_colour, Gt(PictureDifference::kSeen));
  EXPECT_THAT(found.largest, Lt(PictureDifference::kSeen));
  EXPECT_FALSE(found.lacks_colours);
}

TEST(ComparePictures, AGreyOrTonedCopyLacksColours) {
  const cv::Mat picture = drawn();
  cv::Mat gray;
  cv::cvtColor(picture, gray, cv::COLOR_BGR2GRAY);
  cv::cvtColor(gray, gray, cv::COLOR_GRAY2BGR);
  cv::Mat sepia = gray.mul(cv::Scalar(0.7, 0.9, 1));
  EXPECT_TRUE(difference(picture, gray).lacks_colours);
  EXPECT_TRUE(difference(gray, picture).lacks_colours);
  EXPECT_TRUE(difference(picture, saved(sepia, 90)).is_seen());
}

TEST(ComparePictures, OfTwoShotsPartsHaveMoved) {
  const cv::Mat picture = drawn();
  EXPECT_FALSE(difference(picture, saved(picture, 50)).shots.are_clear());
  cv::Mat other = picture.clone();
  const cv::Rect part(150, 100, 300, 260);
  picture(part).copyTo(other(part + cv::Point(2, 0)));
  EXPECT_TRUE(difference(picture, other).shots.are_clear());
}

TEST(ComparePictures, AnErrorOfThePoseIsCorrected) {
  const cv::Mat picture = page("10482");
  const cv::Mat crop = picture(cv::Rect(100, 200, 400, 500)).clone();
  const Homography rough{{1.004, 0, -98.2, 0.002, 0.997, -202.1, 0, 0, 1}};
  EXPECT_FALSE(compare_pictures(whole(picture), whole(crop), rough).value().is_seen());
  const cv::Mat other = page("93751")(cv::Rect(100, 200, 400, 500)).clone();
  EXPECT_TRUE(compare_pictures(whole(picture), whole(other), rough).value().is_seen());
}

TEST(ComparePictures, PlacesCountInPixelsOfTheFullSize) {
  ColourImage small = whole(resized(drawn(), 0.5));
  small.full_width = 640;
  small.full_height = 480;
  cv::Mat edited = drawn();
  edited(cv::Rect(400, 300, 80, 60)).setTo(cv::Scalar::all(255));
  const auto found = compare_pictures(small, whole(edited), {}).value();
  ASSERT_EQ(found.places.size(), 1);
  EXPECT_TRUE(contains(found.places[0], {440, 330}));
  EXPECT_FALSE(contains(found.places[0], {340, 230}));
}

TEST(ComparePictures, WhatIsTransparentInBothIsNotCompared) {
  cv::Mat edited = drawn();
  const cv::Rect hole(200, 150, 96, 96);
  edited(hole).setTo(cv::Scalar::all(255));
  cv::Mat alpha(edited.size(), CV_8U, cv::Scalar(255));
  alpha(hole).setTo(0);
  EXPECT_TRUE(differ(drawn(), edited));
  EXPECT_FALSE(compare_pictures(whole(drawn(), alpha), whole(edited, alpha), {}).value().is_seen());
}

TEST(ComparePictures, WhatOneAloneShowsIsADifferenceAndIsPlaced) {
  cv::Mat alpha(drawn().size(), CV_8U, cv::Scalar(255));
  alpha(cv::Rect(200, 150, 96, 96)).setTo(0);
  const ColourImage shown = whole(drawn());
  const ColourImage hidden = whole(drawn(), alpha);
  for (const auto& [object, scene] : {std::pair(&shown, &hidden), {&hidden, &shown}}) {
    const PictureDifference found = compare_pictures(*object, *scene, {}).value();
    EXPECT_TRUE(found.is_seen());
    ASSERT_EQ(found.places.size(), 1);
    EXPECT_TRUE(contains(found.places[0], {248, 198}));
    EXPECT_FALSE(contains(found.places[0], {320, 240}));
  }
}

TEST(ComparePictures, WhatACropLeavesOutIsNotHidden) {
  cv::Mat alpha(drawn().size(), CV_8U, cv::Scalar(255));
  alpha(cv::Rect(0, 0, 200, 480)).setTo(0);
  const cv::Rect crop(240, 100, 320, 240);
  const ColourImage all = whole(drawn(), alpha);
  const ColourImage part = whole(drawn()(crop).clone());
  const Homography place = translation(crop.x, crop.y);
  EXPECT_FALSE(compare_pictures(part, all, place).value().is_seen());
  EXPECT_FALSE(compare_pictures(all, part, place.inverse()).value().is_seen());
}

TEST(ComparePictures, TooSmallPicturesAreNotCompared) {
  const cv::Mat tiny(20, 200, CV_8UC3, cv::Scalar::all(90));
  EXPECT_FALSE(compare_pictures(whole(tiny), whole(tiny), {}).has_value());
}

}  // namespace
}  // namespace lookalike
