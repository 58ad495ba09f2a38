#include "stages/match/refine/refiner.h"

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "base/geometry.h"
#include "tests/stages/match/photos.h"

namespace lookalike {
namespace {

class RefinerTest : public ::testing::Test {
 protected:
  RefinerTest() : refiner_(*session_), warp_(*session_) {}
  static void SetUpTestSuite() { session_ = std::make_unique<OpenClSession>(); }
  static void TearDownTestSuite() { session_.reset(); }

  double worst_corner_px(const Homography& map) const {
    const Quad actual = outline(map, object_.width, object_.height);
    const Quad expected = outline(truth_, object_.width, object_.height);
    double worst = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      worst = std::max(worst, distance(actual[i], expected[i]));
    }
    return worst;
  }
  RefinedPose refine(const GrayImage& object, const GrayImage& scene, const Homography& map,
                     const GrayImage& object_alpha = {}, const GrayImage& scene_alpha = {}) {
    const DecodedImage of{.record = {}, .pixels = object, .alpha = object_alpha};
    const DecodedImage in{.record = {}, .pixels = scene, .alpha = scene_alpha};
    return refiner_.refine(of, Pyramid(in), map, {});
  }
  GrayImage scene() { return warp_.warp(object_.view(), truth_.inverse(), 640, 480).image; }

  static inline std::unique_ptr<OpenClSession> session_;
  PoseRefiner refiner_;
  Warp warp_;
  const GrayImage object_ = part_of(photo("graf1.png"), 150, 100, 400, 300);
  const Homography truth_{{0.9, -0.3, 150, 0.3, 0.8, 60, 4e-4, -2e-4, 1}};
};

TEST_F(RefinerTest, RoughPoseIsCorrectedToHalfAPixel) {
  Homography rough = truth_;
  rough.h[0] += 0.02;
  rough.h[2] += 3;
  rough.h[5] -= 4;
  ASSERT_GT(worst_corner_px(rough), 4);
  const RefinedPose pose = refine(object_, scene(), rough);
  EXPECT_LT(worst_corner_px(pose.object_to_scene), 0.5);
  ASSERT_TRUE(pose.correlation.has_value());
  EXPECT_GT(*pose.correlation, 0.98);
}

TEST_F(RefinerTest, TransparentPixelsAreNotCompared) {
  GrayImage object = object_;
  GrayImage alpha(object.width, object.height);
  for (int y = 0; y < object.height; ++y) {
    for (int x = 0; x < object.width; ++x) {
      const bool transparent = x < object.width / 2;
      alpha.at(x, y) = transparent ? 0 : 255;
      if (transparent) object.at(x, y) = 128;
    }
  }
  Homography rough = truth_;
  rough.h[2] += 3;
  const GrayImage seen = scene();
  const RefinedPose whole = refine(object, seen, rough);
  const RefinedPose opaque = refine(object, seen, rough, alpha);
  EXPECT_LT(worst_corner_px(opaque.object_to_scene), 1.5);
  ASSERT_TRUE(opaque.correlation.has_value());
  EXPECT_GT(*opaque.correlation, 0.97);
  EXPECT_LT(whole.correlation.value_or(0), 0.9);
  EXPECT_GT(opaque.detail.value_or(0), 0.6);
  // The same on the scene's side, where half of the object is seen through.
  const GrayImage scene_alpha =
      warp_.warp(alpha.view(), truth_.inverse(), seen.width, seen.height).image;
  const RefinedPose seen_through = refine(object, seen, truth_, {}, scene_alpha);
  EXPECT_GT(seen_through.correlation.value_or(0), 0.97);
}

TEST_F(RefinerTest, LightAndContrastDoNotMatter) {
  GrayImage dim = scene();
  for (auto& value : dim.pixels) value = static_cast<std::uint8_t>(40 + value / 3);
  Homography rough = truth_;
  rough.h[2] += 5;
  const RefinedPose pose = refine(object_, dim, rough);
  EXPECT_LT(worst_corner_px(pose.object_to_scene), 0.5);
}

TEST_F(RefinerTest, HiddenPartDoesNotPullThePose) {
  GrayImage hidden = scene();
  for (int y = 150; y < 260; ++y) {
    for (int x = 200; x < 330; ++x) hidden.at(x, y) = static_cast<std::uint8_t>((x * y) % 251);
  }
  Homography rough = truth_;
  rough.h[5] += 4;
  const RefinedPose pose = refine(object_, hidden, rough);
  // Half a pixel of the frame, which is 320 px wide where the object has 400.
  EXPECT_LT(worst_corner_px(pose.object_to_scene), 0.5 * 400 / PoseRefiner::kLongestSidePx);
}

TEST_F(RefinerTest, PoseThatThePixelsDoNotSupportIsLeftAlone) {
  const GrayImage other = photo("home.jpg");
  const RefinedPose pose = refine(object_, other, truth_);
  EXPECT_LT(worst_corner_px(pose.object_to_scene), 30);
  ASSERT_TRUE(pose.correlation.has_value());
  EXPECT_LT(*pose.correlation, 0.4);
}

TEST_F(RefinerTest, FlatSceneHasNoCorrelation) {
  const RefinedPose pose = refine(object_, GrayImage(640, 480), truth_);
  EXPECT_FALSE(pose.correlation.has_value());
  EXPECT_EQ(pose.object_to_scene, truth_);
}

TEST_F(RefinerTest, ReducedPicturesGiveFullSizeMaps) {
  const Homography halves{{2, 0, 0.5, 0, 2, 0.5, 0, 0, 1}};
  const auto reduced = [&](const GrayImage& full) {
    return DecodedImage{
        .record = {},
        .pixels = warp_.warp(full.view(), halves, full.width / 2, full.height / 2).image,
        .scale = 0.5};
  };
  const DecodedImage seen = reduced(scene());
  const DecodedImage object = reduced(object_);
  Homography rough = truth_;
  rough.h[2] += 5;
  const RefinedPose pose = refiner_.refine(object, Pyramid(seen), rough, {});
  EXPECT_LT(worst_corner_px(pose.object_to_scene), 1.5);
}

TEST_F(RefinerTest, CopiesAgreeWholeAndEqualPixelsFully) {
  DecodedImage picture{.record = {}, .pixels = object_};
  picture.record.width = 400;
  picture.record.height = 300;
  DecodedImage twice = picture;
  twice.record.width = 800;
  twice.record.height = 600;
  twice.pixels = warp_.warp(object_.view(), resizing(800, 600, 400, 300), 800, 600).image;
  const RefinedPose equal = refiner_.whole(picture, picture);
  EXPECT_TRUE(equal.identical);
  EXPECT_EQ(equal.correlation, 1.0);
  const RefinedPose copy = refiner_.whole(picture, twice);
  EXPECT_FALSE(copy.identical);
  EXPECT_GT(copy.correlation.value_or(0), 0.99);
  EXPECT_EQ(copy.object_to_scene, resizing(400, 300, 800, 600));
  std::ranges::fill(picture.pixels.pixels, std::uint8_t{9});
  EXPECT_EQ(refiner_.whole(picture, picture).correlation, 1.0);
}

TEST_F(RefinerTest, TinyObjectIsNoError) {
  const GrayImage tiny = part_of(object_, 0, 0, 5, 3);
  const RefinedPose pose = refine(tiny, scene(), truth_);
  EXPECT_EQ(pose.object_to_scene, truth_);
}

}  // namespace
}  // namespace lookalike
