#include "stages/match/refine/other_content.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "base/pair_sums.h"
#include "base/quantile.h"
#include "stages/match/refine/frame.h"

namespace lookalike {
namespace {

constexpr int kCellPx = 16;
constexpr int kStepPx = 8;  // between cells

constexpr double kFlat = 30;     // variance up to which a cell is empty, squared grey levels
constexpr double kStrokes = 60;  // variance from which it has strokes
constexpr double kAgrees = 0.8;  // correlation of a cell
constexpr double kContradicts = 0.6;

struct Cell {
  bool is_seen = false;
  double correlation = 0;  // the best of small shifts
  double of_object = 0;    // variances
  double of_scene = 0;

  bool has_strokes() const { return std::max(of_object, of_scene) > kStrokes; }
  bool agrees() const { return is_seen && has_strokes() && correlation > kAgrees; }
};

// Cells of a frame, row by row.
struct Cells {
  int columns = 0;
  int rows = 0;
  std::vector<Cell> all;

  const Cell& at(int column, int row) const {
    return all[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
               static_cast<std::size_t>(column)];
  }
};

Cell compare_cell(const cv::Mat& object, const cv::Mat& scene, cv::Rect place) {
  const PairSums<double> sums = sums_over(object, scene, place, {});
  Cell cell{true, correlation_of(sums), sums.spread_a() / sums.count, sums.spread_b() / sums.count};
  if (!cell.has_strokes() || cell.correlation > kAgrees) return cell;
  for_each_shift(object, scene, place, [&cell](const PairSums<double>& shifted) {
    cell.correlation = std::max(cell.correlation, correlation_of(shifted));
  });
  return cell;
}

Cells compare_frame(const Frame& frame) {
  constexpr double kSmooth = 1;
  cv::Mat object;
  cv::Mat scene;
  cv::GaussianBlur(frame.object.brightness, object, {}, kSmooth);
  cv::GaussianBlur(frame.scene.brightness, scene, {}, kSmooth);
  Cells cells{(object.cols - kCellPx) / kStepPx + 1, (object.rows - kCellPx) / kStepPx + 1, {}};
  for (int row = 0; row < cells.rows; ++row) {
    for (int column = 0; column < cells.columns; ++column) {
      const cv::Rect place(column * kStepPx, row * kStepPx, kCellPx, kCellPx);
      const bool is_seen = cv::countNonZero(frame.mask(place)) == place.area();
      cells.all.push_back(is_seen ? compare_cell(object, scene, place) : Cell{});
    }
  }
  return cells;
}

// Returns the cells in which both show strokes, as strong as those that agree, but other ones;
// CV_8U. Returns nothing if the pictures do not agree as a whole.
cv::Mat contradictions(const Cells& cells) {
  constexpr std::size_t kLeastCells = 20;
  constexpr double kUsualCorrelation = 0.9;
  constexpr double kAsStrong = 0.3;  // share of the variance
  std::vector<double> correlations;
  std::vector<double> contrasts;  // of the object, where both agree
  std::vector<double> ratios;     // of the object's contrast to the scene's, there
  for (const Cell& cell : cells.all) {
    if (!cell.is_seen || !cell.has_strokes()) continue;
    correlations.push_back(cell.correlation);
    if (!cell.agrees()) continue;
    contrasts.push_back(cell.of_object);
    ratios.push_back(cell.of_object / std::max(1.0, cell.of_scene));
  }
  if (contrasts.size() < kLeastCells || quantile(correlations, 0.5) < kUsualCorrelation) return {};
  const double least = kAsStrong * quantile(contrasts, 0.5);
  const double ratio = quantile(ratios, 0.5);
  cv::Mat found(cells.rows, cells.columns, CV_8U, cv::Scalar(0));
  for (int row = 0; row < cells.rows; ++row) {
    for (int column = 0; column < cells.columns; ++column) {
      const Cell& cell = cells.at(column, row);
      const bool contradicts = cell.is_seen && cell.has_strokes() &&
                               cell.correlation < kContradicts &&
                               std::min(cell.of_object, ratio * cell.of_scene) > least;
      found.at<std::uint8_t>(row, column) = contradicts ? 1 : 0;
    }
  }
  return found;
}

// True if most strokes around a place agree.
bool is_surrounded(const Cells& cells, const cv::Mat& labels, int label, cv::Rect box) {
  constexpr int kAroundCells = 2;
  const cv::Rect around = cv::Rect(box.x - kAroundCells, box.y - kAroundCells,
                                   box.width + 2 * kAroundCells, box.height + 2 * kAroundCells) &
                          cv::Rect(0, 0, cells.columns, cells.rows);
  int agreeing = 0;
  int others = 0;
  for (int row = around.y; row < around.br().y; ++row) {
    for (int column = around.x; column < around.br().x; ++column) {
      const Cell& cell = cells.at(column, row);
      if (labels.at<int>(row, column) == label || !cell.is_seen || !cell.has_strokes()) continue;
      (cell.agrees() ? agreeing : others) += 1;
    }
  }
  return agreeing > 0 && agreeing >= others;
}

// Returns places of contradicting cells, in cells: none that touches the rim or is large, as what
// covers the page does.
std::vector<cv::Rect> places_of(const Cells& cells, const cv::Mat& contradicting) {
  constexpr double kMostShare = 0.05;  // of the cells
  cv::Mat labels;
  cv::Mat boxes;
  cv::Mat centres;
  const int count = cv::connectedComponentsWithStats(contradicting, labels, boxes, centres);
  std::vector<cv::Rect> places;
  for (int label = 1; label < count; ++label) {
    const auto value = [&](int what) { return boxes.at<int>(label, what); };
    const cv::Rect box(value(cv::CC_STAT_LEFT), value(cv::CC_STAT_TOP), value(cv::CC_STAT_WIDTH),
                       value(cv::CC_STAT_HEIGHT));
    const bool is_inside =
        box.x > 0 && box.y > 0 && box.br().x < cells.columns && box.br().y < cells.rows;
    const double share = value(cv::CC_STAT_AREA) / (double{1} * cells.rows * cells.columns);
    if (is_inside && share <= kMostShare && is_surrounded(cells, labels, label, box)) {
      places.push_back(box);
    }
  }
  return places;
}

}  // namespace

bool is_page(const ImageView& picture) {
  constexpr double kLeastEmpty = 0.3;   // share of the cells
  constexpr double kBright = 190;       // least grey level of the ground, the usual empty cell
  constexpr double kStrokeDepth = 40;   // grey levels below the ground
  constexpr double kLeastGround = 0.8;  // share of the pixels; a product lies on less
  std::vector<double> empty;
  std::size_t count = 0;
  for (int y = 0; y + kStepPx <= picture.height; y += kStepPx) {
    for (int x = 0; x + kStepPx <= picture.width; x += kStepPx, ++count) {
      PairSums<double> sums;
      for (int row = y; row < y + kStepPx; ++row) {
        for (int column = x; column < x + kStepPx; ++column) sums.add(picture.at(column, row), 0);
      }
      if (sums.spread_a() / sums.count < kFlat) empty.push_back(sums.a / sums.count);
    }
  }
  const auto share = [](std::size_t part, std::size_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  if (count == 0 || empty.empty() || share(empty.size(), count) < kLeastEmpty) return false;
  const double ground = quantile(std::move(empty), 0.5);
  std::size_t on_ground = 0;
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      on_ground += picture.at(x, y) > ground - kStrokeDepth ? 1 : 0;
    }
  }
  const auto pixels =
      static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height);
  return ground >= kBright && share(on_ground, pixels) >= kLeastGround;
}

std::vector<Quad> find_other_content(const ColourImage& object, const ColourImage& scene,
                                     const Homography& object_to_scene) {
  const Side one = side_of(object);
  const Side two = side_of(scene);
  const Homography map =
      aligned(one, two, loaded_to_full(scene).inverse() * object_to_scene * loaded_to_full(object));
  const Frame frame = FrameMaker(one, two, map).make_brightness();
  const cv::Size size = frame.mask.size();
  if (std::min(size.width, size.height) < 2 * kCellPx) return {};
  const Cells cells = compare_frame(frame);
  const cv::Mat contradicting = contradictions(cells);
  if (contradicting.empty()) return {};
  const cv::Size loaded = one.brightness.size();
  const Homography to_scene =
      loaded_to_full(scene) * map * resizing(size.width, size.height, loaded.width, loaded.height);
  std::vector<Quad> places;
  for (const cv::Rect& box : places_of(cells, contradicting)) {
    places.push_back(outline(to_scene * translation(box.x * kStepPx, box.y * kStepPx),
                             (box.width - 1) * kStepPx + kCellPx,
                             (box.height - 1) * kStepPx + kCellPx));
  }
  return places;
}

}  // namespace lookalike
