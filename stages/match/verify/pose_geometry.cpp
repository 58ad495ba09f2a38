#include "stages/match/verify/pose_geometry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/quad.h"

namespace lookalike {
namespace {

constexpr double kMaxArea = 1e4;      // scene px per object px, and its inverse
constexpr double kMaxSqueeze = 6;     // longest over shortest axis of a circle's image
constexpr double kMaxDepthRatio = 5;  // of the corners' distances from the camera

// Longest over shortest axis of the ellipse that a small circle becomes.
double squeeze(const Jacobian& j) {
  const double squares = j.xx * j.xx + j.xy * j.xy + j.yx * j.yx + j.yy * j.yy;
  const double area = std::abs(j.determinant());
  const double half_spread = std::sqrt(std::max(0.0, squares * squares / 4 - area * area));
  return (squares / 2 + half_spread) / area;
}

}  // namespace

double depth(const Homography& map, Point object) {
  return map.h[6] * object.x + map.h[7] * object.y + map.h[8];
}

Jacobian jacobian(const Homography& map, Point mapped, double depth) {
  const auto& h = map.h;
  return {(h[0] - mapped.x * h[6]) / depth, (h[1] - mapped.x * h[7]) / depth,
          (h[3] - mapped.y * h[6]) / depth, (h[4] - mapped.y * h[7]) / depth};
}

Jacobian jacobian(const Homography& map, Point object) {
  return jacobian(map, map.apply(object), depth(map, object));
}

Homography translation(double x, double y) {
  return {{1, 0, x, 0, 1, y, 0, 0, 1}};
}

Homography resizing(int from_width, int from_height, int to_width, int to_height) {
  const double x = static_cast<double>(to_width) / from_width;
  const double y = static_cast<double>(to_height) / from_height;
  return {{x, 0, (x - 1) / 2, 0, y, (y - 1) / 2, 0, 0, 1}};
}

Point middle(int width, int height) {
  return {(width - 1) / 2.0, (height - 1) / 2.0};
}

bool is_plausible(const Homography& object_to_scene, int width, int height) {
  const std::array<Point, 4> corners = {Point{-0.5, -0.5}, Point{width - 0.5, -0.5},
                                        Point{width - 0.5, height - 0.5},
                                        Point{-0.5, height - 0.5}};
  double nearest = std::numeric_limits<double>::infinity();
  double farthest = 0;
  for (const Point& corner : corners) {
    const double w = depth(object_to_scene, corner);
    if (!(w > 0)) return false;
    nearest = std::min(nearest, w);
    farthest = std::max(farthest, w);
  }
  if (farthest > kMaxDepthRatio * nearest) return false;
  const Quad quad = outline(object_to_scene, width, height);
  const double area = signed_area(quad) / (static_cast<double>(width) * height);
  if (!is_convex(quad) || area > kMaxArea || area < 1 / kMaxArea) return false;
  return squeeze(jacobian(object_to_scene, middle(width, height))) <= kMaxSqueeze;
}

}  // namespace lookalike
