#include "base/homography.h"

#include <cmath>
#include <cstddef>

#include "base/error.h"

namespace lookalike {

Point Homography::apply(Point point) const {
  const double w = h[6] * point.x + h[7] * point.y + h[8];
  return {(h[0] * point.x + h[1] * point.y + h[2]) / w,
          (h[3] * point.x + h[4] * point.y + h[5]) / w};
}

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

}  // namespace lookalike
