#include "stages/match/refine/compare_pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "base/pair_sums.h"
#include "base/quantile.h"
#include "stages/match/refine/colour.h"
#include "stages/match/refine/frame.h"
#include "stages/match/refine/light.h"
#include "stages/match/refine/parallax.h"

namespace lookalike {
namespace {

constexpr int kBlockPx = 8;  // cells consist of two by two blocks
static_assert(kCellPx == 2 * kBlockPx);
constexpr int kLeastSidePx = 2 * kCellPx;

// What may differ between two files of one picture. The squared difference, in grey levels, of a
// cell whose brightness has the variance v is explained up to kBlockNoise + kShareOfDetail v.
constexpr double kBlockNoise = 20;
constexpr double kShareOfDetail = 0.2;
// A picture that was enlarged or saved at a low quality has lost detail everywhere, so the share
// grows to kTimesMedian times that of the median cell, up to kMostShareOfDetail.
constexpr double kMostShareOfDetail = 0.5;
constexpr double kTimesMedian = 3;
constexpr double kDetailToLose = 25;  // variance of a cell that has detail to lose
// The same for the colour, Cb and Cr together, averaged over kColourPx.
constexpr double kColourNoise = 120;
constexpr double kColourShare = 0.3;
constexpr int kColourPx = ColourImage::kColourPx;
constexpr double kLeastColour = 25;      // variance below which a picture is grey to the eye
constexpr double kMostColourLost = 0.5;  // share of that variance

constexpr double kSurelyEqual = 2;  // largest difference under a pose that need not be better
constexpr double kRelit = 2;        // grey levels by which the light moves a value, on average

double mean_squared_difference(const PairSums<double>& sums) {
  return (sums.aa - 2 * sums.ab + sums.bb) / sums.count;
}

double larger_variance(const PairSums<double>& sums) {
  return std::max(sums.spread_a(), sums.spread_b()) / sums.count;
}

// Cells, every kBlockPx in both directions.
struct Cell {
  bool is_compared = false;
  double excess = 0;         // of the brightness, see PictureDifference
  double colour_excess = 0;  // of the colour
  bool differs() const { return std::max(excess, colour_excess) >= PictureDifference::kSeen; }
};

struct CellGrid {
  int columns = 0;
  int rows = 0;
  std::vector<Cell> cells;

  Cell& at(int column, int row) {
    return cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                 static_cast<std::size_t>(column)];
  }
};

cv::Rect place_of(int column, int row, int px) {
  return {column * px, row * px, 2 * px, 2 * px};
}

// Sets the excess of the brightness in each cell.
void compare_brightness(const cv::Mat& object, const cv::Mat& scene, const cv::Mat& mask,
                        CellGrid& grid) {
  std::vector<PairSums<double>> blocks(static_cast<std::size_t>(grid.columns + 1) *
                                       static_cast<std::size_t>(grid.rows + 1));
  cv::Mat defined;  // the mask's means of blocks, 255 only if all of it is set
  cv::resize(mask(cv::Rect(0, 0, (grid.columns + 1) * kBlockPx, (grid.rows + 1) * kBlockPx)),
             defined, {grid.columns + 1, grid.rows + 1}, 0, 0, cv::INTER_AREA);
  const auto block_at = [&](int column, int row) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(grid.columns + 1) +
           static_cast<std::size_t>(column);
  };
  for (int row = 0; row <= grid.rows; ++row) {
    for (int column = 0; column <= grid.columns; ++column) {
      const cv::Rect place(column * kBlockPx, row * kBlockPx, kBlockPx, kBlockPx);
      blocks[block_at(column, row)] = sums_over(object, scene, place, {});
    }
  }
  std::vector<std::pair<double, double>> measured(grid.cells.size());  // difference and variance
  std::vector<double> shares;
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      PairSums<double> sums;
      bool is_compared = true;
      for (const auto& [right, down] : {std::pair(0, 0), {1, 0}, {0, 1}, {1, 1}}) {
        sums.add(blocks[block_at(column + right, row + down)]);
        is_compared = is_compared && defined.at<std::uint8_t>(row + down, column + right) == 255;
      }
      Cell& cell = grid.at(column, row);
      cell.is_compared = is_compared;
      if (!is_compared) continue;
      auto& [difference, variance] = measured[static_cast<std::size_t>(&cell - grid.cells.data())];
      difference = mean_squared_difference(sums);
      variance = larger_variance(sums);
      if (variance >= kDetailToLose) shares.push_back(difference / variance);
    }
  }
  // The share of the detail in which the median cell differs.
  const double usual = shares.empty() ? 0 : quantile(std::move(shares), 0.5);
  const double share = std::clamp(kTimesMedian * usual, kShareOfDetail, kMostShareOfDetail);
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      Cell& cell = grid.at(column, row);
      if (!cell.is_compared) continue;
      const auto& [measured_difference, variance] =
          measured[static_cast<std::size_t>(&cell - grid.cells.data())];
      double difference = measured_difference;
      const double explained = kBlockNoise + share * variance;
      cell.excess = difference / explained;
      if (cell.excess < PictureDifference::kSeen) continue;
      const cv::Rect place = place_of(column, row, kBlockPx);
      for_each_shift(object, scene, place, [&difference](const PairSums<double>& shifted) {
        difference = std::min(difference, mean_squared_difference(shifted));
      });
      cell.excess = difference / explained;
    }
  }
}

// Gives the scene the saturation of the object, within the limits of kMostEnhanced.
void saturate_like(const std::array<cv::Mat, 2>& object, std::array<cv::Mat, 2>& scene) {
  constexpr int kSteps = 5;
  constexpr double kMostEnhanced = 1.6;
  constexpr double kNeutral = 128;
  double factor = 1;
  for (int step = 0; step < kSteps; ++step) {
    double products = 0;
    double squares = 1e-6;
    for (std::size_t i = 0; i < 2; ++i) {
      for (int y = 0; y < object[i].rows; ++y) {
        for (int x = 0; x < object[i].cols; ++x) {
          const double to = object[i].at<std::uint8_t>(y, x) - kNeutral;
          const double from = scene[i].at<std::uint8_t>(y, x) - kNeutral;
          const double off = (to - factor * from) * (to - factor * from) / kColourNoise;
          const double weight = 1 / ((1 + off) * (1 + off));
          products += weight * to * from;
          squares += weight * from * from;
        }
      }
    }
    factor = std::clamp(products / squares, 1 / kMostEnhanced, kMostEnhanced);
  }
  for (cv::Mat& plane : scene) plane.convertTo(plane, CV_8U, factor, (1 - factor) * kNeutral);
}

// Sets the excess of the colour in each compared cell. Returns whether one picture lacks colours.
bool compare_colour(const cv::Mat& object, const cv::Mat& scene, CellGrid& grid) {
  constexpr int kPx = kBlockPx / kColourPx;
  const auto one = chroma_of(object);
  auto two = chroma_of(scene);
  saturate_like(one, two);
  PairSums<double> all[2];
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      Cell& cell = grid.at(column, row);
      const cv::Rect place = place_of(column, row, kPx);
      if (!cell.is_compared || (place & cv::Rect({}, one[0].size())) != place) continue;
      double difference = 0;
      double variance = 0;
      for (std::size_t i = 0; i < 2; ++i) {
        const PairSums<double> sums = sums_over(one[i], two[i], place, {});
        difference += mean_squared_difference(sums);
        variance += larger_variance(sums);
        all[i].add(sums);
      }
      cell.colour_excess = difference / (kColourNoise + kColourShare * variance);
    }
  }
  if (all[0].count == 0) return false;
  const double variance = larger_variance(all[0]) + larger_variance(all[1]);
  const double lost = mean_squared_difference(all[0]) + mean_squared_difference(all[1]);
  return variance >= kLeastColour && lost >= kMostColourLost * variance;
}

// Marks a cell as different if half or more of it is transparent in one picture alone.
void add_hidden(const cv::Mat& hidden, CellGrid& grid) {
  constexpr double kHalf = 127;
  if (hidden.empty()) return;
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      if (cv::mean(hidden(place_of(column, row, kBlockPx)))[0] < kHalf) continue;
      Cell& cell = grid.at(column, row);
      cell.is_compared = true;
      cell.excess = std::max(cell.excess, PictureDifference::kSeen);
    }
  }
}

// Returns the places where neighbouring cells differ, px of the frame, the largest first.
std::vector<cv::Rect> places_of(CellGrid& grid) {
  cv::Mat differs(grid.rows, grid.columns, CV_8U, cv::Scalar(0));
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      differs.at<std::uint8_t>(row, column) = grid.at(column, row).differs() ? 1 : 0;
    }
  }
  cv::Mat labels;
  cv::Mat boxes;
  cv::Mat centres;
  const int count = cv::connectedComponentsWithStats(differs, labels, boxes, centres);
  std::vector<cv::Rect> places;
  for (int i = 1; i < count; ++i) {
    const auto value = [&](int what) { return kBlockPx * boxes.at<int>(i, what); };
    places.emplace_back(value(cv::CC_STAT_LEFT), value(cv::CC_STAT_TOP),
                        value(cv::CC_STAT_WIDTH) + kBlockPx, value(cv::CC_STAT_HEIGHT) + kBlockPx);
  }
  std::ranges::stable_sort(places, std::ranges::greater{}, &cv::Rect::area);
  if (places.size() > PictureDifference::kMostPlaces) {
    places.resize(PictureDifference::kMostPlaces);
  }
  return places;
}

// Compares the pictures of a frame.
//   map  from px of the frame to full-size px of the scene
std::optional<PictureDifference> compare_in(const Frame& frame, const Homography& map) {
  const cv::Size size = frame.mask.size();
  if (std::min(size.width, size.height) < kLeastSidePx) return std::nullopt;
  CellGrid grid;
  grid.columns = size.width / kBlockPx - 1;
  grid.rows = size.height / kBlockPx - 1;
  grid.cells.resize(static_cast<std::size_t>(grid.columns) * static_cast<std::size_t>(grid.rows));

  const cv::Mat& colours = frame.scene.colours;
  cv::Mat mask;
  cv::resize(frame.mask, mask, colours.size(), 0, 0, cv::INTER_NEAREST);
  const LightModel light = fit_light(frame.scene, frame.object, mask);
  constexpr double kSmooth = 1;
  cv::Mat one;
  cv::Mat two;
  cv::LUT(frame.scene.brightness, brightness_table(light), two);
  cv::GaussianBlur(frame.object.brightness, one, {}, kSmooth);
  cv::GaussianBlur(two, two, {}, kSmooth);
  compare_brightness(one, two, frame.mask, grid);
  cv::Mat lit;
  cv::LUT(colours, channel_table(light), lit);

  PictureDifference difference;
  difference.is_relit =
      cv::norm(colours, lit, cv::NORM_L1, mask) > kRelit * 3 * cv::countNonZero(mask);
  difference.lacks_colours = compare_colour(frame.object.colours, lit, grid);
  add_hidden(frame.hidden, grid);
  std::size_t compared = 0;
  std::size_t differing = 0;
  for (const Cell& cell : grid.cells) {
    compared += cell.is_compared ? 1 : 0;
    differing += cell.differs() ? 1 : 0;
    difference.largest = std::max(difference.largest, cell.excess);
    difference.largest_of_colour = std::max(difference.largest_of_colour, cell.colour_excess);
  }
  if (compared == 0) return std::nullopt;
  difference.share = static_cast<double>(differing) / static_cast<double>(compared);
  for (const cv::Rect& place : places_of(grid)) {
    difference.places.push_back(
        outline(map * translation(place.x, place.y), place.width, place.height));
  }
  return difference;
}

double largest_of(const PictureDifference& difference) {
  return std::max(difference.largest, difference.largest_of_colour);
}

// Compares two pictures under the best of several corrections of a map.
//   map      from px of the object to px of the scene, both as loaded
//   to_full  from px of the scene as loaded to full-size px
std::optional<PictureDifference> compare_sides(const Side& one, const Side& two,
                                               const Homography& map, const Homography& to_full) {
  const cv::Size loaded = one.brightness.size();
  const auto compare_under = [&](const Homography& pose) {
    const Frame frame = FrameMaker(one, two, pose).make();
    const cv::Size size = frame.mask.size();
    return compare_in(
        frame, to_full * pose * resizing(size.width, size.height, loaded.width, loaded.height));
  };
  if (is_resizing(map, loaded, two.brightness.size())) return compare_under(map);
  std::optional<PictureDifference> found;
  if (const auto exact = exact_map(one, two, map)) found = compare_under(*exact);
  if (found && largest_of(*found) < kSurelyEqual) return found;
  auto closer = compare_under(aligned(one, two, map));
  return !found || (closer && largest_of(*closer) < largest_of(*found)) ? closer : found;
}

}  // namespace

std::optional<PictureDifference> compare_pictures(const ColourImage& object,
                                                  const ColourImage& scene,
                                                  const Homography& object_to_scene) {
  const Side one = side_of(object);
  const Side two = side_of(scene);
  const Homography to_full = loaded_to_full(scene);
  const Homography map = to_full.inverse() * object_to_scene * loaded_to_full(object);
  auto difference = compare_sides(one, two, map, to_full);
  if (difference) difference->shots = look_for_shots(one, two, map);
  return difference;
}

}  // namespace lookalike
