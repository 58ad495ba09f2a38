#include "stages/match/refine/rivals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "base/pair_sums.h"
#include "stages/match/refine/colour.h"
#include "stages/match/refine/frame.h"

namespace lookalike {
namespace {

constexpr double kRivalSidePx = 320;  // longest side of the frame
constexpr int kRivalCellPx = 16;
constexpr double kRivalTexture = 60;  // variance from which a cell has texture, squared grey levels
constexpr double kRivalAgrees = 0.7;  // correlation of a cell
constexpr double kDiffers = 0.5;      // correlation below which a cell differs
constexpr double kOtherColour = 18;   // least distance of the mean chroma
// Least preference of a cell for one image: of the correlation, and of the distance of the chroma.
constexpr double kClearDetail = 0.3;
constexpr double kClearColour = 0.25;

constexpr double kOnePrint = 0.5;  // least agreement
constexpr double kWins = 0.03;
// The second image ranks lower by all other evidence, so it needs more of this.
constexpr double kSecondWins = 0.1;
constexpr int kFewestOwnCells = 4;  // fewer may be reflections

// The first image, the second and the scene in the frame of the first.
enum View : std::size_t { kFirst, kSecond, kScene };
struct Views {
  std::array<cv::Mat, 3> brightness;             // CV_8U
  std::array<std::array<cv::Mat, 2>, 3> chroma;  // CV_8U, in the light of the first
  cv::Mat mask;                                  // CV_8U, 0 where one is not seen
};

void fit(cv::Mat& plane, cv::Size size, int method) {
  if (plane.size() != size) cv::resize(plane, plane, size, 0, 0, method);
}

//   to_second, to_photo  from px of the first, all as loaded
Views views_of(const Side& first, const Side& second, const Side& photo,
               const Homography& to_second, const Homography& to_photo) {
  const FrameMaker with_photo(first, photo, to_photo);
  const FrameMaker with_second(first, second, to_second);
  Frame seen = with_photo.make_brightness(kRivalSidePx);
  const cv::Size size = seen.mask.size();
  Frame other = with_second.make_brightness(std::max(size.width, size.height));
  fit(other.scene.brightness, size, cv::INTER_LINEAR);
  fit(other.mask, size, cv::INTER_NEAREST);

  Views views{{seen.object.brightness, other.scene.brightness, seen.scene.brightness}, {}, {}};
  cv::bitwise_and(seen.mask, other.mask, views.mask);
  for (cv::Mat& plane : views.brightness) {
    cv::Mat smooth;  // the plane may be the caller's
    cv::GaussianBlur(plane, smooth, {}, 1);
    plane = smooth;
  }

  const cv::Size quarter(std::max(1, size.width / ColourImage::kColourPx),
                         std::max(1, size.height / ColourImage::kColourPx));
  Frame seen_colours = with_photo.make_colours();
  Frame other_colours = with_second.make_colours();
  cv::Mat mask;
  cv::resize(views.mask, mask, quarter, 0, 0, cv::INTER_NEAREST);
  for (cv::Mat* colours :
       {&seen_colours.object.colours, &seen_colours.scene.colours, &other_colours.scene.colours}) {
    fit(*colours, quarter, cv::INTER_AREA);
  }
  const cv::Mat& own = seen_colours.object.colours;
  views.chroma = {chroma_of(own), chroma_of(balanced(other_colours.scene.colours, own, mask)),
                  chroma_of(balanced(seen_colours.scene.colours, own, mask))};
  return views;
}

// Returns the cells that all three show.
std::vector<cv::Rect> cells_of(const Views& views) {
  std::vector<cv::Rect> cells;
  for (int y = 0; y + kRivalCellPx <= views.mask.rows; y += kRivalCellPx) {
    for (int x = 0; x + kRivalCellPx <= views.mask.cols; x += kRivalCellPx) {
      const cv::Rect cell(x, y, kRivalCellPx, kRivalCellPx);
      if (cv::countNonZero(views.mask(cell)) == cell.area()) cells.push_back(cell);
    }
  }
  return cells;
}

// Returns the best correlation of a place of one picture with the places near it of another.
double best_correlation(const cv::Mat& one, const cv::Mat& other, cv::Rect place) {
  double best = correlation_of(sums_over(one, other, place));
  if (best >= kRivalAgrees) return best;
  for_each_shift(one, other, place, [&best](const PairSums<double>& sums) {
    best = std::max(best, correlation_of(sums));
  });
  return best;
}

double variance_in(const cv::Mat& picture, cv::Rect place) {
  const PairSums<double> sums = sums_over(picture, picture, place);
  return sums.spread_a() / sums.count;
}

// Returns the distance of the mean chroma of two views in a cell.
double colour_distance(const Views& views, std::size_t one, std::size_t other, cv::Rect place) {
  constexpr int kPx = ColourImage::kColourPx;
  const cv::Rect small(place.x / kPx, place.y / kPx, place.width / kPx, place.height / kPx);
  const auto difference = [&](std::size_t part) {
    return cv::mean(views.chroma[one][part](small))[0] -
           cv::mean(views.chroma[other][part](small))[0];
  };
  return std::hypot(difference(0), difference(1));
}

// Returns 1 for a clear preference of the first, -1 of the second.
int preference(double of_first, double of_second, double clear) {
  if (std::abs(of_first - of_second) <= clear) return 0;
  return of_first > of_second ? 1 : -1;
}

// True if the colours of the images may differ in enough cells for one of them to win.
//   to_second  from px of the first, both as loaded
bool may_win(const Side& first, const Side& second, const Homography& to_second) {
  Frame frame = FrameMaker(first, second, to_second).make_colours();
  cv::Mat& own = frame.object.colours;
  fit(frame.mask, own.size(), cv::INTER_NEAREST);
  const auto one = chroma_of(own);
  const auto two = chroma_of(balanced(frame.scene.colours, own, frame.mask));
  int seen = 0;
  int differing = 0;
  for (int y = 0; y < own.rows; ++y) {
    for (int x = 0; x < own.cols; ++x) {
      if (frame.mask.at<std::uint8_t>(y, x) == 0) continue;
      ++seen;
      const auto apart = [&](std::size_t part) {
        return double{1} * one[part].at<std::uint8_t>(y, x) - two[part].at<std::uint8_t>(y, x);
      };
      differing += std::hypot(apart(0), apart(1)) >= kOtherColour ? 1 : 0;
    }
  }
  return differing > kWins * seen;
}

RivalComparison compare(const Views& views) {
  const auto& brightness = views.brightness;
  const std::vector<cv::Rect> cells = cells_of(views);
  int textured = 0;
  int agreeing = 0;
  int by_colour = 0;
  int by_detail = 0;
  RivalComparison found;
  for (const cv::Rect& cell : cells) {
    const double apart = colour_distance(views, kFirst, kSecond, cell);
    if (apart >= kOtherColour) {
      by_colour += preference(colour_distance(views, kSecond, kScene, cell),
                              colour_distance(views, kFirst, kScene, cell), kClearColour * apart);
    }
    const double variances[] = {variance_in(brightness[kFirst], cell),
                                variance_in(brightness[kSecond], cell)};
    if (std::max(variances[0], variances[1]) < kRivalTexture) continue;
    ++textured;
    const double correlation = best_correlation(brightness[kFirst], brightness[kSecond], cell);
    agreeing += correlation >= kRivalAgrees ? 1 : 0;
    if (correlation >= kDiffers) continue;
    const double shown[] = {best_correlation(brightness[kScene], brightness[kFirst], cell),
                            best_correlation(brightness[kScene], brightness[kSecond], cell)};
    if (variances[0] >= kRivalTexture) found.of_first += {1, shown[0], shown[1]};
    if (variances[1] >= kRivalTexture) found.of_second += {1, shown[1], shown[0]};
    if (std::min(variances[0], variances[1]) < kRivalTexture) continue;
    by_detail += preference(shown[0], shown[1], kClearDetail);
  }
  const auto share = [](int part, std::size_t whole) {
    return whole > 0 ? part / static_cast<double>(whole) : 0.0;
  };
  found.agreement = share(agreeing, static_cast<std::size_t>(textured));
  found.by_colour = share(by_colour, cells.size());
  found.by_detail = share(by_detail, cells.size());
  return found;
}

}  // namespace

bool OwnDetail::is_missing() const {
  return cells >= kFewestOwnCells && shown < kDiffers * cells &&
         shown - rival_shown < kResemblesMore * cells;
}

bool OwnDetail::is_replaced() const {
  return cells >= kFewestOwnCells && rival_shown - shown > kClearDetail * cells;
}

OwnDetail& OwnDetail::operator+=(const OwnDetail& other) {
  cells += other.cells;
  shown += other.shown;
  rival_shown += other.rival_shown;
  return *this;
}

bool RivalComparison::is_one_print() const {
  return agreement >= kOnePrint;
}

bool RivalComparison::first_wins() const {
  return is_one_print() && by_colour >= kWins && by_detail >= 0;
}

bool RivalComparison::second_wins() const {
  return is_one_print() && by_colour <= -kSecondWins && by_detail < 0;
}

RivalComparison compare_rivals(const ColourImage& scene, const Claim& first, const Claim& second) {
  const Side one = side_of(first.image);
  const Side two = side_of(second.image);
  const Side photo = side_of(scene);
  const Homography to_scene = first.to_scene * loaded_to_full(first.image);
  const Homography to_photo = loaded_to_full(scene).inverse() * to_scene;
  const Homography near_second =
      loaded_to_full(second.image).inverse() * second.to_scene.inverse() * to_scene;
  if (!may_win(one, two, near_second)) return {};
  const Views views = views_of(one, two, photo, aligned(one, two, near_second), to_photo);
  return compare(views);
}

}  // namespace lookalike
