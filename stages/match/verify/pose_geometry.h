#pragma once

#include "base/homography.h"

namespace lookalike {

// How a mapped position moves with the position: partial derivatives in the scene (x, then y) by
// the object's x and y.
struct Jacobian {
  double xx = 1;  // of the scene's x by the object's x
  double xy = 0;  // of the scene's x by the object's y
  double yx = 0;
  double yy = 1;

  double determinant() const { return xx * yy - xy * yx; }
};

// The third coordinate of the mapped point: proportional to its distance from the camera, not
// positive behind it.
double depth(const Homography& map, Point object);

// The Jacobian at an object point, given where it is mapped to and its depth.
Jacobian jacobian(const Homography& map, Point mapped, double depth);
Jacobian jacobian(const Homography& map, Point object);

// Moves by x and y.
Homography translation(double x, double y);

// The map between pixel centres of an image and of the same image resized.
Homography resizing(int from_width, int from_height, int to_width, int to_height);

// The middle of a w x h image, between pixel centres.
Point middle(int width, int height);

// Whether a camera could see a flat w x h object so: all of it in front, not mirrored, neither too
// small or large nor squeezed or tilted beyond recognition.
bool is_plausible(const Homography& object_to_scene, int width, int height);

}  // namespace lookalike
