#include "base/quad.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace lookalike {
namespace {

using Polygon = std::vector<Point>;

// Positive when c lies clockwise of the line from a to b, as seen with y down.
double side_of(Point a, Point b, Point c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

double polygon_area(std::span<const Point> polygon) {
  double twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point& next = polygon[(i + 1) % polygon.size()];
    twice += polygon[i].x * next.y - next.x * polygon[i].y;
  }
  return twice / 2;
}

// The part of the polygon on the inner side of the line from a to b.
Polygon clip(const Polygon& polygon, Point a, Point b) {
  Polygon kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point& from = polygon[i];
    const Point& to = polygon[(i + 1) % polygon.size()];
    const double from_side = side_of(a, b, from);
    const double to_side = side_of(a, b, to);
    if (from_side >= 0) kept.push_back(from);
    if ((from_side < 0) != (to_side < 0)) {
      const double share = from_side / (from_side - to_side);
      kept.push_back({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
    }
  }
  return kept;
}

}  // namespace

Quad outline(const Homography& object_to_scene, int width, int height) {
  const double right = width;
  const double bottom = height;
  return moved({{{0, 0}, {right, 0}, {right, bottom}, {0, bottom}}}, object_to_scene);
}

Quad moved(Quad quad, const Homography& map) {
  for (Point& corner : quad) {
    const Point centre_based = map.apply({corner.x - 0.5, corner.y - 0.5});
    corner = {centre_based.x + 0.5, centre_based.y + 0.5};
  }
  return quad;
}

double signed_area(const Quad& quad) {
  return polygon_area(quad);
}

bool is_convex(const Quad& quad) {
  for (std::size_t i = 0; i < quad.size(); ++i) {
    if (!(side_of(quad[i], quad[(i + 1) % 4], quad[(i + 2) % 4]) > 0)) return false;
  }
  return true;
}

Quad clockwise(Quad quad) {
  if (signed_area(quad) < 0) std::reverse(quad.begin(), quad.end());
  return quad;
}

bool contains(const Quad& quad, Point point) {
  for (std::size_t i = 0; i < quad.size(); ++i) {
    if (side_of(quad[i], quad[(i + 1) % 4], point) < 0) return false;
  }
  return true;
}

double intersection_over_union(const Quad& a, const Quad& b) {
  if (!is_convex(a) || !is_convex(b)) return 0;
  Polygon common(a.begin(), a.end());
  for (std::size_t i = 0; i < b.size(); ++i) common = clip(common, b[i], b[(i + 1) % 4]);
  const double shared = polygon_area(common);
  return shared / (signed_area(a) + signed_area(b) - shared);
}

double furthest_corner_px(const Quad& a, const Quad& b) {
  double furthest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    furthest = std::max(furthest, std::hypot(a[i].x - b[i].x, a[i].y - b[i].y));
  }
  return furthest;
}

}  // namespace lookalike
