#include "stages/match/refine/parallax.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "stages/match/refine/squares.h"
#include "stages/match/verify/pose_fit.h"

namespace lookalike {
namespace {

constexpr double kParallaxSidePx = 640;
constexpr int kAcross = 12;
constexpr int kNearPx = 4;                     // where squares are searched first
constexpr int kFarPx = 14;                     // and where those that are not found there
constexpr double kLeastFarCorrelation = 0.85;  // else it may be another letter
constexpr double kMovedPx = 0.6;
constexpr double kClearlyBetter = 1.6;   // times less disagreement
constexpr double kEqualSquares = 0.002;  // disagreement of equal squares
constexpr std::size_t kLeastSquares = 8;
constexpr std::size_t kLeastMoved = 4;

// True if a square is burnt out in one picture and not in the other: its edges seem to move.
bool is_clipped_in_one(const cv::Mat& object, const cv::Mat& scene) {
  constexpr double kMostClipped = 0.05;
  constexpr double kBlack = 4;
  constexpr double kWhite = 250;
  const auto clipped = [](const cv::Mat& square) {
    return cv::countNonZero(square >= kWhite) + cv::countNonZero(square <= kBlack);
  };
  return std::abs(clipped(object) - clipped(scene)) > kMostClipped * kSquarePx * kSquarePx;
}

// Squares of the object, as found in the scene.
struct Squares {
  std::vector<FoundSquare> found;
  std::vector<cv::Point> lost;  // corners of those that are not found nearby
};

// Finds squares of the object near where the map takes them.
Squares squares_near(const Frame& frame) {
  const cv::Mat& object = frame.object.brightness;
  const cv::Mat& scene = frame.scene.brightness;
  Squares squares;
  const int step_x = std::max(kSquarePx, (object.cols - 2 * kNearPx) / kAcross);
  const int step_y = std::max(kSquarePx, (object.rows - 2 * kNearPx) / kAcross);
  for (int y = kNearPx; y + kSquarePx + kNearPx <= object.rows; y += step_y) {
    for (int x = kNearPx; x + kSquarePx + kNearPx <= object.cols; x += step_x) {
      const cv::Rect square(x, y, kSquarePx, kSquarePx);
      if (is_clipped_in_one(object(square), scene(square))) continue;
      auto found = find_square(object, scene, frame.mask, square.tl(), kNearPx);
      if (found) {
        squares.found.push_back(*std::move(found));
      } else {
        squares.lost.push_back(square.tl());
      }
    }
  }
  return squares;
}

// Searches for lost squares farther away, and adds those that it finds.
void find_far(const Frame& frame, Squares& squares) {
  const cv::Mat& object = frame.object.brightness;
  for (const cv::Point& corner : squares.lost) {
    const bool has_room = std::min(corner.x, corner.y) >= kFarPx &&
                          corner.x + kSquarePx + kFarPx <= object.cols &&
                          corner.y + kSquarePx + kFarPx <= object.rows;
    if (!has_room) continue;
    auto found = find_square(object, frame.scene.brightness, frame.mask, corner, kFarPx);
    if (found && found->correlation >= kLeastFarCorrelation) {
      squares.found.push_back(*std::move(found));
    }
  }
}

// Returns the largest correlation at the shifts around a place where the square's centre may lie.
double correlation_near(const FoundSquare& square, Point centre) {
  const int x = static_cast<int>(std::floor(centre.x - square.centres.object.x)) + square.reach;
  const int y = static_cast<int>(std::floor(centre.y - square.centres.object.y)) + square.reach;
  const cv::Rect near = cv::Rect(x, y, 2, 2) & cv::Rect({}, square.correlations.size());
  if (near.empty()) return -1;
  double largest = -1;
  cv::minMaxLoc(square.correlations(near), nullptr, &largest);
  return largest;
}

bool has_moved(const FoundSquare& square, Point expected) {
  const Point found = square.centres.scene;
  if (std::hypot(found.x - expected.x, found.y - expected.y) < kMovedPx) return false;
  const double here = 1 - correlation_near(square, expected) + kEqualSquares;
  return here >= kClearlyBetter * (1 - square.correlation + kEqualSquares);
}

// Returns how far an outline reaches beyond a picture, as a share of the longer side of that.
double reach_beyond(const Quad& quad, cv::Size picture) {
  const Quad frame = outline({}, picture.width, picture.height);
  double furthest = 0;
  for (const Point& corner : quad) {
    furthest = std::max({furthest, frame[0].x - corner.x, corner.x - frame[2].x,
                         frame[0].y - corner.y, corner.y - frame[2].y});
  }
  return furthest / std::max(picture.width, picture.height);
}

// See ShotSigns::beyond.
double smaller_reach(cv::Size object, cv::Size scene, const Homography& map) {
  constexpr double kOneFrame = 0.03;
  const double there = reach_beyond(outline(map, object.width, object.height), scene);
  const double back = reach_beyond(outline(map.inverse(), scene.width, scene.height), object);
  return std::max(there, back) <= kOneFrame ? std::min(there, back) : 0;
}

// Returns the affine map that most pairs obey.
std::optional<Homography> affine_map(const std::vector<PointPair>& pairs, double scale_px) {
  constexpr double kAll = std::numeric_limits<double>::infinity();
  const auto start = fit_pose(PoseModel::kAffine, pairs, Homography{}, kAll);
  return start ? fit_pose(PoseModel::kAffine, pairs, *start, scale_px) : std::nullopt;
}

struct Look {
  ShotSigns signs;
  Homography fit;  // from px of the object to px of the scene, affine
};

// Returns what squares show; nothing if they are too few.
//   map   from px of the object to px of the scene, which has laid the scene into the frame
//   size  of the frame, px
std::optional<Look> look_at(const std::vector<FoundSquare>& squares, const Homography& map,
                            cv::Size object, cv::Size scene, cv::Size size) {
  if (squares.size() < kLeastSquares) return std::nullopt;
  // The map may hold a perspective.
  const Homography to_scene = map * resizing(size.width, size.height, object.width, object.height);
  std::vector<PointPair> pairs;
  pairs.reserve(squares.size());
  for (const FoundSquare& square : squares) {
    pairs.push_back({square.centres.object, to_scene.apply(square.centres.scene)});
  }
  const Jacobian at = jacobian(to_scene, middle(size.width, size.height));
  const auto fit = affine_map(pairs, std::sqrt(std::abs(at.determinant())));
  if (!fit) return std::nullopt;
  const Homography to_frame = to_scene.inverse();
  const auto moved = static_cast<std::size_t>(std::ranges::count_if(squares, [&](const auto& one) {
    return has_moved(one, to_frame.apply(fit->apply(one.centres.object)));
  }));
  Look look{{}, *fit * resizing(object.width, object.height, size.width, size.height)};
  if (moved >= kLeastMoved) {
    look.signs.moved = static_cast<double>(moved) / static_cast<double>(squares.size());
  }
  look.signs.beyond = smaller_reach(size, scene, *fit);
  return look;
}

// Looks once; nothing if too few squares are found. Far squares are searched only if the near ones
// show no two shots.
std::optional<Look> look_once(const Side& object, const Side& scene, const Homography& map) {
  const cv::Size full = object.brightness.size();
  const double side_px = std::min<double>(kParallaxSidePx, std::max(full.width, full.height));
  const Frame frame = FrameMaker(object, scene, map).make_brightness(side_px);
  const auto look = [&](const Squares& squares) {
    return look_at(squares.found, map, full, scene.brightness.size(), frame.mask.size());
  };
  Squares squares = squares_near(frame);
  const auto near = look(squares);
  if (near && near->signs.are_clear()) return near;
  find_far(frame, squares);
  return look(squares);
}

}  // namespace

ShotSigns look_for_shots(const Side& object, const Side& scene, const Homography& map) {
  const auto look = look_once(object, scene, map);
  if (!look) return {};
  constexpr double kFarAbove = 2;  // the limits
  const ShotSigns& signs = look->signs;
  if (!signs.are_clear() || signs.moved >= kFarAbove * ShotSigns::kMoved ||
      signs.beyond >= kFarAbove * ShotSigns::kBeyond) {
    return signs;
  }
  // Squares at fractions of a pixel correlate less: lay the scene where most of them lie.
  const auto closer = look_once(object, scene, look->fit);
  return closer ? closer->signs : ShotSigns();
}

}  // namespace lookalike
