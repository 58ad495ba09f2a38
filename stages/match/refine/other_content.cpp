#include "stages/match/refine/other_content.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "base/pair_sums.h"
#include "base/quantile.h"
#include "stages/match/refine/cell_map.h"
#include "stages/match/refine/frame.h"

namespace lookalike {
namespace {

constexpr double kFlat = 30;          // variance up to which a cell is empty, squared grey levels
constexpr double kStrokes = 60;       // variance from which it has strokes
constexpr double kSameStrokes = 0.8;  // correlation of a cell
constexpr double kOtherStrokes = 0.5;

// The cells that both pictures show and in which at least one has strokes, as CV_8U maps.
struct Strokes {
  cv::Mat agreeing;
  cv::Mat contradicting;  // both have strokes, as strong as those that agree, but different ones
  cv::Mat missing;        // only one picture has such strong strokes
  cv::Mat bare;           // of these, the scene has none, as where something covers the page
  double usual = 0;       // median of all correlations
  double best = 0;        // 95 % quantile of all correlations
};

double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

// Compares the strokes of two pictures along a smooth displacement. Returns nothing if too few
// agree.
std::optional<Strokes> compare_strokes(const Frame& frame) {
  constexpr std::size_t kFewestAgreeing = 20;
  constexpr double kAsStrong = 0.3;  // share of the variance
  constexpr double kSmooth = 1;
  cv::Mat object;
  cv::Mat scene;
  cv::GaussianBlur(frame.object.brightness, object, {}, kSmooth);
  cv::GaussianBlur(frame.scene.brightness, scene, {}, kSmooth);
  const cv::Mat correlations = agree_smoothly(object, scene).correlation;
  const cv::Mat of_object = cell_variances(object);
  const cv::Mat of_scene = cell_variances(scene);
  const cv::Mat strokes = (cv::max(of_object, of_scene) > kStrokes) & whole_cells(frame.mask);
  Strokes found{strokes & (correlations > kSameStrokes), {}, {}, {}};
  std::vector<double> all;
  std::vector<double> contrasts;  // of the object, where both agree
  std::vector<double> ratios;     // of the object's contrast to the scene's, there
  for (int row = 0; row < strokes.rows; ++row) {
    for (int column = 0; column < strokes.cols; ++column) {
      if (strokes.at<std::uint8_t>(row, column) == 0) continue;
      all.push_back(correlations.at<float>(row, column));
      if (found.agreeing.at<std::uint8_t>(row, column) == 0) continue;
      contrasts.push_back(of_object.at<float>(row, column));
      ratios.push_back(contrasts.back() / std::max(1.F, of_scene.at<float>(row, column)));
    }
  }
  if (contrasts.size() < kFewestAgreeing) return std::nullopt;
  const double least = kAsStrong * median(std::move(contrasts));
  const cv::Mat in_scene = of_scene * median(std::move(ratios));
  const cv::Mat others = strokes & (correlations < kOtherStrokes);
  found.contradicting = others & (cv::min(of_object, in_scene) > least);
  found.missing = others & (cv::min(of_object, in_scene) <= least);
  found.bare = others & (in_scene <= least);
  found.best = quantile(all, 0.95);
  found.usual = median(std::move(all));
  return found;
}

// True if, around a place, at least twice as many cells agree as are in `missing`. Beside an object
// that covers the page they do not.
bool is_surrounded(const Strokes& strokes, const cv::Mat& missing, const cv::Mat& labels, int label,
                   cv::Rect box) {
  constexpr int kAroundCells = 2;
  const cv::Rect around = cv::Rect(box.x - kAroundCells, box.y - kAroundCells,
                                   box.width + 2 * kAroundCells, box.height + 2 * kAroundCells) &
                          cv::Rect({}, labels.size());
  const cv::Mat outside = labels(around) != label;
  const int agreeing = cv::countNonZero(outside & strokes.agreeing(around));
  return agreeing > 0 && agreeing >= 2 * cv::countNonZero(outside & missing(around));
}

// The places of other content.
struct Places {
  std::vector<cv::Rect> boxes;  // in cells
  int cells = 0;                // contradicting cells in all boxes
};

// Returns the connected places of contradicting cells that keep off the rim and are surrounded.
Places places_of(const Strokes& strokes, const cv::Mat& missing) {
  constexpr int kRimCells = 2;
  cv::Mat labels;
  cv::Mat boxes;
  cv::Mat centres;
  const int count = cv::connectedComponentsWithStats(strokes.contradicting, labels, boxes, centres);
  const cv::Rect inner(kRimCells, kRimCells, labels.cols - 2 * kRimCells,
                       labels.rows - 2 * kRimCells);
  Places places;
  for (int label = 1; label < count; ++label) {
    const auto value = [&](int what) { return boxes.at<int>(label, what); };
    const cv::Rect box(value(cv::CC_STAT_LEFT), value(cv::CC_STAT_TOP), value(cv::CC_STAT_WIDTH),
                       value(cv::CC_STAT_HEIGHT));
    if ((box & inner) != box || !is_surrounded(strokes, missing, labels, label, box)) continue;
    places.boxes.push_back(box);
    places.cells += value(cv::CC_STAT_AREA);
  }
  return places;
}

// Returns the places if they are other content, otherwise none. On a page that agrees as a whole,
// two places suffice. Elsewhere it takes more of them, and a photo sharp enough that cells which
// agree do so nearly exactly.
std::vector<cv::Rect> other_content(const Strokes& strokes, bool is_page) {
  constexpr double kUsualCorrelation = 0.9;
  constexpr std::size_t kFewestOfPage = 2;  // one may be a stain or a repair
  constexpr std::size_t kFewestPlaces = 5;
  constexpr double kLeastShare = 0.005;  // of the cells that agree or contradict
  constexpr double kBestCorrelation = 0.96;
  if (is_page && strokes.usual >= kUsualCorrelation) {
    Places places = places_of(strokes, strokes.bare);
    if (places.boxes.size() < kFewestOfPage) places.boxes.clear();
    return places.boxes;
  }
  Places places = places_of(strokes, strokes.missing);
  const bool is_other =
      places.boxes.size() >= kFewestPlaces && strokes.best >= kBestCorrelation &&
      places.cells >= kLeastShare * (cv::countNonZero(strokes.agreeing) + places.cells);
  if (!is_other) places.boxes.clear();
  return places.boxes;
}

// The cells of a picture without strokes.
struct EmptyCells {
  double share = 0;   // of all cells
  double ground = 0;  // their usual grey level
};

EmptyCells empty_cells(const ImageView& picture) {
  std::vector<double> levels;
  std::size_t count = 0;
  for (int y = 0; y + kMapStepPx <= picture.height; y += kMapStepPx) {
    for (int x = 0; x + kMapStepPx <= picture.width; x += kMapStepPx, ++count) {
      PairSums<double> sums;
      for (int row = y; row < y + kMapStepPx; ++row) {
        for (int column = x; column < x + kMapStepPx; ++column) {
          sums.add(picture.at(column, row), 0);
        }
      }
      if (sums.spread_a() / sums.count < kFlat) levels.push_back(sums.a / sums.count);
    }
  }
  if (levels.empty()) return {};
  const double share = static_cast<double>(levels.size()) / static_cast<double>(count);
  return {share, quantile(std::move(levels), 0.5)};
}

constexpr double kLeastEmpty = 0.3;  // share of the cells on a page

}  // namespace

bool is_page(const ImageView& picture) {
  constexpr double kBright = 190;       // least grey level of the ground
  constexpr double kStrokeDepth = 40;   // grey levels below the ground
  constexpr double kLeastGround = 0.8;  // share of the pixels; a product lies on less
  const EmptyCells empty = empty_cells(picture);
  if (empty.share < kLeastEmpty || empty.ground < kBright) return false;
  std::size_t on_ground = 0;
  for (std::size_t i = 0; i < picture.size(); ++i) {
    on_ground += picture.pixels[i] > empty.ground - kStrokeDepth ? 1 : 0;
  }
  return static_cast<double>(on_ground) >= kLeastGround * static_cast<double>(picture.size());
}

std::vector<Quad> find_other_content(const ColourImage& object, const ColourImage& scene,
                                     const Homography& object_to_scene) {
  constexpr double kSidePx = 1024;
  constexpr int kLeastSidePx = 300;  // fewer do not show what is written
  const Side one = side_of(object);
  const Side two = side_of(scene);
  const Homography map =
      aligned(one, two, loaded_to_full(scene).inverse() * object_to_scene * loaded_to_full(object));
  const Frame frame = FrameMaker(one, two, map).make_brightness(kSidePx);
  const cv::Size size = frame.mask.size();
  if (std::max(size.width, size.height) < kLeastSidePx ||
      std::min(size.width, size.height) < kLeastMapPx) {
    return {};
  }
  const cv::Mat& ground = frame.object.brightness;
  if (empty_cells({ground.data, ground.cols, ground.rows}).share < kLeastEmpty) return {};
  const std::optional<Strokes> strokes = compare_strokes(frame);
  if (!strokes) return {};
  const cv::Size loaded = one.brightness.size();
  const Homography to_scene =
      loaded_to_full(scene) * map * resizing(size.width, size.height, loaded.width, loaded.height);
  std::vector<Quad> quads;
  for (const cv::Rect& box : other_content(*strokes, is_page(object.brightness.view()))) {
    quads.push_back(outline(to_scene * translation(box.x * kMapStepPx, box.y * kMapStepPx),
                            (box.width - 1) * kMapStepPx + kMapCellPx,
                            (box.height - 1) * kMapStepPx + kMapCellPx));
  }
  return quads;
}

}  // namespace lookalike
