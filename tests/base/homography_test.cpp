#include "base/homography.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace lookalike {
namespace {

const Homography kPerspective{{1.2, 0.1, 30, -0.2, 0.9, 12, 1e-4, -2e-4, 1}};

void expect_near(Point actual, Point expected) {
  EXPECT_NEAR(actual.x, expected.x, 1e-9);
  EXPECT_NEAR(actual.y, expected.y, 1e-9);
}

TEST(Homography, DefaultLeavesPointsWhereTheyAre) {
  expect_near(Homography{}.apply({3, 4}), {3, 4});
}

TEST(Homography, InverseGoesBack) {
  expect_near(kPerspective.inverse().apply(kPerspective.apply({120, 75})), {120, 75});
}

TEST(Homography, ProductAppliesTheRightOneFirst) {
  const Homography shift{{1, 0, 5, 0, 1, -2, 0, 0, 1}};
  expect_near((kPerspective * shift).apply({10, 20}), kPerspective.apply({15, 18}));
}

TEST(Homography, SingularMapHasNoInverse) {
  EXPECT_THROW((Homography{{1, 2, 3, 2, 4, 6, 0, 0, 1}}.inverse()), Error);
}

}  // namespace
}  // namespace lookalike
