#include "base/geometry.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "base/error.h"

namespace lookalike {
namespace {

using Polygon = std::vector<Point>;

// Positive if c lies clockwise of the line from a to b, as seen with y down.
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

// Returns the part of the polygon on the inner side of the line from a to b.
Polygon clip(const Polygon& polygon, Point a, Point b) {
  Polygon inner;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point& from = polygon[i];
    const Point& to = polygon[(i + 1) % polygon.size()];
    const double from_side = side_of(a, b, from);
    const double to_side = side_of(a, b, to);
    if (from_side >= 0) inner.push_back(from);
    if ((from_side < 0) != (to_side < 0)) {
      const double share = from_side / (from_side - to_side);
      inner.push_back({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
    }
  }
  return inner;
}

// Returns the part of the polygon in a convex quad.
Polygon clip(Polygon polygon, const Quad& frame) {
  for (std::size_t i = 0; i < frame.size(); ++i) {
    polygon = clip(polygon, frame[i], frame[(i + 1) % frame.size()]);
  }
  return polygon;
}

double intersection_over_union(const Polygon& a, const Polygon& b, const Quad& within_b) {
  const double shared = polygon_area(clip(a, within_b));
  const double all = polygon_area(a) + polygon_area(b) - shared;
  return all > 0 ? shared / all : 0;
}

}  // namespace

Homography Homography::inverse() const {
  const std::array<double, 9> adjugate = {
      h[4] * h[8] - h[5] * h[7], h[2] * h[7] - h[1] * h[8], h[1] * h[5] - h[2] * h[4],
      h[5] * h[6] - h[3] * h[8], h[0] * h[8] - h[2] * h[6], h[2] * h[3] - h[0] * h[5],
      h[3] * h[7] - h[4] * h[6], h[1] * h[6] - h[0] * h[7], h[0] * h[4] - h[1] * h[3]};
  const double determinant = h[0] * adjugate[0] + h[1] * adjugate[3] + h[2] * adjugate[6];
  require(std::isnormal(determinant), "Homography::inverse: the map is singular");
  Homography result;
  for (std::size_t i = 0; i < 9; ++i) result.h[i] = adjugate[i] / determinant;
  return result;
}

Homography operator*(const Homography& a, const Homography& b) {
  Homography product;
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t col = 0; col < 3; ++col) {
      product.h[3 * row + col] = a.h[3 * row] * b.h[col] + a.h[3 * row + 1] * b.h[3 + col] +
                                 a.h[3 * row + 2] * b.h[6 + col];
    }
  }
  return product;
}

Homography translation(double x, double y) {
  return {{1, 0, x, 0, 1, y, 0, 0, 1}};
}

Homography resizing(int from_width, int from_height, int to_width, int to_height) {
  const double x = static_cast<double>(to_width) / from_width;
  const double y = static_cast<double>(to_height) / from_height;
  return {{x, 0, (x - 1) / 2, 0, y, (y - 1) / 2, 0, 0, 1}};
}

Jacobian jacobian(const Homography& map, Point object) {
  return jacobian(map, map.apply(object), map.depth(object));
}

Jacobian jacobian(const Homography& map, Point mapped, double depth) {
  const auto& h = map.h;
  return {(h[0] - mapped.x * h[6]) / depth, (h[1] - mapped.x * h[7]) / depth,
          (h[3] - mapped.y * h[6]) / depth, (h[4] - mapped.y * h[7]) / depth};
}

Point middle(int width, int height) {
  return {(width - 1) / 2.0, (height - 1) / 2.0};
}

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
  return intersection_over_union(Polygon(a.begin(), a.end()), Polygon(b.begin(), b.end()), b);
}

double intersection_over_union(const Quad& a, const Quad& b, const Quad& frame) {
  if (!is_convex(a) || !is_convex(b)) return 0;
  return intersection_over_union(clip(Polygon(a.begin(), a.end()), frame),
                                 clip(Polygon(b.begin(), b.end()), frame), b);
}

double share_covered(const Quad& quad, int width, int height) {
  const Quad frame = outline({}, width, height);
  const Quad other = clockwise(quad);
  const double common = intersection_over_union(frame, other);
  // |a and b| from |a and b| / |a or b|
  const double area = signed_area(frame);
  return std::min(1.0, common / (1 + common) * (area + signed_area(other)) / area);
}

double furthest_corner_px(const Quad& a, const Quad& b) {
  double furthest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    furthest = std::max(furthest, std::hypot(a[i].x - b[i].x, a[i].y - b[i].y));
  }
  return furthest;
}

}  // namespace lookalike
