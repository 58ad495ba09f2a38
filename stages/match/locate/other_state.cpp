#include "stages/match/locate/other_state.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "base/artefacts.h"
#include "base/pair_sums.h"
#include "base/quantile.h"
#include "stages/match/refine/frame.h"

namespace lookalike {
namespace {

constexpr int kStateCellPx = 8;
constexpr int kStepPx = 4;  // between cells

// The squared difference, in grey levels, that is explained in a cell of the variance v is kNoise +
// kShareOfDetail v, as in compare_pictures(). For rows of a list that differ in a digit, and for a
// box that is ticked or not, the largest difference is 8 to 17 times that.
constexpr double kNoise = 20;
constexpr double kShareOfDetail = 0.2;
constexpr double kOther = 2.5;
constexpr double kDetail = 25;  // variance of a cell that has detail
// Share of its variance in which the median cell with detail differs between pictures of one
// screen: those above had 0.001 to 0.01.
constexpr double kMostUsual = 0.05;
constexpr double kMostDiffering = 0.35;  // share of the cells

cv::Mat matrix_of(const ImageView& picture) {
  cv::Mat copy(picture.height, picture.width, CV_8U);
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) copy.at<std::uint8_t>(y, x) = picture.at(x, y);
  }
  return copy;
}

// Gives the scene the light of the object, by the straight line that fits their pixels best.
void light_like(const cv::Mat& object, const cv::Mat& mask, cv::Mat& scene) {
  PairSums<double> sums;
  for (int y = 0; y < mask.rows; ++y) {
    for (int x = 0; x < mask.cols; ++x) {
      if (mask.at<std::uint8_t>(y, x) == 0) continue;
      sums.add(scene.at<std::uint8_t>(y, x), object.at<std::uint8_t>(y, x));
    }
  }
  if (!(sums.count > 0) || !(sums.spread_a() > 0)) return;
  const double gain = (sums.ab - sums.a * sums.b / sums.count) / sums.spread_a();
  scene.convertTo(scene, CV_8U, gain, (sums.b - gain * sums.a) / sums.count);
}

struct Cell {
  cv::Rect place;
  double difference = 0;  // mean square, the least of small shifts
  double variance = 0;    // the larger one
  double excess() const { return difference / (kNoise + kShareOfDetail * variance); }
};

Cell compare_cell(const cv::Mat& object, const cv::Mat& scene, cv::Rect place) {
  const auto difference_of = [](const PairSums<double>& sums) {
    return (sums.aa - 2 * sums.ab + sums.bb) / sums.count;
  };
  const PairSums<double> sums = sums_over(object, scene, place, {});
  Cell cell{place, difference_of(sums), std::max(sums.spread_a(), sums.spread_b()) / sums.count};
  if (cell.excess() < kOther) return cell;
  for_each_shift(object, scene, place, [&](const PairSums<double>& shifted) {
    cell.difference = std::min(cell.difference, difference_of(shifted));
  });
  return cell;
}

std::vector<Cell> compare_cells(const cv::Mat& object, const cv::Mat& scene, const cv::Mat& mask) {
  std::vector<Cell> cells;
  for (int y = 0; y + kStateCellPx <= object.rows; y += kStepPx) {
    for (int x = 0; x + kStateCellPx <= object.cols; x += kStepPx) {
      const cv::Rect place(x, y, kStateCellPx, kStateCellPx);
      if (cv::countNonZero(mask(place)) < place.area()) continue;
      cells.push_back(compare_cell(object, scene, place));
    }
  }
  return cells;
}

}  // namespace

bool is_drawn(const ImageView& picture) {
  constexpr int kBlockPx = 4;
  constexpr double kLeastFlat = 0.15;  // share of the blocks
  std::size_t blocks = 0;
  std::size_t flat = 0;
  for (int y = 0; y + kBlockPx <= picture.height; y += kBlockPx) {
    for (int x = 0; x + kBlockPx <= picture.width; x += kBlockPx, ++blocks) {
      const int first = picture.at(x, y);
      bool is_flat = true;
      for (int i = 1; i < kBlockPx * kBlockPx && is_flat; ++i) {
        is_flat = std::abs(picture.at(x + i % kBlockPx, y + i / kBlockPx) - first) <= 1;
      }
      flat += is_flat ? 1 : 0;
    }
  }
  return blocks > 0 && static_cast<double>(flat) >= kLeastFlat * static_cast<double>(blocks);
}

std::optional<Point> find_other_state(const ImageView& object, const ImageView& mask,
                                      const ImageView& scene, const Homography& object_to_scene) {
  constexpr double kSmooth = 1;
  Side one;
  Side two;
  one.brightness = matrix_of(object);
  two.brightness = matrix_of(scene);
  if (!mask.empty()) one.opaque = matrix_of(mask) >= kLeastOpaque;
  Frame frame = FrameMaker(one, two, object_to_scene).make_brightness();
  light_like(frame.object.brightness, frame.mask, frame.scene.brightness);
  cv::GaussianBlur(frame.object.brightness, frame.object.brightness, {}, kSmooth);
  cv::GaussianBlur(frame.scene.brightness, frame.scene.brightness, {}, kSmooth);
  const std::vector<Cell> cells =
      compare_cells(frame.object.brightness, frame.scene.brightness, frame.mask);
  std::vector<double> usual;
  for (const Cell& cell : cells) {
    if (cell.variance >= kDetail) usual.push_back(cell.difference / cell.variance);
  }
  if (usual.empty() || quantile(std::move(usual), 0.5) > kMostUsual) return std::nullopt;
  const auto differing =
      std::ranges::count_if(cells, [](const Cell& cell) { return cell.excess() >= kOther; });
  if (differing == 0 ||
      static_cast<double>(differing) > kMostDiffering * static_cast<double>(cells.size())) {
    return std::nullopt;
  }
  const Cell& most = *std::ranges::max_element(cells, {}, &Cell::excess);
  const Homography to_object =
      resizing(frame.mask.cols, frame.mask.rows, object.width, object.height);
  constexpr double kHalf = (kStateCellPx - 1) / 2.0;
  return object_to_scene.apply(to_object.apply({most.place.x + kHalf, most.place.y + kHalf}));
}

}  // namespace lookalike
