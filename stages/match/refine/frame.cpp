#include "stages/match/refine/frame.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "base/artefacts.h"
#include "base/pair_sums.h"
#include "base/quantile.h"
#include "stages/match/refine/squares.h"
#include "stages/match/verify/pose_fit.h"

namespace lookalike {
namespace {

// Width of the rim of the scene that interpolation mixes with nothing, px of the frame.
constexpr double kRimPx = 3;

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

// Finds squares of the object in the scene, up to `reach` px away. Returns their centres in both.
std::vector<PointPair> moves_of_squares(const cv::Mat& object, const cv::Mat& scene,
                                        const cv::Mat& mask, int reach) {
  constexpr int kAcross = 12;
  std::vector<PointPair> moves;
  const int step_x = std::max(kSquarePx, (object.cols - 2 * reach) / kAcross);
  const int step_y = std::max(kSquarePx, (object.rows - 2 * reach) / kAcross);
  for (int y = reach; y + kSquarePx + reach <= object.rows; y += step_y) {
    for (int x = reach; x + kSquarePx + reach <= object.cols; x += step_x) {
      const auto found = find_square(object, scene, mask, {x, y}, reach);
      if (found) moves.push_back(found->centres);
    }
  }
  return moves;
}

// Returns a plane in a picture of a size.
//   map     from px of that picture to px of the plane
//   shrink  px of that picture per px of the plane
cv::Mat warped(const cv::Mat& plane, const Homography& map, cv::Size size, double shrink,
               int method) {
  const cv::Mat level = resized(plane, scaled(plane.size(), std::min(1.0, shrink)));
  const Homography to_level = resizing(plane.cols, plane.rows, level.cols, level.rows) * map;
  cv::Mat result;
  cv::warpPerspective(level, result, as_matrix(to_level), size, method | cv::WARP_INVERSE_MAP);
  return result;
}

// Returns the plane under a pixel map, in a picture of a size; 0 where it has no pixels.
cv::Mat copied(const cv::Mat& plane, const PixelMap& map, cv::Size size) {
  const bool is_transposed = map.xx == 0;
  const int across = is_transposed ? map.yx : map.xx;  // -1: mirrored
  const int down = is_transposed ? map.xy : map.yy;
  const cv::Size turned = is_transposed ? cv::Size(size.height, size.width) : size;
  const cv::Point corner(
      map.x + std::min(0, map.xx * (size.width - 1) + map.xy * (size.height - 1)),
      map.y + std::min(0, map.yx * (size.width - 1) + map.yy * (size.height - 1)));
  const cv::Rect wanted(corner, turned);
  const cv::Rect seen = wanted & cv::Rect({}, plane.size());
  cv::Mat result(turned, plane.type(), cv::Scalar::all(0));
  if (!seen.empty()) plane(seen).copyTo(result(seen - corner));
  if (is_transposed) cv::transpose(result, result);
  if (across < 0) cv::flip(result, result, 1);
  if (down < 0) cv::flip(result, result, 0);
  return result;
}

// Returns the correlation of the brightness of what both show.
double correlation_in(const Frame& frame) {
  PairSums<double> sums;
  for (int y = 0; y < frame.mask.rows; ++y) {
    for (int x = 0; x < frame.mask.cols; ++x) {
      if (frame.mask.at<std::uint8_t>(y, x) == 0) continue;
      sums.add(frame.object.brightness.at<std::uint8_t>(y, x),
               frame.scene.brightness.at<std::uint8_t>(y, x));
    }
  }
  return sums.count > 0 ? correlation_of(sums) : -1;
}

// Returns the map corrected by squares, in frames of at most `side_px`.
Homography corrected(const Side& object, const Side& scene, const Homography& map, double side_px) {
  constexpr std::size_t kLeastMoves = 8;
  constexpr int kReachPx = 4;
  constexpr double kFarPx = 2 * kReachPx;  // of a corner, which lies outside the squares
  const Frame frame = FrameMaker(object, scene, map).make_brightness(side_px);
  const cv::Size size = frame.mask.size();
  const std::vector<PointPair> moves =
      moves_of_squares(frame.object.brightness, frame.scene.brightness, frame.mask, kReachPx);
  if (moves.size() < kLeastMoves) return map;
  const auto better = fit_pose(PoseModel::kPerspective, moves, Homography{}, 1);
  if (!better) return map;
  const Quad before = outline({}, size.width, size.height);
  const Quad after = outline(*better, size.width, size.height);
  const cv::Size full = object.brightness.size();
  const Homography to_frame = resizing(full.width, full.height, size.width, size.height);
  const Homography result = map * to_frame.inverse() * *better * to_frame;
  if (furthest_corner_px(before, after) <= kFarPx) return result;
  const Frame again = FrameMaker(object, scene, result).make_brightness(side_px);
  return correlation_in(again) > correlation_in(frame) ? result : map;
}

}  // namespace

Side side_of(const ColourImage& picture) {
  const auto plane = [](int width, int height, const std::vector<std::uint8_t>& values, int type) {
    return cv::Mat(height, width, type, const_cast<std::uint8_t*>(values.data()));
  };
  const auto gray = [&](const GrayImage& image) {
    return plane(image.width, image.height, image.pixels, CV_8U);
  };
  Side side;
  side.brightness = gray(picture.brightness);
  side.colours = plane(picture.colour_width, picture.colour_height, picture.colours, CV_8UC3);
  if (!picture.alpha.empty()) side.opaque = gray(picture.alpha) >= kLeastOpaque;
  return side;
}

Homography loaded_to_full(const ColourImage& picture) {
  return resizing(picture.brightness.width, picture.brightness.height, picture.full_width,
                  picture.full_height);
}

bool is_resizing(const Homography& map, cv::Size from, cv::Size to) {
  constexpr double kSlackPx = 0.01;
  return furthest_corner_px(outline(map, from.width, from.height),
                            outline({}, to.width, to.height)) < kSlackPx;
}

std::optional<PixelMap> pixel_map(const Homography& map, cv::Size picture, double slack_px) {
  const Point centre = middle(picture.width, picture.height);
  const Jacobian j = jacobian(map, centre);
  const auto rounded = [](double value) { return static_cast<int>(std::lround(value)); };
  PixelMap exact{rounded(j.xx), rounded(j.xy), rounded(j.yx), rounded(j.yy)};
  if (std::abs(exact.xx * exact.yy - exact.xy * exact.yx) != 1 ||
      std::abs(exact.xx) + std::abs(exact.xy) != 1) {
    return std::nullopt;
  }
  const Point at = map.apply(centre);
  exact.x = rounded(at.x - exact.xx * centre.x - exact.xy * centre.y);
  exact.y = rounded(at.y - exact.yx * centre.x - exact.yy * centre.y);
  const Quad outline_of_map = outline(map, picture.width, picture.height);
  const Quad outline_of_exact = outline(exact.homography(), picture.width, picture.height);
  if (furthest_corner_px(outline_of_map, outline_of_exact) > slack_px) return std::nullopt;
  return exact;
}

FrameMaker::FrameMaker(const Side& object, const Side& scene, const Homography& map)
    : object_(object), scene_(scene), map_(map) {
  const cv::Size full = object.brightness.size();
  shrink_ = std::sqrt(std::abs(jacobian(map, middle(full.width, full.height)).determinant()));
  is_whole_ = is_resizing(map, full, scene.brightness.size());
  constexpr double kExactPx = 0.01;
  exact_ = pixel_map(map, full, kExactPx);
}

struct FrameMaker::Scale {
  double factor = 1;  // px of the frame per px of the object
  cv::Size size{};    // of the frame
};

// Returns the scale of the poorer picture, within the limits.
FrameMaker::Scale FrameMaker::scale_for(std::optional<double> side_px) const {
  const cv::Size full = object_.brightness.size();
  const double most = side_px ? *side_px / std::max(full.width, full.height)
                              : std::sqrt(kMostComparedPixels / (double{1} * full.area()));
  const double factor = std::min({1.0, shrink_, most});
  if (is_whole_ && factor == shrink_) return {factor, scene_.brightness.size()};
  return {factor, scaled(full, factor)};
}

Frame FrameMaker::brightness_at(const Scale& scale) const {
  Frame frame;
  frame.object.brightness = resized(object_.brightness, scale.size);
  frame.scene.brightness = laid(scene_.brightness, scale, cv::INTER_CUBIC);
  frame.mask = mask(scale);
  return frame;
}

Frame FrameMaker::make_brightness(std::optional<double> side_px) const {
  return brightness_at(scale_for(side_px));
}

Frame FrameMaker::make() const {
  const Scale scale = scale_for(std::nullopt);
  Frame frame = brightness_at(scale);
  frame.hidden = hidden(scale);
  add_colours(scale, frame);
  return frame;
}

Frame FrameMaker::make_colours() const {
  const Scale scale = scale_for(std::nullopt);
  Frame frame;
  frame.mask = mask(scale);
  add_colours(scale, frame);
  return frame;
}

void FrameMaker::add_colours(const Scale& scale, Frame& frame) const {
  constexpr int kPx = ColourImage::kColourPx;
  const cv::Size quarter(std::max(1, scale.size.width / kPx), std::max(1, scale.size.height / kPx));
  const cv::Size object = object_.brightness.size();
  const Homography wide = resizing(1, 1, kPx, kPx);
  const Homography to_object =
      resizing(scale.size.width, scale.size.height, object.width, object.height) * wide;
  const auto warp = [&](const cv::Mat& colours, const Homography& map, double shrink) {
    return warped(colours, wide.inverse() * map * to_object, quarter, shrink, cv::INTER_LINEAR);
  };
  frame.object.colours =
      scale.size == object ? object_.colours : warp(object_.colours, {}, scale.factor);
  frame.scene.colours = warp(scene_.colours, map_, scale.factor / shrink_);
}

// Returns the scene's brightness or opacity in a frame. Cubic interpolation keeps thin strokes,
// which lose half of their contrast otherwise.
cv::Mat FrameMaker::laid(const cv::Mat& plane, const Scale& scale, int method) const {
  if (is_whole_) return resized(plane, scale.size);
  const cv::Size object = object_.brightness.size();
  if (exact_ && scale.size == object) return copied(plane, *exact_, scale.size);
  const Homography to_object =
      resizing(scale.size.width, scale.size.height, object.width, object.height);
  return warped(plane, map_ * to_object, scale.size, scale.factor / shrink_, method);
}

cv::Mat FrameMaker::mask(const Scale& scale) const {
  const cv::Size size = scale.size;
  cv::Mat mask(size, CV_8U, cv::Scalar(255));
  const auto leave_out = [&mask](const cv::Mat& opaque) {
    cv::bitwise_and(mask, opaque == 255, mask);
  };
  if (!object_.opaque.empty()) leave_out(resized(object_.opaque, size));
  if (is_whole_) {
    if (!scene_.opaque.empty()) leave_out(resized(scene_.opaque, size));
    return mask;
  }
  if (!scene_.opaque.empty()) {
    cv::Mat seen = laid(scene_.opaque, scale, cv::INTER_LINEAR);
    cv::erode(seen == 255, seen, cv::Mat::ones(5, 5, CV_8U));
    leave_out(seen);
  } else if (!is_seen_whole()) {
    leave_out(seen_of_scene(size));
  }
  return mask;
}

// Returns where the scene covers the frame and one of both alone is transparent.
cv::Mat FrameMaker::hidden(const Scale& scale) const {
  if (object_.opaque.empty() && scene_.opaque.empty()) return {};
  cv::Mat object(scale.size, CV_8U, cv::Scalar(255));
  cv::Mat scene(scale.size, CV_8U, cv::Scalar(255));
  if (!object_.opaque.empty()) object = resized(object_.opaque, scale.size) >= kLeastOpaque;
  if (!scene_.opaque.empty()) {
    scene = laid(scene_.opaque, scale, cv::INTER_LINEAR) >= kLeastOpaque;
  }
  cv::Mat hidden;
  cv::bitwise_xor(object, scene, hidden);
  const bool is_covered = is_whole_ || is_seen_whole();
  if (!is_covered) cv::bitwise_and(hidden, seen_of_scene(scale.size), hidden);
  return hidden;
}

// Returns the part of a frame of a size that the scene fills, without its rim: 255 inside.
cv::Mat FrameMaker::seen_of_scene(cv::Size size) const {
  const cv::Size object = object_.brightness.size();
  const cv::Size scene = scene_.brightness.size();
  const Homography to_frame =
      resizing(object.width, object.height, size.width, size.height) * map_.inverse();
  const double rim = exact_ ? 0 : kRimPx * std::max(1.0, shrink_);
  const double right = scene.width - 1 - rim;
  const double bottom = scene.height - 1 - rim;
  constexpr int kFractionBits = 4;
  std::vector<cv::Point> corners;
  for (const Point& corner :
       {Point{rim, rim}, Point{right, rim}, Point{right, bottom}, Point{rim, bottom}}) {
    const Point at = to_frame.apply(corner);
    corners.emplace_back(cvRound(at.x * (1 << kFractionBits)),
                         cvRound(at.y * (1 << kFractionBits)));
  }
  cv::Mat seen(size, CV_8U, cv::Scalar(0));
  cv::fillConvexPoly(seen, corners, cv::Scalar(255), cv::LINE_8, kFractionBits);
  return seen;
}

// True if the object lies inside the scene with room to interpolate.
bool FrameMaker::is_seen_whole() const {
  const double margin = kRimPx * std::max(1.0, shrink_);
  const cv::Size object = object_.brightness.size();
  const cv::Size scene = scene_.brightness.size();
  return std::ranges::all_of(outline(map_, object.width, object.height), [&](const Point& at) {
    return at.x >= margin && at.y >= margin && at.x <= scene.width - margin &&
           at.y <= scene.height - margin;
  });
}

std::optional<Homography> exact_map(const Side& object, const Side& scene, const Homography& map) {
  constexpr double kSlackPx = 3;  // of the map
  constexpr double kSamePx = 0.12;
  constexpr double kMostSquares = 0.9;  // others may find another letter
  constexpr std::size_t kLeastMoves = 8;
  constexpr int kReachPx = 4;
  const cv::Size size = object.brightness.size();
  const auto near = pixel_map(map, size, kSlackPx);
  if (!near) return std::nullopt;
  const Frame frame = FrameMaker(object, scene, near->homography())
                          .make_brightness(std::max(size.width, size.height));
  std::vector<double> moves[2];
  std::vector<double> off;
  for (const auto& [from, to] :
       moves_of_squares(frame.object.brightness, frame.scene.brightness, frame.mask, kReachPx)) {
    moves[0].push_back(to.x - from.x);
    moves[1].push_back(to.y - from.y);
  }
  if (moves[0].size() < kLeastMoves) return std::nullopt;
  const Point moved{std::round(quantile(moves[0], 0.5)), std::round(quantile(moves[1], 0.5))};
  for (std::size_t i = 0; i < moves[0].size(); ++i) {
    off.push_back(std::hypot(moves[0][i] - moved.x, moves[1][i] - moved.y));
  }
  if (quantile(std::move(off), kMostSquares) > kSamePx) return std::nullopt;
  return near->homography() * translation(moved.x, moved.y);
}

Homography aligned(const Side& object, const Side& scene, Homography map) {
  constexpr double kFirstSidePx = 640;
  constexpr double kMuchFiner = 1.5;
  const double longest = std::max(object.brightness.cols, object.brightness.rows);
  double side_px = std::min(kFirstSidePx, longest);
  constexpr int kMostSteps = 3;
  constexpr double kStillPx = 1;
  for (int step = 0; step < kMostSteps; ++step) {
    const Homography before = std::exchange(map, corrected(object, scene, map, side_px));
    const cv::Size size = object.brightness.size();
    const double moved_px = furthest_corner_px(outline(before, size.width, size.height),
                                               outline(map, size.width, size.height));
    if (moved_px < kStillPx * longest / side_px) break;
  }
  while (side_px * kMuchFiner < longest) {
    side_px = std::min(2 * side_px, longest);
    map = corrected(object, scene, map, side_px);
  }
  return map;
}

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

}  // namespace lookalike
