#include "stages/match/refine/prints.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include <opencv2/imgproc.hpp>

#include "stages/match/refine/cell_map.h"
#include "stages/match/refine/frame.h"
#include "stages/match/refine/other_content.h"
#include "stages/match/verify/pose_fit.h"

namespace lookalike {
namespace {

constexpr double kPrintTexture =
    40;                         // variance above which a cell has content, squared grey levels
constexpr double kExact = 0.9;  // minimum correlation in place
// A cell contradicts if it correlates by less than kLeastAgreeing along a smooth displacement, and
// by less than kNowhere at each shift of up to kShiftPx.
constexpr double kLeastAgreeing = 0.3;
constexpr double kNowhere = 0.6;
constexpr int kShiftPx = 3;
constexpr int kPriorCellsOfPrints = 16;
// Maximum departure of a pose from a similarity, see nearest_similarity().
constexpr double kMostBent = 0.02;

// Maps of the cells of one of two images, CV_8U, 0 or 255.
struct Findings {
  cv::Mat textured;
  cv::Mat exact;
  cv::Mat contradicting;

  // Returns the share of textured cells, and of kPriorCellsOfPrints more, that are set in a map.
  double share(const cv::Mat& map) const {
    return cv::countNonZero(map) / double(cv::countNonZero(textured) + kPriorCellsOfPrints);
  }
};

// The second image laid into the frame of the first.
struct Laid {
  cv::Mat first;
  cv::Mat second;
  cv::Mat seen;          // whole cells, CV_8U
  cv::Mat in_place;      // correlations of the cells
  Homography to_second;  // from px of the frame to px of the second as reduced
};

// Two images, reduced to about the same resolution.
struct Reduced {
  cv::Mat first;
  cv::Mat second;
  Homography to_second;  // between these pixels
};

double scale_of(const Homography& map, cv::Size size) {
  return std::sqrt(std::abs(jacobian(map, middle(size.width, size.height)).determinant()));
}

// Returns the longer side, px, to which the first of two images is reduced: at most kPrintSidePx,
// and no finer than the second shows it.
double reduced_side(cv::Size first, const Homography& to_second) {
  constexpr double kLeastSidePx = 96;
  const double longest = std::max(first.width, first.height);
  const double scale = std::max(scale_of(to_second, first), 1e-3);
  return std::max(kLeastSidePx, longest * std::min({1.0, scale, kPrintSidePx / longest}));
}

// Reduces two images to about the same resolution.
//   map  from px of the first to px of the second, both as loaded
Reduced reduce(const cv::Mat& first, const cv::Mat& second, const Homography& map) {
  constexpr double kMuchFiner = 1.2;
  Reduced both;
  both.first = reduced_to(first, reduced_size(first.size(), reduced_side(first.size(), map) /
                                                                std::max(first.cols, first.rows)));
  const cv::Size size = both.first.size();
  const double finer = scale_of(map, first.size()) * first.cols / size.width;
  both.second = second;
  if (finer > kMuchFiner) {
    both.second = reduced_to(second, {std::max(kLeastMapPx, cvRound(second.cols / finer)),
                                      std::max(kLeastMapPx, cvRound(second.rows / finer))});
  }
  both.to_second = resizing(second.cols, second.rows, both.second.cols, both.second.rows) * map *
                   resizing(size.width, size.height, first.cols, first.rows);
  return both;
}

// Returns a picture as seen through a map from px of a frame of this size to its own px.
cv::Mat lay(const cv::Mat& picture, const Homography& map, cv::Size size, int method) {
  cv::Mat result;
  cv::warpPerspective(picture, result, cv::Mat(3, 3, CV_64F, const_cast<double*>(map.h.data())),
                      size, method | cv::WARP_INVERSE_MAP,
                      method == cv::INTER_NEAREST ? cv::BORDER_CONSTANT : cv::BORDER_REPLICATE);
  return result;
}

// Returns the pixels of a frame that a picture of a size covers: CV_8U, 255 where it does.
cv::Mat covered(cv::Size picture, const Homography& map, cv::Size frame) {
  return lay(cv::Mat(picture, CV_8U, cv::Scalar(255)), map, frame, cv::INTER_NEAREST);
}

Laid lay(const Reduced& both, const Homography& map) {
  const cv::Size size = both.first.size();
  const cv::Mat second = lay(both.second, map, size, cv::INTER_LINEAR);
  return {both.first, second, whole_cells(covered(both.second.size(), map, size)),
          correlate_cells(both.first, second, 0).front(), map};
}

// Returns the similarity nearest to a map of a picture of this size, and how far the map is from
// it: the root mean square offset of the corners, as a share of half the mapped diagonal.
std::pair<Homography, double> nearest_similarity(const Homography& map, cv::Size size) {
  std::vector<PointPair> corners;
  for (const Point& corner :
       {Point{0, 0}, Point{size.width - 1.0, 0}, Point{size.width - 1.0, size.height - 1.0},
        Point{0, size.height - 1.0}}) {
    corners.push_back({corner, map.apply(corner)});
  }
  const auto fitted = fit_pose(PoseModel::kSimilarity, corners, {}, INFINITY);
  if (!fitted) return {map, INFINITY};
  double off = 0;
  for (const PointPair& corner : corners) {
    const Point at = fitted->apply(corner.object);
    off += std::pow(at.x - corner.scene.x, 2) + std::pow(at.y - corner.scene.y, 2);
  }
  const double radius = scale_of(*fitted, size) * std::hypot(size.width, size.height) / 2;
  return {*fitted, std::sqrt(off / 4) / radius};
}

// Returns a map corrected by the moves of cells; the same map if too few cells move reliably.
//   model   of the result; the map must be of this model or a simpler one
//   factor  by which both pictures are reduced first
//   reach   longest move of a cell, px of the reduced pictures
Homography corrected(const Reduced& both, const Homography& map, PoseModel model, double factor,
                     int reach) {
  constexpr double kLeastCorrelation = 0.75;
  constexpr std::size_t kLeastMoves = 16;
  constexpr int kAcross = 3;
  const cv::Size full = both.first.size();
  const cv::Size size = reduced_size(full, factor);
  const Homography to_full = resizing(size.width, size.height, full.width, full.height);
  const Homography from = map * to_full;
  cv::Mat first = both.first;
  cv::Mat second = both.second;
  Homography laying = from;
  if (factor < 1) {
    first = reduced_to(first, size);
    second = reduced_to(second, {std::max(1, cvRound(second.cols * factor)),
                                 std::max(1, cvRound(second.rows * factor))});
    laying = resizing(both.second.cols, both.second.rows, second.cols, second.rows) * from;
  }
  const cv::Mat laid = lay(second, laying, size, cv::INTER_LINEAR);
  const cv::Mat seen = whole_cells(covered(second.size(), laying, size));
  const cv::Mat variances = cell_variances(first);
  const CellMoves moves = move_cells(correlate_cells(first, laid, reach), variances, kAcross);
  std::vector<PointPair> pairs;
  for (int row = 0; row < seen.rows; ++row) {
    for (int column = 0; column < seen.cols; ++column) {
      if (seen.at<std::uint8_t>(row, column) == 0 ||
          moves.is_cut_off.at<std::uint8_t>(row, column) != 0 ||
          variances.at<float>(row, column) <= kPrintTexture ||
          moves.correlation.at<float>(row, column) <= kLeastCorrelation) {
        continue;
      }
      const Point at{kMapStepPx * (column + 1) - 0.5, kMapStepPx * (row + 1) - 0.5};
      const Point to{at.x + moves.x.at<float>(row, column), at.y + moves.y.at<float>(row, column)};
      pairs.push_back({to_full.apply(at), from.apply(to)});
    }
  }
  if (pairs.size() < kLeastMoves) return map;
  std::optional<Homography> better = map;
  const double pixel = scale_of(from, size);
  for (const double tolerance_px : {2.0, 0.75}) {
    if (better) better = fit_pose(model, pairs, *better, tolerance_px * pixel);
  }
  return better.value_or(map);
}

Homography aligned(const Reduced& both, Homography map, PoseModel first_model) {
  map = corrected(both, map, first_model, 0.5, 4);
  map = corrected(both, map, PoseModel::kAffine, 1, 3);
  return corrected(both, map, PoseModel::kPerspective, 1, 2);
}

// Returns the cells of one of two pictures in a frame that agree exactly in place, and those that
// do not correlate there.
Findings find_in_place(const Laid& laid, const cv::Mat& picture) {
  Findings found;
  found.textured = laid.seen & (cell_variances(picture) > kPrintTexture);
  found.exact = found.textured & (laid.in_place >= kExact);
  found.contradicting = found.textured & (laid.in_place < kLeastAgreeing);
  return found;
}

// Returns the share of set values in a map, [0, 1].
double share_set(const cv::Mat& map) {
  return cv::countNonZero(map) / (double{1} * map.rows * map.cols);
}

// Maps from the first of two images to the second by which both may show one print; corrections
// follow. A map is absent if it cannot.
struct Layings {
  std::optional<Homography> whole{};    // whole onto whole
  std::optional<Homography> similar{};  // the similarity nearest to the pose
};

// Returns the layings that are worth a comparison; see may_share_print().
Layings possible_layings(cv::Size first, cv::Size second, const Homography& to_second, bool light) {
  constexpr double kSameShape = 0.02;
  constexpr double kNear = 0.15;        // of a corner, share of the side
  constexpr double kMostMovedPx = 13;   // of a cell, by all corrections together
  constexpr double kLeastShown = 0.75;  // of each image, if both must show each other whole
  Layings layings;
  const double shape =
      double{1} * first.width * second.height / (double{1} * first.height * second.width);
  const Homography whole = resizing(first.width, first.height, second.width, second.height);
  const double off = furthest_corner_px(outline(to_second, first.width, first.height),
                                        outline(whole, first.width, first.height));
  if (std::abs(std::log(shape)) < kSameShape &&
      off < kNear * std::max(second.width, second.height)) {
    layings.whole = whole;
  }
  const auto [similar, bent] = nearest_similarity(to_second, first);
  const double factor = reduced_side(first, to_second) / std::max(first.width, first.height);
  const double radius_px = factor * std::hypot(first.width, first.height) / 2;
  if (bent > kMostBent + kMostMovedPx / radius_px) return layings;
  const Quad there = outline(similar, first.width, first.height);
  const Quad back = outline(similar.inverse(), second.width, second.height);
  if (light || (share_covered(there, second.width, second.height) >= kLeastShown &&
                share_covered(back, first.width, first.height) >= kLeastShown)) {
    layings.similar = similar;
  }
  return layings;
}

// Lays the second image into the frame of the first in each possible way. Returns the laying in
// which more cells agree exactly, or the first in which a fifth of all cells do; nothing if none is
// possible.
std::optional<Laid> best_laying(const Reduced& both, bool light) {
  const cv::Size size = both.first.size();
  const cv::Size other = both.second.size();
  std::optional<Laid> best;
  int most = -1;
  const auto are_many_exact_in = [&](Laid laid) {
    const int exact = cv::countNonZero(find_in_place(laid, laid.first).exact);
    if (exact > most) best = std::move(laid);
    most = std::max(most, exact);
    return 5 * most >= best->seen.rows * best->seen.cols;
  };
  const auto [whole, similar] = possible_layings(size, other, both.to_second, light);
  if (whole) {
    // Scans and screenshots need no correction.
    if (are_many_exact_in(lay(both, *whole)) ||
        are_many_exact_in(lay(both, aligned(both, *whole, PoseModel::kAffine)))) {
      return best;
    }
  }
  if (!similar) return best;
  constexpr double kSamePx = 4;  // corrections from both maps then end in one
  const auto outline_by = [&](const Homography& map) {
    return outline(map, size.width, size.height);
  };
  const bool are_same = whole && furthest_corner_px(outline_by(*whole), outline_by(*similar)) <
                                     kSamePx * scale_of(*whole, size);
  if (!are_same) are_many_exact_in(lay(both, aligned(both, *similar, PoseModel::kSimilarity)));
  return best;
}

// Returns a map without the cells of its two outer rows and columns.
cv::Mat inner(const cv::Mat& map) {
  constexpr int kRim = 2;
  if (std::min(map.rows, map.cols) <= 2 * kRim) return map;
  return map(cv::Rect(kRim, kRim, map.cols - 2 * kRim, map.rows - 2 * kRim));
}

// True if each image shows the other nearly whole.
bool lies_whole(const Laid& laid, cv::Size second) {
  constexpr double kWhole = 0.95;
  return share_set(laid.seen) >= kWhole &&
         share_set(covered(laid.first.size(), laid.to_second.inverse(), second)) >= kWhole;
}

// True if enough cells agree exactly to be one print, and enough contradict to be other content. On
// pages fewer suffice: there a few strokes are content, while in a view of a room they are a small
// movement.
bool has_other_content(const Findings& found, bool pages) {
  constexpr int kFewestExact = 20;
  constexpr double kLeastExact = 0.08;
  const int fewest = pages ? 8 : 12;
  const double least = pages ? 0.005 : 0.02;
  return cv::countNonZero(found.exact) >= kFewestExact && found.share(found.exact) >= kLeastExact &&
         cv::countNonZero(found.contradicting) >= fewest &&
         found.share(found.contradicting) >= least;
}

// False if the textured cells are displaced as in two views of a solid object.
bool is_still(const Findings& found, const cv::Mat& in_place, const SmoothAgreement& smooth) {
  constexpr double kMovedAgrees = 0.8;
  constexpr double kMovedInPlace = 0.6;
  constexpr double kMostMoved = 0.24;
  constexpr double kAgrees = 0.7;
  constexpr double kStillPx = 0.5;
  constexpr double kLeastStill = 0.32;
  const cv::Mat moved =
      found.textured & (smooth.correlation > kMovedAgrees) & (in_place < kMovedInPlace);
  const int moving = cv::countNonZero(moved);
  if (moving <= kMostMoved * (moving + cv::countNonZero(found.exact) + 1)) return true;
  const cv::Mat agreeing = found.textured & (cv::max(smooth.correlation, in_place) > kAgrees);
  const int still = cv::countNonZero(agreeing & (smooth.displaced_px < kStillPx));
  return still >= kLeastStill * (cv::countNonZero(agreeing) + 1);
}

// Returns the findings on an image's own grid.
//   to_frame  from px of the picture that the grid divides to px of the frame of the findings
PrintCells cells_on_grid(const Findings& found, cv::Size grid, const Homography& to_frame) {
  PrintCells cells;
  cells.columns = static_cast<std::uint8_t>(grid.width);
  cells.rows = static_cast<std::uint8_t>(grid.height);
  for (int row = 0; row < grid.height; ++row) {
    for (int column = 0; column < grid.width; ++column) {
      const Point at =
          to_frame.apply({kMapStepPx * (column + 1) - 0.5, kMapStepPx * (row + 1) - 0.5});
      const int x = cvRound((at.x + 0.5) / kMapStepPx) - 1;
      const int y = cvRound((at.y + 0.5) / kMapStepPx) - 1;
      const bool is_in = cv::Rect({}, found.textured.size()).contains({x, y});
      cells.contradicting.push_back(is_in && found.contradicting.at<std::uint8_t>(y, x) != 0);
      cells.exact.push_back(is_in && found.exact.at<std::uint8_t>(y, x) != 0);
    }
  }
  return cells;
}

// True if the colour at a pixel is saturated; false at the rim that has no colour.
bool is_colourful(const ColourImage& picture, int x, int y) {
  constexpr int kMostSaturation = 70;  // of 255
  const int column = x / ColourImage::kColourPx;
  const int row = y / ColourImage::kColourPx;
  if (column >= picture.colour_width || row >= picture.colour_height) return false;
  const std::uint8_t* colour =
      &picture.colours[3 * (static_cast<std::size_t>(row) *
                                static_cast<std::size_t>(picture.colour_width) +
                            static_cast<std::size_t>(column))];
  const auto [least, most] = std::minmax({colour[0], colour[1], colour[2]});
  return 255 * (most - least) >= kMostSaturation * most && most > 0;
}

// Returns the size of the picture that an image's grid divides.
cv::Size grid_picture(int width, int height) {
  return reduced_size({width, height}, double{kPrintSidePx} / std::max(width, height));
}

}  // namespace

cv::Size print_grid(int width, int height) {
  return cells_of(grid_picture(width, height));
}

bool may_share_print(cv::Size first, cv::Size second, const Homography& to_second, bool light) {
  const Layings layings = possible_layings(first, second, to_second, light);
  return layings.whole || layings.similar;
}

std::optional<PrintPair> compare_prints(const ColourImage& first, const ColourImage& second,
                                        const Homography& to_second, double inlier_share) {
  constexpr double kLeastInner = 0.1;
  constexpr double kLeastInliers = 0.15;
  if (first.empty() || second.empty() || !first.alpha.empty() || !second.alpha.empty()) return {};
  const Reduced both = reduce(side_of(first).brightness, side_of(second).brightness,
                              loaded_to_full(second).inverse() * to_second * loaded_to_full(first));
  const bool light = is_light(first) && is_light(second);
  const std::optional<Laid> best = best_laying(both, light);
  if (!best) return {};
  const Laid& laid = *best;
  if (nearest_similarity(laid.to_second, laid.first.size()).second > kMostBent) return {};
  if (!light && !lies_whole(laid, both.second.size())) return {};

  std::array<Findings, 2> found = {find_in_place(laid, laid.first),
                                   find_in_place(laid, laid.second)};
  const bool pages = light && is_page(first.brightness.view()) && is_page(second.brightness.view());
  const auto may_be = [&](const Findings& one) { return has_other_content(one, pages); };
  if (std::ranges::none_of(found, may_be)) return {};
  const auto is_inner = [&](const Findings& one) {
    return cv::countNonZero(inner(one.exact)) >=
           kLeastInner * (cv::countNonZero(inner(one.textured)) + kPriorCellsOfPrints);
  };
  if (!is_inner(found[0]) && inlier_share < kLeastInliers) return {};

  const SmoothAgreement smooth = agree_smoothly(laid.first, laid.second);
  const auto contradict_where = [&](const cv::Mat& map) {
    for (Findings& one : found) one.contradicting = one.contradicting & map;
    return std::ranges::any_of(found, may_be);
  };
  if (!contradict_where(smooth.correlation < kLeastAgreeing)) return {};
  if (!is_still(found[0], laid.in_place, smooth)) return {};
  const cv::Mat anywhere = largest_of(correlate_cells(laid.first, laid.second, kShiftPx));
  if (!contradict_where(anywhere < kNowhere)) return {};

  const auto grid_of = [](const ColourImage& image) {
    return grid_picture(image.full_width, image.full_height);
  };
  const cv::Size one = grid_of(first);
  const cv::Size two = grid_of(second);
  const cv::Size size = laid.first.size();
  PrintPair pair;
  pair.agreement = found[0].share(found[0].exact);
  pair.of_first = cells_on_grid(found[0], cells_of(one),
                                resizing(one.width, one.height, size.width, size.height));
  pair.of_second =
      cells_on_grid(found[1], cells_of(two),
                    laid.to_second.inverse() *
                        resizing(two.width, two.height, both.second.cols, both.second.rows));
  return pair;
}

cv::Mat distinctive_cells(const std::vector<PrintEdge>& edges) {
  if (edges.empty()) return {};
  const PrintCells& first = edges.front().cells;
  cv::Mat cells(first.rows, first.columns, CV_8U, cv::Scalar(0));
  const auto all = static_cast<int>(edges.size());
  for (std::size_t i = 0; i < cells.total(); ++i) {
    int contradicting = 0;
    int exact = 0;
    for (const PrintEdge& edge : edges) {
      contradicting += edge.cells.contradicting[i] ? 1 : 0;
      exact += edge.cells.exact[i] ? 1 : 0;
    }
    if (2 * contradicting >= all && 4 * exact < all) cells.data[i] = 255;
  }
  return cv::countNonZero(cells) >= kFewestDistinctive ? cells : cv::Mat();
}

namespace {

// Returns a map of the cells of the print: they agree exactly with at least half of the edges'
// images, and contradict none. CV_8U [rows][columns].
cv::Mat shared_cells(const std::vector<PrintEdge>& edges) {
  const PrintCells& first = edges.front().cells;
  cv::Mat cells(first.rows, first.columns, CV_8U, cv::Scalar(0));
  const auto all = static_cast<std::ptrdiff_t>(edges.size());
  for (std::size_t i = 0; i < cells.total(); ++i) {
    const auto exact =
        std::ranges::count_if(edges, [i](const PrintEdge& edge) { return edge.cells.exact[i]; });
    const bool contradicts = std::ranges::any_of(
        edges, [i](const PrintEdge& edge) { return edge.cells.contradicting[i]; });
    if (2 * exact >= all && !contradicts) cells.data[i] = 255;
  }
  return cells;
}

// The weighted mean of the correlations of some cells.
struct CellMean {
  double sum = 0;
  double weights = 0;
  int count = 0;

  void add(double weight, double correlation) {
    sum += weight * correlation;
    weights += weight;
    ++count;
  }
  double value() const { return sum / weights; }
};

// An image and a photo, compared in the frame of the image.
struct Comparison {
  Comparison(const Frame& frame)
      : correlation(agree_smoothly(frame.object.brightness, frame.scene.brightness).correlation),
        variances(cell_variances(frame.object.brightness)),
        seen(whole_cells(frame.mask)),
        size(frame.mask.size()) {}

  cv::Mat correlation;
  cv::Mat variances;  // of the image
  cv::Mat seen;       // CV_8U
  cv::Size size;      // of the frame, px
};

// Means of correlations in some cells of an image.
struct CellMeans {
  CellMean all;
  std::array<CellMean, 4> halves;  // left, right, upper, lower
  double fewest = 0;               // cells of a mean that counts
};

// Returns the means in the cells of a print's grid that are set.
CellMeans means_in(const cv::Mat& cells, const Comparison& compared) {
  const cv::Mat& seen = compared.seen;
  const cv::Size grid((cells.cols + 1) * kMapStepPx, (cells.rows + 1) * kMapStepPx);
  CellMeans means;
  for (int row = 0; row < seen.rows; ++row) {
    for (int column = 0; column < seen.cols; ++column) {
      const double variance = compared.variances.at<float>(row, column);
      if (seen.at<std::uint8_t>(row, column) == 0 || variance <= kPrintTexture) continue;
      const int x = cvRound(double{1} * (column + 1) * grid.width / compared.size.width) - 1;
      const int y = cvRound(double{1} * (row + 1) * grid.height / compared.size.height) - 1;
      if (!cv::Rect({}, cells.size()).contains({x, y}) || cells.at<std::uint8_t>(y, x) == 0) {
        continue;
      }
      const double weight = std::min(variance / kFullWeight, 1.0);
      const double correlation = compared.correlation.at<float>(row, column);
      means.all.add(weight, correlation);
      means.halves[2 * x < cells.cols ? 0 : 1].add(weight, correlation);
      means.halves[2 * y < cells.rows ? 2 : 3].add(weight, correlation);
    }
  }
  const double share = double{1} * seen.rows * seen.cols / (cells.rows * cells.cols);
  means.fewest = std::max(2.0, kFewestDistinctive * share);
  return means;
}

// Returns the mean in all cells, or in a half if that agrees well and better.
double best_mean(const CellMeans& means) {
  constexpr double kAgreeingHalf = 0.7;
  constexpr int kMostParts = 3;  // a half counts if it has at least a third of the cells
  double best = means.all.value();
  for (const CellMean& half : means.halves) {
    if (half.count < means.fewest || kMostParts * half.count < means.all.count) continue;
    if (half.value() >= kAgreeingHalf) best = std::max(best, half.value());
  }
  return best;
}

}  // namespace

PrintAgreement print_agreement(const std::vector<PrintEdge>& edges, const cv::Mat& distinctive,
                               const ColourImage& image, const ColourImage& photo,
                               const Homography& to_photo) {
  const Side one = side_of(image);
  const Side two = side_of(photo);
  const Homography map = loaded_to_full(photo).inverse() * to_photo * loaded_to_full(image);
  const Frame frame = FrameMaker(one, two, map).make_brightness(kPrintSidePx);
  if (std::min(frame.mask.cols, frame.mask.rows) < kLeastMapPx) return {};
  const Comparison compared(frame);
  const CellMeans own = means_in(distinctive, compared);
  if (own.all.count < own.fewest) return {};
  PrintAgreement found;
  found.is_light = is_light(image);
  // Strokes agree by chance here and there, so that light images are judged as a whole.
  found.own = found.is_light ? own.all.value() : best_mean(own);
  const CellMeans shared = means_in(shared_cells(edges), compared);
  if (shared.all.count >= shared.fewest) found.shared = shared.all.value();
  return found;
}

namespace {

constexpr int kLeastGround = 120;    // level of light ground
constexpr double kLeastShare = 0.6;  // of light ground, of all pixels

// Numbers of pixels, by grey level.
using Levels = std::array<std::size_t, 256>;

// Returns the number of pixels whose levels are at most `width` from a level.
std::size_t count_near(const Levels& levels, int level, int width) {
  const auto first = levels.begin() + std::max(0, level - width);
  const auto last = levels.begin() + std::min(255, level + width);
  return std::accumulate(first, last + 1, std::size_t{0});
}

// Returns the number of pixels of ground at a level.
double count_ground(const Levels& levels, int level) {
  constexpr int kNear = 30;
  return static_cast<double>(count_near(levels, level, kNear));
}

}  // namespace

bool is_light(const ColourImage& picture) {
  constexpr int kNearest = 20;
  const ImageView grey = picture.brightness.view();
  if (!may_be_light(grey)) return false;
  Levels colourless{};
  for (int y = 0; y < grey.height; ++y) {
    for (int x = 0; x < grey.width; ++x) {
      if (!is_colourful(picture, x, y)) ++colourless[grey.at(x, y)];
    }
  }
  int ground = 0;  // the commonest level
  for (int level = 1; level < 256; ++level) {
    if (count_near(colourless, level, kNearest) > count_near(colourless, ground, kNearest)) {
      ground = level;
    }
  }
  return ground > kLeastGround &&
         count_ground(colourless, ground) >= kLeastShare * static_cast<double>(grey.size());
}

bool may_be_light(const ImageView& brightness) {
  constexpr double kOtherSize = 0.9;  // the share in a picture of one size to that in another's
  Levels all{};
  for (std::size_t i = 0; i < brightness.size(); ++i) ++all[brightness.pixels[i]];
  const double least = kOtherSize * kLeastShare * static_cast<double>(brightness.size());
  for (int level = kLeastGround; level < 256; ++level) {
    if (count_ground(all, level) >= least) return true;
  }
  return false;
}

}  // namespace lookalike
