#pragma once

#include <array>

namespace lookalike {

struct Point {
  double x = 0;
  double y = 0;

  bool operator==(const Point&) const = default;
};

// A place on an object and the place in a scene that shows it.
struct PointPair {
  Point object;
  Point scene;

  bool operator==(const PointPair&) const = default;
};

// A plane projective map, row-major 3x3: (x', y', w') = h * (x, y, 1).
struct Homography {
  std::array<double, 9> h = {1, 0, 0, 0, 1, 0, 0, 0, 1};

  // Where the point goes; not finite when it goes to infinity.
  Point apply(Point point) const {
    const double w = depth(point);
    return {(h[0] * point.x + h[1] * point.y + h[2]) / w,
            (h[3] * point.x + h[4] * point.y + h[5]) / w};
  }
  // w' of the point: proportional to its distance from the camera, not positive behind it.
  double depth(Point point) const { return h[6] * point.x + h[7] * point.y + h[8]; }
  // The map that goes back. Throws Error(kInternal) when there is none.
  Homography inverse() const;

  bool operator==(const Homography&) const = default;
};

// First b, then a.
Homography operator*(const Homography& a, const Homography& b);

// Moves by x and y.
Homography translation(double x, double y);

// The map between pixel centres of an image and of the same image resized.
Homography resizing(int from_width, int from_height, int to_width, int to_height);

// Partial derivatives of a map at a point: those of the scene's x, then y, by the object's x and y.
struct Jacobian {
  double xx = 1;
  double xy = 0;
  double yx = 0;
  double yy = 1;

  double determinant() const { return xx * yy - xy * yx; }
};

// The Jacobian at an object point; the second form is given where it is mapped to and its depth.
Jacobian jacobian(const Homography& map, Point object);
Jacobian jacobian(const Homography& map, Point mapped, double depth);

// The middle of a w x h image, between pixel centres.
Point middle(int width, int height);

// Corners of an object as a photo shows it: its top-left, top-right, bottom-right, bottom-left, in
// full-size px of the photo. A corner is the outer corner of the corner pixel, counted from the
// outer corner of the photo's top-left pixel, so a whole photo is (0, 0), (w, 0), (w, h), (0, h).
using Quad = std::array<Point, 4>;

// The quad of a w x h object under a map between pixel centres.
Quad outline(const Homography& object_to_scene, int width, int height);

// A quad under a map between pixel centres.
Quad moved(Quad quad, const Homography& map);

// Area of a quad, positive when its corners run clockwise as seen (y down), as an outline's do
// unless it is mirrored.
double signed_area(const Quad& quad);

// Whether all four corners turn clockwise as seen; a mirrored or folded quad does not.
bool is_convex(const Quad& quad);

// The same corners so that they run clockwise: from the other end when the quad is mirrored.
Quad clockwise(Quad quad);

// Whether the point lies in a convex quad or on its rim.
bool contains(const Quad& quad, Point point);

// Area common to two convex quads over the area of either, [0, 1]; 0 when one is not convex.
double intersection_over_union(const Quad& a, const Quad& b);

// The largest distance between a corner of one and the same corner of the other.
double furthest_corner_px(const Quad& a, const Quad& b);

}  // namespace lookalike
