#include "stages/match/refine/parallax.h"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "stages/decode/colours.h"
#include "stages/match/refine/difference.h"
#include "tests/stages/pictures.h"

namespace lookalike {
namespace {

using testing::Gt;
using testing::Lt;

constexpr int kWidth = 640;
constexpr int kHeight = 480;

cv::Mat displaced(const cv::Mat& picture, double x, double y) {
  cv::Mat result;
  const cv::Matx23d map(1, 0, x, 0, 1, y);
  cv::warpAffine(picture, result, map, picture.size(), cv::INTER_CUBIC, cv::BORDER_REFLECT);
  return result;
}

// A shot of a disc before a background, with the noise of a camera and of saving. Shots from other
// places displace them.
cv::Mat shot(double near_px, double far_px, int seed) {
  const cv::Mat background = displaced(draw_picture(kWidth, kHeight, 1), far_px, 0);
  const cv::Mat disc = displaced(draw_picture(kWidth, kHeight, 2), near_px, 0);
  cv::Mat mask(background.size(), CV_8U, cv::Scalar(0));
  cv::circle(mask, {kWidth / 2 + static_cast<int>(std::lround(near_px)), kHeight / 2}, 130, 255,
             cv::FILLED);
  cv::Mat picture = background.clone();
  disc.copyTo(picture, mask);
  cv::Mat noise(picture.size(), CV_16S);
  cv::RNG random(static_cast<std::uint64_t>(seed));
  random.fill(noise, cv::RNG::NORMAL, 0, 4);
  cv::add(picture, noise, picture, {}, CV_8U);
  return cv::imdecode(encode(".jpg", picture, {cv::IMWRITE_JPEG_QUALITY, 85}), cv::IMREAD_COLOR);
}

cv::Mat scaled_by(const cv::Mat& picture, double factor) {
  cv::Mat result;
  cv::resize(picture, result, {}, factor, factor, factor < 1 ? cv::INTER_AREA : cv::INTER_CUBIC);
  return result;
}

ShotSigns signs(const cv::Mat& a, const cv::Mat& b, const Homography& map) {
  const ColourImage one = colour_image(a.size(), a, {});
  const ColourImage two = colour_image(b.size(), b, {});
  return look_for_shots(side_of(one), side_of(two), map);
}

ShotSigns signs(const cv::Mat& a, const cv::Mat& b) {
  return signs(a, b, resizing(a.cols, a.rows, b.cols, b.rows));
}

TEST(Parallax, WhatIsNearMovesAgainstWhatIsFar) {
  for (const double near_px : {2, 5, 10}) {
    EXPECT_THAT(signs(shot(0, 0, 1), shot(near_px, 0, 2)).moved, Gt(0.08)) << near_px;
    EXPECT_THAT(signs(shot(near_px, 0, 2), shot(0, 0, 1)).moved, Gt(0.08)) << near_px;
  }
}

TEST(Parallax, APlaneSeenAtAnotherAngleMoves) {
  const cv::Mat picture = shot(0, 0, 1);
  const Homography map{{1, 0, 0, 0, 1, 0, 0.03 / kWidth, 0, 1}};
  cv::Mat other;
  cv::warpPerspective(picture, other, cv::Mat(3, 3, CV_64F, const_cast<double*>(map.h.data())),
                      picture.size(), cv::INTER_CUBIC, cv::BORDER_REFLECT);
  EXPECT_THAT(signs(picture, other, map).moved, Gt(ShotSigns::kMoved));
}

TEST(Parallax, EditingMovesNothing) {
  const cv::Mat picture = shot(0, 0, 1);
  std::vector<cv::Mat> edited;
  for (const int quality : {15, 50}) {
    edited.push_back(cv::imdecode(encode(".jpg", picture, {cv::IMWRITE_JPEG_QUALITY, quality}),
                                  cv::IMREAD_COLOR));
  }
  for (const double factor : {0.4, 0.75, 1.5}) edited.push_back(scaled_by(picture, factor));
  edited.push_back(scaled_by(scaled_by(picture, 0.4), 2.5));
  edited.emplace_back(picture * 1.4);  // burnt out
  cv::Mat squashed;
  cv::resize(picture, squashed, {600, 300}, 0, 0, cv::INTER_AREA);
  edited.push_back(squashed);
  for (std::size_t i = 0; i < edited.size(); ++i) {
    const ShotSigns found = signs(picture, edited[i]);
    EXPECT_THAT(found.moved, Lt(ShotSigns::kMoved)) << i;
    EXPECT_THAT(found.beyond, Lt(ShotSigns::kBeyond)) << i;
  }
}

TEST(Parallax, OfOneFrameOnlyShotsShowSomethingBeyondBothRims) {
  const ShotSigns shots = signs(shot(0, 0, 1), shot(6, 6, 2), translation(6, 0));
  EXPECT_EQ(shots.moved, 0);
  EXPECT_NEAR(shots.beyond, 6.0 / kWidth, 0.001);
  const cv::Mat picture = shot(0, 0, 1);
  const cv::Rect inside(8, 6, kWidth - 12, kHeight - 12);
  EXPECT_THAT(signs(picture, picture(inside).clone(), translation(-8, -6)).beyond,
              Lt(ShotSigns::kBeyond));
  // Both cut from one picture, but not of one frame.
  EXPECT_EQ(signs(picture(cv::Rect(0, 0, 500, 480)).clone(),
                  picture(cv::Rect(100, 0, 500, 480)).clone(), translation(-100, 0))
                .beyond,
            0);
}

TEST(Parallax, WithoutEnoughToSeeThereAreNoSigns) {
  const cv::Mat flat(kHeight, kWidth, CV_8UC3, cv::Scalar::all(90));
  EXPECT_EQ(signs(flat, flat).moved, 0);
  EXPECT_EQ(signs(scaled_by(shot(0, 0, 1), 0.1), scaled_by(shot(5, 0, 2), 0.1)).moved, 0);
}

}  // namespace
}  // namespace lookalike
