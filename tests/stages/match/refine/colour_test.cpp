#include "stages/match/refine/colour.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgproc.hpp>

#include "stages/decode/colours.h"

namespace lookalike {
namespace {

using testing::Gt;
using testing::Lt;

const cv::Scalar kRed(50, 60, 200);
const cv::Scalar kGreen(60, 160, 50);
const cv::Scalar kGrey(120, 120, 120);

// A button with a white sign on a pale panel.
cv::Mat button(const cv::Scalar& colour, int side = 64) {
  cv::Mat picture(side, side, CV_8UC3, cv::Scalar(225, 230, 230));
  cv::circle(picture, {side / 2, side / 2}, side * 2 / 5, colour, cv::FILLED);
  cv::line(picture, {side / 3, side / 2}, {side * 2 / 3, side / 2}, cv::Scalar::all(250), 4);
  return picture;
}

std::optional<double> agreement(const cv::Mat& object, const cv::Mat& scene) {
  return colour_agreement(colour_image(object.size(), object), colour_image(scene.size(), scene),
                          {});
}

TEST(ColourAgreement, TellsColoursApart) {
  EXPECT_THAT(agreement(button(kRed), button(kRed)).value(), Gt(0.99));
  EXPECT_THAT(agreement(button(kRed), button(kGreen)).value(), Lt(kLeastColourAgreement));
  EXPECT_THAT(agreement(button(kGreen), button(kRed)).value(), Lt(kLeastColourAgreement));
}

TEST(ColourAgreement, AnotherLightKeepsTheColours) {
  for (const cv::Scalar& light : {cv::Scalar(0.7, 0.85, 1), cv::Scalar(1, 0.9, 0.75)}) {
    EXPECT_THAT(agreement(button(kRed), button(kRed).mul(light)).value(), Gt(0.7));
    EXPECT_THAT(agreement(button(kRed), button(kGreen).mul(light)).value(),
                Lt(kLeastColourAgreement));
  }
}

TEST(ColourAgreement, GreyIsNoColour) {
  cv::Mat scene = button(kGrey);
  EXPECT_THAT(agreement(button(kRed), scene).value(), Lt(kLeastColourAgreement));
  cv::hconcat(scene, button(kGreen), scene);
  EXPECT_THAT(agreement(button(kRed), scene).value(), Lt(kLeastColourAgreement));
  EXPECT_EQ(agreement(button(kGrey), scene), std::nullopt);
  EXPECT_THAT(agreement(button(kGrey), button(kRed)).value(), Lt(kLeastColourAgreement));
}

TEST(ColourAgreement, IsMeasuredAtThePose) {
  cv::Mat scene = button(kGreen);
  cv::hconcat(scene, button(kRed), scene);
  const ColourImage object = colour_image({64, 64}, button(kRed));
  const ColourImage wide = colour_image(scene.size(), scene);
  EXPECT_THAT(colour_agreement(object, wide, translation(64, 0)).value(), Gt(0.99));
  EXPECT_THAT(colour_agreement(object, wide, {}).value(), Lt(kLeastColourAgreement));
}

TEST(ColourAgreement, TransparentPixelsDoNotCount) {
  cv::Mat alpha(64, 64, CV_8U, cv::Scalar(0));
  cv::circle(alpha, {32, 32}, 20, cv::Scalar(255), cv::FILLED);
  cv::Mat scene(64, 64, CV_8UC3, kGreen);
  button(kRed).copyTo(scene, alpha);
  const cv::Mat object = button(kRed);
  EXPECT_THAT(colour_agreement(colour_image(object.size(), object, alpha),
                               colour_image(scene.size(), scene), {})
                  .value(),
              Gt(0.9));
}

}  // namespace
}  // namespace lookalike
