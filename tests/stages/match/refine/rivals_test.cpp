#include "stages/match/refine/rivals.h"

#include <cmath>
#include <tuple>

#include <gtest/gtest.h>
#include <opencv2/imgproc.hpp>

#include "stages/decode/colours.h"
#include "tests/stages/pictures.h"

namespace lookalike {
namespace {

constexpr int kPrintWidth = 320;
constexpr int kPrintHeight = 240;

// Draws a print with a band and a sign of a flavour.
cv::Mat flavour(const cv::Scalar& colour, int sign) {
  cv::Mat print;
  cv::cvtColor(draw_picture(kPrintWidth, kPrintHeight, 7), print, cv::COLOR_GRAY2BGR);
  cv::rectangle(print, {96, 64, 160, 112}, colour, cv::FILLED);
  for (int i = 0; i < 5; ++i) {
    const cv::Point at(112 + 28 * i, 80 + 16 * ((i * sign) % 5));
    cv::circle(print, at, 7, cv::Scalar::all(20), cv::FILLED, cv::LINE_AA);
  }
  return print;
}

const cv::Scalar kRedBand(40, 40, 200);
const cv::Scalar kGreenBand(40, 160, 40);
cv::Mat red_print() {
  return flavour(kRedBand, 2);
}
cv::Mat green_print() {
  return flavour(kGreenBand, 3);
}

ColourImage colours_of(const cv::Mat& picture) {
  return colour_image(picture.size(), picture);
}

// A picture of a shelf with a print on it, slightly turned and in warmer light.
struct Shelf {
  explicit Shelf(const cv::Mat& print) {
    const double turn = 0.1;
    place = {{std::cos(turn), -std::sin(turn), 90, std::sin(turn), std::cos(turn), 60, 0, 0, 1}};
    cv::Mat seen(480, 640, CV_8UC3, cv::Scalar(150, 150, 150));
    cv::Mat map(3, 3, CV_64F, place.h.data());
    cv::warpPerspective(print, seen, map, seen.size(), cv::INTER_LINEAR, cv::BORDER_TRANSPARENT);
    cv::multiply(seen, cv::Scalar(0.75, 0.85, 0.95), seen);
    scene = colour_image(seen.size(), seen);
  }

  // Compares the shelf with two prints at the place of its own.
  RivalComparison compare(const cv::Mat& first, const cv::Mat& second) const {
    const ColourImage one = colours_of(first);
    const ColourImage two = colours_of(second);
    return compare_rivals(scene, {one, place}, {two, place});
  }

  Homography place;
  ColourImage scene;
};

TEST(CompareRivals, TheFlavourThatIsSeenWins) {
  const Shelf shelf(red_print());
  const RivalComparison right = shelf.compare(red_print(), green_print());
  EXPECT_GT(right.agreement, 0.6);
  EXPECT_TRUE(right.first_wins()) << right.by_colour << " " << right.by_detail;
  EXPECT_FALSE(right.second_wins());
  const RivalComparison wrong = shelf.compare(green_print(), red_print());
  EXPECT_FALSE(wrong.first_wins()) << wrong.by_colour << " " << wrong.by_detail;
  EXPECT_LT(wrong.by_colour, -0.03);
}

TEST(CompareRivals, AFlavourThatIsNeitherLacksTheDetailOfBoth) {
  const RivalComparison neither = Shelf(flavour(kGreenBand, 1)).compare(red_print(), green_print());
  EXPECT_TRUE(neither.of_first.is_missing()) << neither.of_first.shown;
  EXPECT_TRUE(neither.of_second.is_missing()) << neither.of_second.shown;
  const RivalComparison first = Shelf(red_print()).compare(red_print(), green_print());
  EXPECT_EQ(first.of_first.cells, neither.of_first.cells);
  EXPECT_FALSE(first.of_first.is_missing()) << first.of_first.shown;
  EXPECT_TRUE(first.of_second.is_missing()) << first.of_second.shown;
}

TEST(CompareRivals, OwnDetailIsMissingIfMostOfSeveralCellsIs) {
  EXPECT_TRUE((OwnDetail{4, 1.9, 1.5}.is_missing()));
  EXPECT_FALSE((OwnDetail{4, 2.1, 2.1}.is_missing()));
  EXPECT_FALSE((OwnDetail{4, 1.9, 1.0}.is_missing()));  // the rival even more
  EXPECT_FALSE((OwnDetail{3, 0.0, 0.0}.is_missing()));  // too few
  OwnDetail sum{2, 0.5, 0.1};
  EXPECT_FALSE(sum.is_missing());
  sum += {2, 1.0, 1.2};
  EXPECT_TRUE(sum.is_missing());
}

TEST(CompareRivals, OwnDetailIsReplacedIfTheSceneClearlyShowsTheRivalThere) {
  EXPECT_TRUE((OwnDetail{4, 1.0, 2.3}.is_replaced()));
  EXPECT_FALSE((OwnDetail{4, 1.0, 2.1}.is_replaced()));
  EXPECT_FALSE((OwnDetail{3, 0.0, 3.0}.is_replaced()));  // too few
}

TEST(CompareRivals, LeavesThePicturesAsTheyAre) {
  const ColourImage red = colours_of(red_print());
  const ColourImage green = colours_of(green_print());
  const ColourImage scene = red;  // in the size of the frame, nothing is resampled
  const auto before = std::tuple(red.brightness.pixels, green.brightness.pixels, red.colours);
  const RivalComparison once = compare_rivals(scene, {red, {}}, {green, {}});
  EXPECT_EQ(before, std::tuple(red.brightness.pixels, green.brightness.pixels, red.colours));
  EXPECT_EQ(scene.brightness.pixels, red.brightness.pixels);
  EXPECT_EQ(compare_rivals(scene, {red, {}}, {green, {}}).by_colour, once.by_colour);
}

TEST(CompareRivals, CopiesInOtherLightAreNoRivals) {
  cv::Mat darker;
  cv::multiply(red_print(), cv::Scalar(0.9, 0.8, 0.7), darker);
  const RivalComparison found = Shelf(red_print()).compare(red_print(), darker);
  EXPECT_FALSE(found.first_wins()) << found.by_colour;
  EXPECT_FALSE(found.second_wins());
}

TEST(CompareRivals, OtherPicturesAreNotOfOnePrint) {
  cv::Mat other;
  cv::cvtColor(draw_picture(kPrintWidth, kPrintHeight, 8), other, cv::COLOR_GRAY2BGR);
  const RivalComparison found = Shelf(red_print()).compare(red_print(), other);
  EXPECT_LT(found.agreement, 0.5);
  EXPECT_FALSE(found.first_wins());
}

TEST(CompareRivals, ColoursDecideUnlessDetailContradicts) {
  const auto winner = [](double agreement, double by_colour, double by_detail) {
    RivalComparison found;
    found.agreement = agreement;
    found.by_colour = by_colour;
    found.by_detail = by_detail;
    return found.first_wins() ? 1 : found.second_wins() ? 2 : 0;
  };
  EXPECT_EQ(winner(0.65, 0.05, 0), 1);
  EXPECT_EQ(winner(0.45, 0.05, 0), 0);  // two views of a thing may agree so
  EXPECT_EQ(winner(0.65, 0.02, 0), 0);  // too little
  EXPECT_EQ(winner(0.65, 0.05, -0.01), 0);
  EXPECT_EQ(winner(0.65, -0.15, -0.01), 2);
  EXPECT_EQ(winner(0.65, -0.05, -0.01), 0);  // too little for the less sure one
  EXPECT_EQ(winner(0.65, -0.15, 0.01), 0);
}

}  // namespace
}  // namespace lookalike
