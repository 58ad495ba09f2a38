#pragma once

#include <array>

namespace lookalike {

struct Point {
  double x = 0;
  double y = 0;

  bool operator==(const Point&) const = default;
};

// A point on an object and the matching point in a scene.
struct PointPair {
  Point object;
  Point scene;

  bool operator==(const PointPair&) const = default;
};

// A plane projective map, row-major 3x3: (x', y', w') = h * (x, y, 1).
struct Homography {
  std::array<double, 9> h = {1, 0, 0, 0, 1, 0, 0, 0, 1};

  // Maps a point; not finite if it goes to infinity.
  Point apply(Point point) const { return apply(point, depth(point)); }
  // Maps a point of a known depth.
  Point apply(Point point, double w) const {
    return {(h[0] * point.x + h[1] * point.y + h[2]) / w,
            (h[3] * point.x + h[4] * point.y + h[5]) / w};
  }
  // Returns w' of a point: proportional to its distance from the camera, not positive behind it.
  double depth(Point point) const { return h[6] * point.x + h[7] * point.y + h[8]; }
  // Inverts the map. Throws Error(kInternal) if it is singular.
  Homography inverse() const;

  bool operator==(const Homography&) const = default;
};

// Applies b, then a.
Homography operator*(const Homography& a, const Homography& b);

Homography translation(double x, double y);

// Maps pixel centres of an image to those of the image resized.
Homography resizing(int from_width, int from_height, int to_width, int to_height);

// Partial derivatives of a map at a point: of the scene's x, then y, by the object's x and y.
struct Jacobian {
  double xx = 1;
  double xy = 0;
  double yx = 0;
  double yy = 1;

  double determinant() const { return xx * yy - xy * yx; }
};

// Returns the Jacobian at an object point; the second form takes the mapped point and its depth.
Jacobian jacobian(const Homography& map, Point object);
Jacobian jacobian(const Homography& map, Point mapped, double depth);

// Returns the middle of a w x h image; pixel centres lie at whole numbers.
Point middle(int width, int height);

// Corners of an object in a photo: its top-left, top-right, bottom-right, bottom-left, in full-size
// px of the photo. They are outer corners of pixels, so that a whole w x h photo is (0, 0), (w, 0),
// (w, h), (0, h).
using Quad = std::array<Point, 4>;

// Maps the corners of a w x h object by a map between pixel centres.
Quad outline(const Homography& object_to_scene, int width, int height);

// Maps a quad by a map between pixel centres.
Quad moved(Quad quad, const Homography& map);

// Returns the area of a quad, positive if its corners run clockwise as seen (y down), negative if
// mirrored.
double signed_area(const Quad& quad);

// True if all four corners turn clockwise as seen; false for a mirrored or folded quad.
bool is_convex(const Quad& quad);

// Reverses the corners of a mirrored quad, so that they run clockwise.
Quad clockwise(Quad quad);

// True if the point lies in or on a convex quad.
bool contains(const Quad& quad, Point point);

// Returns the area of the intersection of two convex quads over that of their union, [0, 1]; 0 if
// one is not convex.
double intersection_over_union(const Quad& a, const Quad& b);
// The same for the parts of both that lie in a convex frame.
double intersection_over_union(const Quad& a, const Quad& b, const Quad& frame);

// Returns the share of a w x h picture that a quad covers, [0, 1]; 0 if the quad is folded.
double share_covered(const Quad& quad, int width, int height);

// Returns the largest distance between corresponding corners.
double furthest_corner_px(const Quad& a, const Quad& b);

}  // namespace lookalike
