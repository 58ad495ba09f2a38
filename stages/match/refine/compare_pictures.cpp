#include "stages/match/refine/compare_pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <opencv2/imgproc.hpp>

#include "base/artefacts.h"
#include "base/pair_sums.h"
#include "stages/match/refine/light.h"
#include "stages/match/verify/pose_fit.h"

namespace lookalike {
namespace {

constexpr int kBlockPx = 8;  // cells consist of two by two blocks
static_assert(kCellPx == 2 * kBlockPx);
constexpr int kLeastSidePx = 2 * kCellPx;

// What may differ between two files of one picture. The squared difference, in grey levels, of a
// cell whose brightness has the variance v is explained up to kNoise + kShareOfDetail v.
constexpr double kNoise = 20;
constexpr double kShareOfDetail = 0.2;
// A picture that was enlarged or saved at a low quality has lost detail everywhere, so the share
// grows to kTimesMedian times that of the median cell, up to kMostShareOfDetail.
constexpr double kMostShareOfDetail = 0.5;
constexpr double kTimesMedian = 3;
constexpr double kTexture = 25;  // variance of a cell that has detail to lose
// The same for the colour, Cb and Cr together, averaged over kColourPx.
constexpr double kColourNoise = 120;
constexpr double kColourShare = 0.3;
constexpr int kColourPx = 4;
constexpr double kLeastColour = 25;      // variance below which a picture is grey to the eye
constexpr double kMostColourLost = 0.5;  // share of that variance

constexpr double kRelit = 2;     // grey levels by which the light moves a value, on average
constexpr int kMostShiftPx = 2;  // of a cell

cv::Mat as_matrix(const Homography& map) {
  cv::Mat matrix(3, 3, CV_64F);
  std::ranges::copy(map.h, matrix.begin<double>());
  return matrix;
}

cv::Mat resized(const cv::Mat& picture, cv::Size size) {
  if (picture.size() == size) return picture;
  cv::Mat result;
  cv::resize(picture, result, size, 0, 0, cv::INTER_AREA);
  return result;
}

cv::Size scaled(cv::Size size, double factor) {
  const auto side = [factor](int length) {
    return std::max(1, static_cast<int>(std::lround(length * factor)));
  };
  return {side(size.width), side(size.height)};
}

// True if a map takes the outline of one picture to that of the other, which is upright.
bool is_resizing(const Homography& map, cv::Size from, cv::Size to) {
  constexpr double kSlackPx = 0.01;
  return furthest_corner_px(outline(map, from.width, from.height),
                            outline({}, to.width, to.height)) < kSlackPx;
}

// Both pictures as the object shows them, in the resolution of the poorer one.
struct Frame {
  cv::Mat object;  // CV_8UC3, or CV_8U as the sides
  cv::Mat scene;   // of the same type
  cv::Mat mask;    // CV_8U, 0 where one is not seen
};

// One of the pictures, in the pixels that it was loaded in.
struct Side {
  cv::Mat pixels;
  cv::Mat opaque;  // CV_8U, 0: transparent; empty if all is opaque
};

Side side_of(const ColourImage& picture) {
  const auto plane = [&](const std::vector<std::uint8_t>& values, int type) {
    return cv::Mat(picture.height, picture.width, type, const_cast<std::uint8_t*>(values.data()));
  };
  return {plane(picture.pixels, CV_8UC3),
          picture.alpha.empty() ? cv::Mat() : cv::Mat(plane(picture.alpha, CV_8U) >= kLeastOpaque)};
}

Frame frame_of(const Side& object_side, const Side& scene_side, const Homography& map) {
  const cv::Mat& object = object_side.pixels;
  const cv::Mat& scene = scene_side.pixels;
  Frame frame;
  const double shrink =
      std::sqrt(std::abs(jacobian(map, middle(object.cols, object.rows)).determinant()));
  const double most = std::sqrt(kMostComparedPixels / (double{1} * object.rows * object.cols));
  const double scale = std::min({1.0, shrink, most});
  const bool whole = is_resizing(map, object.size(), scene.size());
  cv::Size size = scaled(object.size(), scale);
  if (whole && scale == shrink) size = scene.size();
  frame.object = resized(object, size);
  frame.mask = cv::Mat(size, CV_8U, cv::Scalar(255));
  const auto leave_out = [&frame](const cv::Mat& opaque) {
    if (!opaque.empty()) cv::bitwise_and(frame.mask, opaque == 255, frame.mask);
  };
  if (!object_side.opaque.empty()) leave_out(resized(object_side.opaque, size));
  if (whole) {
    frame.scene = resized(scene, size);
    if (!scene_side.opaque.empty()) leave_out(resized(scene_side.opaque, size));
    return frame;
  }
  const cv::Size smaller = scaled(scene.size(), std::min(1.0, scale / shrink));
  const cv::Mat level = resized(scene, smaller);
  const Homography to_level = resizing(scene.cols, scene.rows, level.cols, level.rows) * map *
                              resizing(size.width, size.height, object.cols, object.rows);
  const auto warp = [&](const cv::Mat& from, cv::Mat& to, int method) {
    cv::warpPerspective(from, to, as_matrix(to_level), size, method | cv::WARP_INVERSE_MAP);
  };
  warp(level, frame.scene, cv::INTER_CUBIC);  // thin strokes lose half of their contrast otherwise
  const cv::Mat& opaque = scene_side.opaque;
  cv::Mat seen;
  warp(opaque.empty() ? cv::Mat(level.size(), CV_8U, cv::Scalar(255))
                      : resized(opaque, level.size()),
       seen, cv::INTER_LINEAR);
  cv::erode(seen == 255, seen, cv::Mat::ones(5, 5, CV_8U));
  leave_out(seen);
  return frame;
}

cv::Mat brightness_of(const cv::Mat& picture) {
  cv::Mat gray;
  cv::cvtColor(picture, gray, cv::COLOR_BGR2GRAY);
  return gray;
}

// Finds squares of the object in the scene, by normalised cross-correlation up to `reach` px away.
// Returns their centres in both.
std::vector<PointPair> moves_of_squares(const cv::Mat& object, const cv::Mat& scene,
                                        const cv::Mat& mask, int reach) {
  constexpr int kSquarePx = 32;
  constexpr int kAcross = 12;
  constexpr float kLeastCorrelation = 0.7F;
  std::vector<PointPair> moves;
  const int step_x = std::max(kSquarePx, (object.cols - 2 * reach) / kAcross);
  const int step_y = std::max(kSquarePx, (object.rows - 2 * reach) / kAcross);
  for (int y = reach; y + kSquarePx + reach <= object.rows; y += step_y) {
    for (int x = reach; x + kSquarePx + reach <= object.cols; x += step_x) {
      const cv::Rect square(x, y, kSquarePx, kSquarePx);
      const cv::Rect window(x - reach, y - reach, kSquarePx + 2 * reach, kSquarePx + 2 * reach);
      if (cv::countNonZero(mask(window)) < window.area()) continue;
      cv::Scalar mean;
      cv::Scalar deviation;
      cv::meanStdDev(object(square), mean, deviation);
      if (deviation[0] * deviation[0] < kTexture) continue;
      cv::Mat found;
      cv::matchTemplate(scene(window), object(square), found, cv::TM_CCOEFF_NORMED);
      double best = 0;
      cv::Point at;
      cv::minMaxLoc(found, nullptr, &best, nullptr, &at);
      if (best < kLeastCorrelation) continue;
      // Peaks lie between pixels: the vertex of the parabola through three values.
      const auto between = [&](float before, float peak, float after) {
        const float bend = before - 2 * peak + after;
        return bend < 0 ? 0.5 * (before - after) / bend : 0.0;
      };
      double dx = at.x;
      double dy = at.y;
      if (at.x == 0 || at.y == 0 || at.x == 2 * reach || at.y == 2 * reach) continue;
      const auto value = [&](int across, int down) {
        return found.at<float>(at.y + down, at.x + across);
      };
      dx += between(value(-1, 0), value(0, 0), value(1, 0));
      dy += between(value(0, -1), value(0, 0), value(0, 1));
      const Point centre{x + (kSquarePx - 1) / 2.0, y + (kSquarePx - 1) / 2.0};
      moves.push_back({centre, {centre.x + dx - reach, centre.y + dy - reach}});
    }
  }
  return moves;
}

// Returns the map corrected by squares, in pictures of at most `side_px`.
Homography corrected(const Side& object, const Side& scene, const Homography& map, double side_px) {
  constexpr std::size_t kLeastMoves = 8;
  constexpr int kReachPx = 4;
  const cv::Size full = object.pixels.size();
  const cv::Size size = scaled(full, std::min(1.0, side_px / std::max(full.width, full.height)));
  const Homography to_reduced = resizing(full.width, full.height, size.width, size.height);
  const Side reduced{resized(object.pixels, size), {}};
  const Frame frame = frame_of(reduced, scene, map * to_reduced.inverse());
  const std::vector<PointPair> moves =
      moves_of_squares(frame.object, frame.scene, frame.mask, kReachPx);
  if (moves.size() < kLeastMoves) return map;
  const auto better = fit_pose(PoseModel::kPerspective, moves, Homography{}, 1);
  if (!better) return map;
  const Homography to_frame =
      resizing(size.width, size.height, frame.object.cols, frame.object.rows) * to_reduced;
  return map * to_frame.inverse() * *better * to_frame;
}

// Returns the map corrected in ever finer pictures, up to the full resolution.
Homography aligned(const Side& object_side, const Side& scene_side, Homography map) {
  const Side object{brightness_of(object_side.pixels), {}};
  const Side scene{brightness_of(scene_side.pixels), {}};
  constexpr double kFirstSidePx = 640;
  const double longest = std::max(object.pixels.rows, object.pixels.cols);
  for (double side_px = kFirstSidePx; side_px < 2 * longest; side_px *= 2) {
    map = corrected(object, scene, map, side_px);
  }
  return map;
}

// Returns sums over a place of the object and the shifted place of the scene.
PairSums<double> sums_over(const cv::Mat& object, const cv::Mat& scene, cv::Rect place,
                           cv::Point shift) {
  PairSums<double> sums;
  for (int y = place.y; y < place.y + place.height; ++y) {
    const std::uint8_t* one = object.ptr(y) + place.x;
    const std::uint8_t* two = scene.ptr(y + shift.y) + place.x + shift.x;
    PairSums<std::uint32_t> row;
    for (int x = 0; x < place.width; ++x) row.add(one[x], two[x]);
    sums.add({double(row.count), double(row.a), double(row.b), double(row.aa), double(row.bb),
              double(row.ab)});
  }
  return sums;
}

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

// Sets the excess of the brightness in each cell. Returns the usual share of the detail in which
// the pictures differ, that of the median cell.
double compare_brightness(const cv::Mat& object, const cv::Mat& scene, const cv::Mat& mask,
                          CellGrid& grid) {
  std::vector<PairSums<double>> blocks(static_cast<std::size_t>(grid.columns + 1) *
                                       static_cast<std::size_t>(grid.rows + 1));
  std::vector<std::uint8_t> is_defined(blocks.size());
  const auto block_at = [&](int column, int row) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(grid.columns + 1) +
           static_cast<std::size_t>(column);
  };
  for (int row = 0; row <= grid.rows; ++row) {
    for (int column = 0; column <= grid.columns; ++column) {
      const cv::Rect place(column * kBlockPx, row * kBlockPx, kBlockPx, kBlockPx);
      blocks[block_at(column, row)] = sums_over(object, scene, place, {});
      is_defined[block_at(column, row)] = cv::countNonZero(mask(place)) == place.area() ? 1 : 0;
    }
  }
  std::vector<std::pair<double, double>> measured(grid.cells.size());  // difference and variance
  std::vector<double> shares;
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      PairSums<double> sums;
      bool defined = true;
      for (const auto& [right, down] : {std::pair(0, 0), {1, 0}, {0, 1}, {1, 1}}) {
        const std::size_t block = block_at(column + right, row + down);
        sums.add(blocks[block]);
        defined = defined && is_defined[block] != 0;
      }
      Cell& cell = grid.at(column, row);
      cell.is_compared = defined;
      if (!defined) continue;
      auto& [difference, variance] = measured[static_cast<std::size_t>(&cell - grid.cells.data())];
      difference = mean_squared_difference(sums);
      variance = larger_variance(sums);
      if (variance >= kTexture) shares.push_back(difference / variance);
    }
  }
  double usual = 0;
  if (!shares.empty()) {
    const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
    std::ranges::nth_element(shares, middle);
    usual = *middle;
  }
  const double share = std::clamp(kTimesMedian * usual, kShareOfDetail, kMostShareOfDetail);
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      Cell& cell = grid.at(column, row);
      if (!cell.is_compared) continue;
      auto [difference, variance] = measured[static_cast<std::size_t>(&cell - grid.cells.data())];
      const double explained = kNoise + share * variance;
      cell.excess = difference / explained;
      if (cell.excess < PictureDifference::kSeen) continue;
      const cv::Rect place = place_of(column, row, kBlockPx);
      for (int y = -kMostShiftPx; y <= kMostShiftPx; ++y) {
        for (int x = -kMostShiftPx; x <= kMostShiftPx; ++x) {
          const cv::Rect moved = place + cv::Point(x, y);
          if ((moved & cv::Rect({}, scene.size())) != moved) continue;
          difference = std::min(difference,
                                mean_squared_difference(sums_over(object, scene, place, {x, y})));
        }
      }
      cell.excess = difference / explained;
    }
  }
  return usual;
}

// Returns the colours Cb and Cr, averaged over kColourPx and smoothed.
std::array<cv::Mat, 2> colours_of(const cv::Mat& picture) {
  cv::Mat reduced;
  cv::resize(picture, reduced, picture.size() / kColourPx, 0, 0, cv::INTER_AREA);
  cv::Mat parts[3];
  cv::cvtColor(reduced, reduced, cv::COLOR_BGR2YCrCb);
  cv::split(reduced, parts);
  constexpr double kSmooth = 0.75;
  for (cv::Mat& part : parts) cv::GaussianBlur(part, part, {}, kSmooth);
  return {parts[2], parts[1]};
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
  const auto one = colours_of(object);
  auto two = colours_of(scene);
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

// The comparison under one map.
struct Comparison {
  PictureDifference difference;
  double usual = 0;  // see compare_brightness()
};

// Compares the pictures of a frame.
//   map  from px of the frame to full-size px of the scene
std::optional<Comparison> compare_in(const Frame& frame, const Homography& map) {
  CellGrid grid;
  grid.columns = frame.object.cols / kBlockPx - 1;
  grid.rows = frame.object.rows / kBlockPx - 1;
  if (std::min(frame.object.cols, frame.object.rows) < kLeastSidePx) return std::nullopt;
  grid.cells.resize(static_cast<std::size_t>(grid.columns) * static_cast<std::size_t>(grid.rows));

  const cv::Size quarter = scaled(frame.object.size(), 0.25);
  cv::Mat small_mask;
  cv::resize(frame.mask, small_mask, quarter, 0, 0, cv::INTER_NEAREST);
  const LightModel light =
      fit_light(resized(frame.scene, quarter), resized(frame.object, quarter), small_mask);
  constexpr double kSmooth = 1;
  cv::Mat one = brightness_of(frame.object);
  cv::Mat two = brightness_of(frame.scene);
  cv::LUT(two, brightness_table(light), two);
  cv::GaussianBlur(one, one, {}, kSmooth);
  cv::GaussianBlur(two, two, {}, kSmooth);
  const double usual = compare_brightness(one, two, frame.mask, grid);
  cv::Mat lit;
  cv::LUT(frame.scene, channel_table(light), lit);

  PictureDifference difference;
  difference.is_relit =
      cv::norm(frame.scene, lit, cv::NORM_L1) > kRelit * 3 * static_cast<double>(lit.total());
  difference.lacks_colours = compare_colour(frame.object, lit, grid);
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
  return Comparison{std::move(difference), usual};
}

// True if a better map could not change much.
bool is_surely_equal(const Comparison& found) {
  constexpr double kSurely = 1;
  const PictureDifference& difference = found.difference;
  return std::max(difference.largest, difference.largest_of_colour) < kSurely &&
         kTimesMedian * found.usual <= kShareOfDetail;
}

}  // namespace

std::optional<PictureDifference> compare_pictures(const ColourImage& object,
                                                  const ColourImage& scene,
                                                  const Homography& object_to_scene) {
  const auto to_full = [](const ColourImage& picture) {
    return resizing(picture.width, picture.height, picture.full_width, picture.full_height);
  };
  const Side one = side_of(object);
  const Side two = side_of(scene);
  const auto compare_under = [&](const Homography& map) {
    const Frame frame = frame_of(one, two, map);
    const cv::Size size = frame.object.size();
    const cv::Size loaded = one.pixels.size();
    return compare_in(frame, to_full(scene) * map *
                                 resizing(size.width, size.height, loaded.width, loaded.height));
  };
  const Homography map = to_full(scene).inverse() * object_to_scene * to_full(object);
  const auto found = compare_under(map);
  if (!found) return std::nullopt;
  const bool is_exact = is_resizing(map, one.pixels.size(), two.pixels.size());
  if (is_exact || is_surely_equal(*found)) return found->difference;
  const auto closer = compare_under(aligned(one, two, map));
  return closer && closer->usual < found->usual ? closer->difference : found->difference;
}

}  // namespace lookalike
