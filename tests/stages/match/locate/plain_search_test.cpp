#include "stages/match/locate/plain_search.h"

#include <memory>

#include <gtest/gtest.h>

#include "tests/stages/match/photos.h"

namespace lookalike {
namespace {

class PlainSearchTest : public ::testing::Test {
 protected:
  PlainSearchTest() : search_(*session_) {}
  static void SetUpTestSuite() { session_ = std::make_unique<OpenClSession>(); }
  static void TearDownTestSuite() { session_.reset(); }

  static Homography at(double x, double y) { return {{1, 0, x, 0, 1, y, 0, 0, 1}}; }

  static inline std::unique_ptr<OpenClSession> session_;
  PlainSearch search_;
  const GrayImage scene_ = photo("home.jpg");
};

TEST_F(PlainSearchTest, CropIsFoundAtItsPixel) {
  const auto found = search_.find_near(part_of(scene_, 77, 190, 31, 18).view(), scene_.view(),
                                       {0, 0}, scene_.width);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->object_to_scene, at(77, 190));
  EXPECT_GE(*found->correlation, 0.9999);
}

TEST_F(PlainSearchTest, PlaceBetweenPixelsIsFound) {
  Warp warp(*session_);
  const GrayImage object = warp.warp(scene_.view(), at(100.5, 60.25), 64, 48).image;
  const auto found = search_.find_near(object.view(), scene_.view(), {100, 60}, 3);
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->object_to_scene.h[2], 100.5, 0.15);
  EXPECT_NEAR(found->object_to_scene.h[5], 60.25, 0.15);
  EXPECT_GT(*found->correlation, 0.99);
}

TEST_F(PlainSearchTest, NearbySearchStaysNearby) {
  const GrayImage object = part_of(scene_, 77, 190, 31, 18);
  const auto near = search_.find_near(object.view(), scene_.view(), {79.4, 188.7}, 3);
  ASSERT_TRUE(near.has_value());
  EXPECT_EQ(near->object_to_scene, at(77, 190));
  const auto elsewhere = search_.find_near(object.view(), scene_.view(), {200, 100}, 3);
  ASSERT_TRUE(elsewhere.has_value());
  EXPECT_NEAR(elsewhere->object_to_scene.h[2], 200, 3.5);
  EXPECT_LT(*elsewhere->correlation, 0.9);
}

TEST_F(PlainSearchTest, WhatDoesNotFitIsNotFound) {
  const GrayImage small = part_of(scene_, 0, 0, 20, 20);
  EXPECT_FALSE(search_.find_near(scene_.view(), small.view(), {0, 0}, 9));
  EXPECT_FALSE(search_.find_near({}, scene_.view(), {0, 0}, 9));
  EXPECT_FALSE(search_.find_near(small.view(), scene_.view(), {-50, 10}, 3));
}

TEST_F(PlainSearchTest, FlatObjectIsNotFound) {
  EXPECT_FALSE(search_.find_near(GrayImage(9, 9).view(), scene_.view(), {50, 50}, 9));
}

}  // namespace
}  // namespace lookalike
