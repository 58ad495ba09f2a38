#include "base/geometry.h"

#include <gmock/gmock.h>
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

using ::testing::ElementsAre;

constexpr Quad kSquare = {Point{0, 0}, Point{10, 0}, Point{10, 10}, Point{0, 10}};

Quad shifted(Quad quad, double x, double y) {
  for (Point& corner : quad) corner = {corner.x + x, corner.y + y};
  return quad;
}

TEST(Outline, WholeImageIsItsOuterCorners) {
  EXPECT_THAT(outline({}, 30, 20),
              ElementsAre(Point{0, 0}, Point{30, 0}, Point{30, 20}, Point{0, 20}));
}

TEST(Outline, CropKeepsItsPlace) {
  const Homography shift{{1, 0, 7, 0, 1, 9, 0, 0, 1}};
  EXPECT_THAT(outline(shift, 4, 2),
              ElementsAre(Point{7, 9}, Point{11, 9}, Point{11, 11}, Point{7, 11}));
}

TEST(Outline, DoubledImageHasTwiceTheSides) {
  // Pixel centre x goes to 2 x + 0.5 when an image is enlarged twice.
  const Homography twice{{2, 0, 0.5, 0, 2, 0.5, 0, 0, 1}};
  EXPECT_THAT(outline(twice, 4, 2),
              ElementsAre(Point{0, 0}, Point{8, 0}, Point{8, 4}, Point{0, 4}));
}

TEST(Resizing, TakesOuterCornersToOuterCorners) {
  EXPECT_THAT(outline(resizing(4, 3, 8, 9), 4, 3),
              ElementsAre(Point{0, 0}, Point{8, 0}, Point{8, 9}, Point{0, 9}));
}

TEST(Resizing, BackIsTheInverse) {
  const Homography there = resizing(640, 480, 320, 160);
  expect_near(resizing(320, 160, 640, 480).apply(there.apply({17, 23})), {17, 23});
}

TEST(Quad, AreaIsPositiveClockwise) {
  EXPECT_DOUBLE_EQ(signed_area(kSquare), 100);
  EXPECT_DOUBLE_EQ(signed_area({kSquare[1], kSquare[0], kSquare[3], kSquare[2]}), -100);
}

TEST(Quad, MirroredAndFoldedAreNotConvex) {
  EXPECT_TRUE(is_convex(kSquare));
  EXPECT_FALSE(is_convex({kSquare[1], kSquare[0], kSquare[3], kSquare[2]}));
  EXPECT_FALSE(is_convex({kSquare[0], kSquare[2], kSquare[1], kSquare[3]}));
  EXPECT_FALSE(is_convex({Point{0, 0}, Point{10, 0}, Point{3, 3}, Point{0, 10}}));
}

TEST(Quad, ContainsItsInsideAndItsRim) {
  EXPECT_TRUE(contains(kSquare, {5, 5}));
  EXPECT_TRUE(contains(kSquare, {10, 5}));
  EXPECT_FALSE(contains(kSquare, {10.1, 5}));
  EXPECT_FALSE(contains(kSquare, {5, -0.1}));
}

TEST(IntersectionOverUnion, KnownOverlaps) {
  EXPECT_DOUBLE_EQ(intersection_over_union(kSquare, kSquare), 1);
  EXPECT_DOUBLE_EQ(intersection_over_union(kSquare, shifted(kSquare, 5, 0)), 1.0 / 3);
  EXPECT_DOUBLE_EQ(intersection_over_union(kSquare, shifted(kSquare, 20, 0)), 0);
  const Quad diamond = {Point{5, 0}, Point{10, 5}, Point{5, 10}, Point{0, 5}};
  EXPECT_DOUBLE_EQ(intersection_over_union(kSquare, diamond), 0.5);
  EXPECT_DOUBLE_EQ(intersection_over_union(diamond, kSquare), 0.5);
}

TEST(IntersectionOverUnion, WhatLiesOutsideTheFrameDoesNotCount) {
  const Quad wide = {Point{-90, 0}, Point{10, 0}, Point{10, 10}, Point{-90, 10}};
  EXPECT_DOUBLE_EQ(intersection_over_union(wide, kSquare), 0.1);
  EXPECT_DOUBLE_EQ(intersection_over_union(wide, kSquare, kSquare), 1);
  EXPECT_DOUBLE_EQ(intersection_over_union(wide, shifted(kSquare, 5, 0), kSquare), 0.5);
  EXPECT_DOUBLE_EQ(intersection_over_union(shifted(kSquare, 20, 0), kSquare, kSquare), 0);
}

TEST(IntersectionOverUnion, QuadThatIsNotConvexSharesNothing) {
  const Quad folded = {kSquare[0], kSquare[2], kSquare[1], kSquare[3]};
  EXPECT_EQ(intersection_over_union(kSquare, folded), 0);
}

TEST(ShareCovered, IsOfThePictureAlone) {
  const Quad picture = outline({}, 40, 20);
  EXPECT_NEAR(share_covered(picture, 40, 20), 1, 1e-9);
  EXPECT_NEAR(share_covered(shifted(picture, 10, 0), 40, 20), 0.75, 1e-9);
  EXPECT_NEAR(share_covered(outline({}, 400, 10), 40, 20), 0.5, 1e-9);
  const Quad mirrored{picture[1], picture[0], picture[3], picture[2]};
  EXPECT_NEAR(share_covered(shifted(mirrored, 0, 5), 40, 20), 0.75, 1e-9);
  const Quad folded{picture[0], picture[2], picture[1], picture[3]};
  EXPECT_EQ(share_covered(folded, 40, 20), 0);
}

TEST(FurthestCornerPx, IsTheLongestWayOfACorner) {
  const Quad from = {{{0, 0}, {10, 0}, {10, 10}, {0, 10}}};
  const Quad to = {{{1, 0}, {10, 0}, {13, 14}, {0, 9}}};
  EXPECT_DOUBLE_EQ(furthest_corner_px(from, to), 5);
  EXPECT_DOUBLE_EQ(furthest_corner_px(from, from), 0);
}

TEST(Clockwise, TurnsAMirroredQuadRoundAndLeavesOthers) {
  const Quad plain = {{{0, 0}, {4, 0}, {4, 2}, {0, 2}}};
  EXPECT_EQ(clockwise(plain), plain);
  const Quad mirrored = {{{4, 0}, {0, 0}, {0, 2}, {4, 2}}};
  EXPECT_TRUE(is_convex(clockwise(mirrored)));
  EXPECT_DOUBLE_EQ(intersection_over_union(plain, clockwise(mirrored)), 1);
}

}  // namespace
}  // namespace lookalike
