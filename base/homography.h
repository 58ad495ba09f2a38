#pragma once

#include <array>

namespace lookalike {

struct Point {
  double x = 0;
  double y = 0;

  bool operator==(const Point&) const = default;
};

// A plane projective map, row-major 3x3: (x', y', w') = h * (x, y, 1).
struct Homography {
  std::array<double, 9> h = {1, 0, 0, 0, 1, 0, 0, 0, 1};

  // Where the point goes; not finite when it goes to infinity.
  Point apply(Point point) const;
  // The map that goes back. Throws Error(kInternal) when there is none.
  Homography inverse() const;

  bool operator==(const Homography&) const = default;
};

// First b, then a.
Homography operator*(const Homography& a, const Homography& b);

}  // namespace lookalike
