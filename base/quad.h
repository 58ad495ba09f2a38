#pragma once

#include <array>

#include "base/homography.h"

namespace lookalike {

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

// The furthest that a corner of one lies from the same corner of the other.
double furthest_corner_px(const Quad& a, const Quad& b);

}  // namespace lookalike
