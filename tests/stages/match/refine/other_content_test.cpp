#include "stages/match/refine/other_content.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgproc.hpp>

#include "base/random.h"
#include "stages/decode/colours.h"
#include "tests/stages/pictures.h"

namespace lookalike {
namespace {

using testing::Ge;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int kLines = 30;

void write(const std::string& text, cv::Point at, cv::Mat& picture) {
  cv::putText(picture, text, at, cv::FONT_HERSHEY_SIMPLEX, 0.6, cv::Scalar::all(20), 1,
              cv::LINE_AA);
}

// A form: every line has a printed name and, in every third, an entry that depends on the seed.
cv::Mat form(std::uint64_t seed) {
  cv::Mat picture(900, 640, CV_8UC3, cv::Scalar::all(250));
  Random random(seed);
  for (int line = 0; line < kLines; ++line) {
    const int y = 40 + 28 * line;
    write("Field " + std::to_string(line * 7919 % 1000) + " of form 12:", {30, y}, picture);
    cv::line(picture, {300, y + 6}, {600, y + 6}, cv::Scalar::all(90));
    if (line % 3 == 0) write(std::to_string(random.bits() % 1'000'000'000), {330, y}, picture);
  }
  return picture;
}

const Homography kPose{{0.8, 0.05, 60, -0.04, 0.82, 70, 0.00003, -0.00002, 1}};

// A photo of a page on a dark table, in uneven light, with noise.
ColourImage photographed(const cv::Mat& page) {
  cv::Mat matrix(3, 3, CV_64F);
  std::ranges::copy(kPose.h, matrix.begin<double>());
  cv::Mat photo;
  cv::warpPerspective(page, photo, matrix, {680, 880}, cv::INTER_AREA, cv::BORDER_CONSTANT,
                      cv::Scalar(60, 70, 80));
  Random random(9);
  for (int y = 0; y < photo.rows; ++y) {
    for (int x = 0; x < photo.cols; ++x) {
      const double light = 0.95 - 0.25 * x / photo.cols;
      for (int i = 0; i < 3; ++i) {
        auto& value = photo.at<cv::Vec3b>(y, x)[i];
        value = cv::saturate_cast<std::uint8_t>(light * value + 5 * (random.uniform() - 0.5));
      }
    }
  }
  return colour_image(photo.size(), photo);
}

ColourImage scanned(const cv::Mat& page) {
  return colour_image(page.size(), page);
}

TEST(OtherContent, APhotoOfThePageHasNone) {
  EXPECT_THAT(find_other_content(scanned(form(1)), photographed(form(1)), kPose), IsEmpty());
}

TEST(OtherContent, AnotherFillOfTheFormHasIts) {
  const std::vector<Quad> places =
      find_other_content(scanned(form(1)), photographed(form(2)), kPose);
  ASSERT_THAT(places, SizeIs(Ge(5)));
  const Quad entries = moved({{{320, 0}, {500, 0}, {500, 900}, {320, 900}}}, kPose);
  for (const Quad& place : places) {
    const Point middle{(place[0].x + place[2].x) / 2, (place[0].y + place[2].y) / 2};
    EXPECT_TRUE(contains(entries, middle));
  }
}

// A receipt: a third of its lines are those of the shop, the others depend on the seed.
cv::Mat receipt(std::uint64_t seed) {
  cv::Mat picture(900, 640, CV_8UC3, cv::Scalar::all(250));
  Random random(seed);
  for (int line = 0; line < kLines; ++line) {
    const bool is_printed = line < 6 || line > 25;
    const std::uint64_t number = is_printed ? 7919 * line % 100'000 : random.bits() % 1'000'000;
    write("item " + std::to_string(number) + (is_printed ? " of the shop" : " sold"),
          {30, 40 + 28 * line}, picture);
    if (!is_printed) write(std::to_string(random.bits() % 10'000), {500, 40 + 28 * line}, picture);
  }
  return picture;
}

TEST(OtherContent, ReceiptsOfOneShopDiffer) {
  EXPECT_THAT(find_other_content(scanned(receipt(1)), photographed(receipt(1)), kPose), IsEmpty());
  EXPECT_THAT(find_other_content(scanned(receipt(1)), photographed(receipt(2)), kPose),
              SizeIs(Ge(5)));
}

TEST(OtherContent, ASmallPhotoDoesNotShowWhatIsWritten) {
  cv::Mat page;
  cv::resize(form(1), page, {}, 0.3, 0.3, cv::INTER_AREA);
  cv::Mat other;
  cv::resize(form(2), other, {}, 0.3, 0.3, cv::INTER_AREA);
  EXPECT_THAT(find_other_content(scanned(page), scanned(other), {}), IsEmpty());
}

TEST(OtherContent, WhatCoversThePageIsNoContent) {
  cv::Mat covered = form(1);
  cv::circle(covered, {640, 400}, 150, cv::Scalar(120, 150, 200), cv::FILLED);
  EXPECT_THAT(find_other_content(scanned(form(1)), photographed(covered), kPose), IsEmpty());
}

// The page on a rough ground, as a light wall is.
cv::Mat on_stone(const cv::Mat& page) {
  constexpr int kStonePx = 5;
  Random random(3);
  cv::Mat stones(page.rows / kStonePx, page.cols / kStonePx, CV_8UC3);
  for (int y = 0; y < stones.rows; ++y) {
    for (int x = 0; x < stones.cols; ++x) {
      stones.at<cv::Vec3b>(y, x) = cv::Vec3b::all(static_cast<std::uint8_t>(random.below(50)));
    }
  }
  cv::resize(stones, stones, page.size(), 0, 0, cv::INTER_NEAREST);
  return page - stones;
}

TEST(OtherContent, IsNotLookedForOnAWall) {
  EXPECT_THAT(
      find_other_content(scanned(on_stone(form(1))), photographed(on_stone(form(2))), kPose),
      IsEmpty());
}

TEST(OtherContent, UnrelatedPagesAreNotCompared) {
  cv::Mat other(900, 640, CV_8UC3, cv::Scalar::all(250));
  for (int line = 0; line < kLines; ++line) {
    write("another text " + std::to_string(line * 31), {60, 33 + 28 * line}, other);
  }
  EXPECT_THAT(find_other_content(scanned(form(1)), photographed(other), kPose), IsEmpty());
}

TEST(OtherContent, APageIsStrokesOnABrightGround) {
  const auto shown = [](const cv::Mat& picture) { return scanned(picture).brightness; };
  EXPECT_TRUE(is_page(shown(form(1)).view()));
  EXPECT_FALSE(is_page(shown(255 - form(1)).view()));
  cv::Mat drawing;
  cv::cvtColor(draw_picture(640, 480, 1), drawing, cv::COLOR_GRAY2BGR);
  EXPECT_FALSE(is_page(shown(drawing).view()));
}

}  // namespace
}  // namespace lookalike
