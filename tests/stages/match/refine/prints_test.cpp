#include "stages/match/refine/prints.h"

#include <cmath>
#include <optional>
#include <vector>

#include <gtest/gtest.h>
#include <opencv2/imgproc.hpp>

#include "stages/decode/colours.h"
#include "stages/match/refine/cell_map.h"
#include "tests/stages/pictures.h"

namespace lookalike {
namespace {

constexpr int kCardWidth = 384;
constexpr int kCardHeight = 512;
constexpr double kManyInliers = 0.5;
const cv::Rect kWindow(64, 80, 256, 160);

// Draws a card of a game: the frame of all cards around a picture of its own.
cv::Mat card(unsigned seed) {
  cv::Mat drawn = draw_picture(kCardWidth, kCardHeight, 7);
  draw_picture(kWindow.width, kWindow.height, seed).copyTo(drawn(kWindow));
  return drawn;
}

ColourImage from_gray(const cv::Mat& gray) {
  cv::Mat picture;
  cv::cvtColor(gray, picture, cv::COLOR_GRAY2BGR);
  return colour_image(picture.size(), picture);
}

std::optional<PrintPair> compare(const cv::Mat& first, const cv::Mat& second,
                                 const Homography& pose = {}) {
  return compare_prints(from_gray(first), from_gray(second), pose, kManyInliers);
}

// True if the middle of a cell lies in the window of the cards, or near it.
bool is_in_window(const cv::Mat& cells, int row, int column) {
  const double x = (column + 1.0) / (cells.cols + 1) * kCardWidth;
  const double y = (row + 1.0) / (cells.rows + 1) * kCardHeight;
  const cv::Rect near(kWindow.x - 16, kWindow.y - 16, kWindow.width + 32, kWindow.height + 32);
  return near.contains({cvRound(x), cvRound(y)});
}

std::vector<PrintEdge> edges_of(const PrintCells& cells) {
  return {{1, 1, cells}};
}

TEST(ComparePrints, CardsOfOneGameDifferInTheirPictures) {
  const auto pair = compare(card(1), card(2));
  ASSERT_TRUE(pair.has_value());
  for (const PrintCells& cells : {pair->of_first, pair->of_second}) {
    const cv::Mat own = distinctive_cells(edges_of(cells));
    ASSERT_EQ(own.size(), print_grid(kCardWidth, kCardHeight));
    int inside = 0;
    int outside = 0;
    for (int row = 0; row < own.rows; ++row) {
      for (int column = 0; column < own.cols; ++column) {
        if (own.at<std::uint8_t>(row, column) == 0) continue;
        (is_in_window(own, row, column) ? inside : outside) += 1;
      }
    }
    EXPECT_GT(inside, 200);
    EXPECT_EQ(outside, 0);
  }
}

TEST(ComparePrints, AScanThatIsTurnedIsAligned) {
  // Dark cards, since light pages need not show each other whole.
  const auto dark_card = [](unsigned seed) -> cv::Mat { return 0.4 * card(seed); };
  const double turn = 0.01;
  const Homography turned{
      {std::cos(turn), -std::sin(turn), 0, std::sin(turn), std::cos(turn), 0, 0, 0, 1}};
  const Homography pose = translation(kCardWidth / 2, kCardHeight / 2) * turned *
                          translation(-kCardWidth / 2, -kCardHeight / 2);
  cv::Mat scan;
  cv::warpPerspective(dark_card(2), scan, cv::Mat(3, 3, CV_64F, const_cast<double*>(pose.h.data())),
                      {kCardWidth, kCardHeight}, cv::INTER_LINEAR, cv::BORDER_REPLICATE);
  const Homography off = translation(3, -2) * pose;  // as the features' pose may be
  EXPECT_TRUE(compare(dark_card(1), scan, off).has_value());
  constexpr int kMargin = 40;
  cv::Mat wide;
  cv::copyMakeBorder(scan, wide, kMargin, kMargin, kMargin, kMargin, cv::BORDER_CONSTANT, 80);
  EXPECT_FALSE(compare(dark_card(1), wide, translation(kMargin, kMargin) * off).has_value())
      << "the scan shows more than the card";
}

TEST(MaySharePrint, APoseThatBendsAnImageShowsNoPrint) {
  const cv::Size card(kCardWidth, kCardHeight);
  EXPECT_TRUE(may_share_print(card, card, {}, false));
  const Homography upside_down{{-1, 0, kCardWidth - 1.0, 0, -1, kCardHeight - 1.0, 0, 0, 1}};
  EXPECT_TRUE(may_share_print(card, card, upside_down, false));
  const cv::Size twice(2 * kCardWidth, 2 * kCardHeight);
  EXPECT_TRUE(may_share_print(card, twice, {{2, 0, 0.5, 0, 2, 0.5, 0, 0, 1}}, false));
  const Homography from_aside{{1, 0, 0, 0, 1, 0, 1e-3, 0, 1}};
  EXPECT_FALSE(may_share_print(card, card, from_aside, true));
}

TEST(MaySharePrint, OnlyLightImagesNeedNotShowEachOtherWhole) {
  const cv::Size card(kCardWidth, kCardHeight);
  const cv::Size half(kCardWidth, kCardHeight / 2);
  EXPECT_FALSE(may_share_print(card, half, {}, false));
  EXPECT_FALSE(may_share_print(half, card, {}, false));
  EXPECT_TRUE(may_share_print(card, half, {}, true));
}

TEST(ComparePrints, TheSamePictureIsNoOtherContent) {
  cv::Mat brighter;
  card(1).convertTo(brighter, CV_8U, 0.8, 30);
  EXPECT_FALSE(compare(card(1), brighter).has_value());
}

TEST(ComparePrints, OtherPicturesAreNotOfOnePrint) {
  EXPECT_FALSE(compare(card(1), draw_picture(kCardWidth, kCardHeight, 9)).has_value());
}

TEST(ComparePrints, AThingThatMovesInPartsIsNoPrint) {
  // The rows of the second view move by other amounts, as near and far ones do.
  const cv::Mat first = draw_picture(kCardWidth, kCardHeight, 7);
  cv::Mat second = first.clone();
  for (int y = 0; y < kCardHeight; ++y) {
    const int move = y < 128 ? 0 : cvRound(6 * std::sin(y / 40.0));
    for (int x = 0; x < kCardWidth; ++x) {
      second.at<std::uint8_t>(y, x) =
          first.at<std::uint8_t>(y, std::clamp(x + move, 0, kCardWidth - 1));
    }
  }
  draw_picture(100, 100, 3).copyTo(second(cv::Rect(200, 300, 100, 100)));  // occluded
  EXPECT_FALSE(compare(first, second).has_value());
}

// A photo of a card: smaller, turned, slightly bent and darker.
struct PhotoOfCard {
  explicit PhotoOfCard(const cv::Mat& shown) {
    const double turn = 0.1;
    pose = {{0.9 * std::cos(turn), -0.9 * std::sin(turn), 90, 0.9 * std::sin(turn),
             0.9 * std::cos(turn), 40, 0, 0, 1}};
    cv::Mat seen(560, 520, CV_8U, cv::Scalar(120));
    cv::warpPerspective(shown, seen, cv::Mat(3, 3, CV_64F, pose.h.data()), seen.size(),
                        cv::INTER_LINEAR, cv::BORDER_TRANSPARENT);
    seen.convertTo(seen, CV_8U, 0.7, 10);
    photo = from_gray(seen);
  }
  Homography pose;
  ColourImage photo;
};

TEST(DistinctiveCells, AreThoseThatMostOthersContradict) {
  PrintCells contradicts{4, 2, std::vector<bool>(8, true), std::vector<bool>(8)};
  PrintCells agrees{4, 2, std::vector<bool>(8), std::vector<bool>(8, true)};
  EXPECT_EQ(cv::countNonZero(distinctive_cells({{1, 1, contradicts}})), 8);
  EXPECT_TRUE(distinctive_cells({{1, 1, contradicts}, {2, 1, agrees}}).empty());
  EXPECT_EQ(cv::countNonZero(distinctive_cells({{1, 1, contradicts}, {2, 1, contradicts}})), 8);
  std::fill(contradicts.contradicting.begin(), contradicts.contradicting.begin() + 3, false);
  EXPECT_TRUE(distinctive_cells({{1, 1, contradicts}}).empty()) << "fewer than six";
  EXPECT_TRUE(distinctive_cells({}).empty());
}

// Returns how a photo agrees with card 1, which is of one print with card 2.
PrintAgreement agreement_with(const cv::Mat& image, const PhotoOfCard& seen, const Homography& at) {
  const auto pair = compare(card(1), card(2));
  if (!pair) return {};
  const std::vector<PrintEdge> edges = edges_of(pair->of_first);
  return print_agreement(edges, distinctive_cells(edges), from_gray(image), seen.photo, at);
}

TEST(PrintAgreement, IsHighForTheCardThatIsShownAlone) {
  const PhotoOfCard same(card(1));
  const PhotoOfCard other(card(3));  // not indexed
  const PrintAgreement of_same = agreement_with(card(1), same, same.pose);
  const PrintAgreement of_other = agreement_with(card(1), other, other.pose);
  EXPECT_GT(of_same.own.value(), 0.8);
  EXPECT_GT(of_same.shared.value(), 0.8);
  EXPECT_LT(of_other.own.value(), 0.3);
  EXPECT_GT(of_other.shared.value(), 0.8) << "the frame is there";
  const Homography away = translation(0, 3000) * same.pose;
  EXPECT_FALSE(agreement_with(card(1), same, away).own.has_value());
}

TEST(PrintAgreement, TakesTheCellsOfACopyOfAnotherSize) {
  cv::Mat small;
  cv::resize(card(1), small, {kCardWidth / 2, kCardHeight / 2 - 6}, 0, 0, cv::INTER_AREA);
  const PhotoOfCard same(small);
  EXPECT_GT(agreement_with(small, same, same.pose).own.value(), 0.8);
}

TEST(IsLight, IsMostlyGroundWithoutColour) {
  const auto page = [](const cv::Scalar& ground) {
    cv::Mat drawn(200, 160, CV_8UC3, ground);
    cv::rectangle(drawn, {20, 20, 60, 100}, cv::Scalar::all(20), cv::FILLED);
    return colour_image(drawn.size(), drawn);
  };
  EXPECT_TRUE(is_light(page(cv::Scalar::all(235))));
  EXPECT_TRUE(is_light(page(cv::Scalar(190, 205, 210)))) << "old paper";
  EXPECT_FALSE(is_light(page(cv::Scalar(90, 200, 240)))) << "a yellow cover";
  EXPECT_FALSE(is_light(page(cv::Scalar::all(60))));
}

TEST(MayBeLight, IsTrueOfLightGroundOfAnyColourAndSize) {
  cv::Mat page(200, 160, CV_8U, cv::Scalar(200));
  cv::rectangle(page, {20, 20, 60, 100}, cv::Scalar(20), cv::FILLED);
  cv::Mat small;
  cv::resize(page, small, {40, 50}, 0, 0, cv::INTER_AREA);
  const auto view = [](const cv::Mat& grey) { return ImageView{grey.data, grey.cols, grey.rows}; };
  EXPECT_TRUE(may_be_light(view(page)));
  EXPECT_TRUE(may_be_light(view(small)));
  cv::Mat shades(256, 160, CV_8U);
  for (int y = 0; y < shades.rows; ++y) shades.row(y) = y;
  EXPECT_FALSE(may_be_light(view(shades)));
  EXPECT_FALSE(may_be_light(view(cv::Mat(200, 160, CV_8U, cv::Scalar(60)))));
}

TEST(AgreeSmoothly, FollowsWhatIsBent) {
  const cv::Mat flat = draw_picture(320, 240, 4);
  cv::Mat bent(flat.size(), CV_8U);
  for (int y = 0; y < flat.rows; ++y) {
    const int move = cvRound(5 * std::sin(y / 60.0));
    for (int x = 0; x < flat.cols; ++x) {
      bent.at<std::uint8_t>(y, x) = flat.at<std::uint8_t>(y, std::clamp(x + move, 0, 319));
    }
  }
  const double in_place = cv::mean(correlate_cells(flat, bent, 0).front())[0];
  const SmoothAgreement found = agree_smoothly(flat, bent);
  EXPECT_GT(cv::mean(found.correlation)[0], in_place + 0.2);
  EXPECT_GT(cv::mean(found.displaced_px)[0], 2);
  EXPECT_LT(cv::mean(agree_smoothly(flat, draw_picture(320, 240, 5)).correlation)[0], 0.4);
}

}  // namespace
}  // namespace lookalike
