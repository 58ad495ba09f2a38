#include "tools/example/drawing.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <opencv2/imgproc.hpp>

#include "base/content_hash.h"
#include "stages/decode/decode.h"
#include "tests/stages/pictures.h"

namespace lookalike {
namespace {

double largest_difference(const cv::Mat& a, const cv::Mat& b) {
  return cv::norm(a, b, cv::NORM_INF);
}

TEST(DrawPoster, TheSameSeedGivesTheSamePoster) {
  EXPECT_EQ(largest_difference(draw_poster(3, {120, 160}), draw_poster(3, {120, 160})), 0);
  EXPECT_GT(largest_difference(draw_poster(3, {120, 160}), draw_poster(4, {120, 160})), 50);
}

TEST(DrawScene, APictureHangsWhereItsCornersAre) {
  const cv::Mat white(50, 100, CV_8UC3, cv::Scalar::all(255));
  const Placement placement = {white, {{{40, 30}, {140, 30}, {140, 80}, {40, 80}}}};
  const cv::Mat scene = draw_scene(std::span(&placement, 1), {200, 120}, 1);
  // White paper is far brighter than the wall, and its first and last pixel are inside.
  const auto brightness = [&](int x, int y) { return cv::mean(scene.at<cv::Vec3b>(y, x))[0]; };
  EXPECT_GT(brightness(40, 30), 225);
  EXPECT_GT(brightness(139, 79), 200);
  EXPECT_LT(brightness(39, 50), 220);
  EXPECT_LT(brightness(140, 50), 220);
  EXPECT_LT(brightness(90, 29), 220);
  EXPECT_LT(brightness(90, 80), 220);
}

TEST(TurnedCrop, ShowsNoBorderAtAnyTurn) {
  const cv::Mat white(90, 120, CV_8UC3, cv::Scalar::all(255));
  for (const double angle : {0.0, 30.0, 45.0, 100.0}) {
    const cv::Mat crop = turned_crop(white, angle, 0.8);
    ASSERT_FALSE(crop.empty());
    EXPECT_EQ(cv::countNonZero(crop.reshape(1) < 255), 0) << angle;
  }
}

TEST(TurnedCrop, TurnsClockwise) {
  cv::Mat image(100, 100, CV_8UC1, cv::Scalar(0));
  cv::circle(image, {50, 25}, 6, cv::Scalar(255), -1);  // above the middle
  const cv::Mat crop = turned_crop(image, 90, 1);
  EXPECT_EQ(crop.at<std::uint8_t>(crop.rows / 2, crop.cols / 2 + 25), 255) << "right of the middle";
}

TEST(DrawResult, PutsThePicturesBesideThePhoto) {
  const cv::Mat photo(120, 200, CV_8UC3, cv::Scalar::all(90));
  const Outlined found = {draw_poster(1, {60, 80}), {{{20, 20}, {90, 20}, {90, 100}, {20, 100}}}};
  const cv::Mat alone = draw_result(photo, {});
  EXPECT_EQ(alone.size(), photo.size());
  const cv::Mat both = draw_result(photo, std::span(&found, 1));
  EXPECT_EQ(both.rows, photo.rows);
  EXPECT_GT(both.cols, photo.cols + 60);
  EXPECT_GT(largest_difference(both(cv::Rect({0, 0}, photo.size())), photo), 50) << "no outline";
}

}  // namespace
}  // namespace lookalike
