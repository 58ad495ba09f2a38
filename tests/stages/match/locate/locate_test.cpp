#include "stages/match/locate/locate.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgproc.hpp>

#include "base/geometry.h"
#include "base/random.h"
#include "kernels/warp/warp.h"
#include "stages/decode/colours.h"
#include "tests/stages/match/photos.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Locate : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { session_ = std::make_unique<OpenClSession>(); }
  static void TearDownTestSuite() { session_.reset(); }

  static std::vector<Hit> find(const GrayImage& object, const GrayImage& scene,
                               const VerifyOptions& options = {}) {
    return locate(*session_, query_of(*session_, object), query_of(*session_, scene), options).hits;
  }
  // The photo turned by 90 degrees clockwise, as seen.
  static GrayImage turned(const GrayImage& image) {
    GrayImage result(image.height, image.width);
    for (int y = 0; y < result.height; ++y) {
      for (int x = 0; x < result.width; ++x) {
        result.at(x, y) = image.view().at(y, image.height - 1 - x);
      }
    }
    return result;
  }
  static void paste(const GrayImage& part, int left, int top, GrayImage& scene) {
    for (int y = 0; y < part.height; ++y) {
      for (int x = 0; x < part.width; ++x) scene.at(left + x, top + y) = part.view().at(x, y);
    }
  }
  static void expect_exact(const Hit& hit, int left, int top, int width, int height) {
    const Point corner = {static_cast<double>(left), static_cast<double>(top)};
    const Quad expected = {corner, Point{corner.x + width, corner.y},
                           Point{corner.x + width, corner.y + height},
                           Point{corner.x, corner.y + height}};
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(hit.quad[i].x, expected[i].x, 1e-6);
      EXPECT_NEAR(hit.quad[i].y, expected[i].y, 1e-6);
    }
    EXPECT_GE(hit.correlation, 0.9999);
    EXPECT_NEAR(hit.angle_degrees, 0, 1e-6);
    EXPECT_NEAR(hit.scale, 1, 1e-9);
    EXPECT_NEAR(hit.centre.x, left + width / 2.0, 1e-6);
    EXPECT_NEAR(hit.centre.y, top + height / 2.0, 1e-6);
  }

  static inline std::unique_ptr<OpenClSession> session_;
};

TEST_F(Locate, BoxIsFoundInItsScene) {
  // Seven places were marked by hand in both photos, magnified: the outer top-left and bottom-right
  // corners of the box's face, the same two of its printed frame, and three corners of its photo.
  // The quad is where their homography, which fits them within 0.9 px, takes the corners of
  // box.png. The top-right one is hidden in the scene.
  const Quad marked = {Point{117.9, 160.5}, Point{288.3, 178.1}, Point{268.4, 298.3},
                       Point{91.2, 270.7}};
  const auto hits = find(photo("box.png"), photo("box_in_scene.png"));
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_GE(intersection_over_union(hits[0].quad, marked), 0.95);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(distance(hits[0].quad[i], marked[i]), 5) << i;
  EXPECT_GT(hits[0].correlation, 0.6);
}

TEST_F(Locate, GraffitiIsFoundUnderTheKnownHomography) {
  const GrayImage object = photo("graf1.png");
  // The package's H1to3p.xml.
  const Homography known{{7.6285898e-01, -2.9922929e-01, 2.2567123e+02, 3.3443473e-01,
                          1.0143901e+00, -7.6999973e+01, 3.4663091e-04, -1.4364524e-05, 1}};
  const auto hits = find(object, photo("graf3.png"));
  ASSERT_EQ(hits.size(), 1U);
  const Quad expected = outline(known, object.width, object.height);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(distance(hits[0].quad[i], expected[i]), 5) << i;
}

TEST_F(Locate, ExactCropIsFoundExactly) {
  const GrayImage scene = photo("graf1.png");
  const auto hits = find(part_of(scene, 217, 143, 301, 240), scene);
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_GT(hits[0].inliers, 50U);
  expect_exact(hits[0], 217, 143, 301, 240);
}

TEST_F(Locate, WholePhotoIsFoundInItself) {
  const GrayImage scene = photo("box_in_scene.png");
  const auto hits = find(scene, scene);
  ASSERT_EQ(hits.size(), 1U);
  expect_exact(hits[0], 0, 0, scene.width, scene.height);
}

TEST_F(Locate, CropWithoutFeaturesIsFoundExactlyByCorrelation) {
  const GrayImage scene = photo("home.jpg");
  const auto hits = find(part_of(scene, 301, 57, 23, 19), scene);
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_EQ(hits[0].inliers, 0U);
  expect_exact(hits[0], 301, 57, 23, 19);
}

TEST_F(Locate, TurnAndScaleAreReported) {
  const GrayImage object = part_of(photo("graf1.png"), 200, 150, 320, 240);
  const GrayImage scene = turned(photo("graf1.png"));
  const auto hits = find(object, scene);
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_NEAR(hits[0].angle_degrees, 90, 0.2);
  EXPECT_NEAR(hits[0].scale, 1, 0.005);
  // The photo is 640 high: its pixel (x, y) goes to (639 - y, x), and the outer corners likewise.
  const Quad expected = {Point{490, 200}, Point{490, 520}, Point{250, 520}, Point{250, 200}};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(distance(hits[0].quad[i], expected[i]), 1) << i;
  EXPECT_GT(hits[0].correlation, 0.98);
}

TEST_F(Locate, EveryCopyIsFound) {
  const GrayImage object = part_of(photo("graf1.png"), 300, 200, 200, 160);
  GrayImage scene = photo("home.jpg");
  paste(object, 20, 30, scene);
  paste(turned(object), 300, 150, scene);
  auto hits = find(object, scene);
  ASSERT_EQ(hits.size(), 2U);
  LocateOptions one;
  one.max_hits = 1;
  const auto best =
      locate(*session_, query_of(*session_, object), query_of(*session_, scene), {}, one).hits;
  ASSERT_EQ(best.size(), 1U);
  EXPECT_EQ(best[0].quad, hits[0].quad);
  if (hits[0].centre.x > hits[1].centre.x) std::swap(hits[0], hits[1]);
  expect_exact(hits[0], 20, 30, 200, 160);
  EXPECT_NEAR(hits[1].angle_degrees, 90, 0.5);
  EXPECT_NEAR(hits[1].centre.x, 380, 1);
  EXPECT_NEAR(hits[1].centre.y, 250, 1);
}

TEST_F(Locate, AnAbsentObjectIsNotFound) {
  EXPECT_TRUE(find(photo("box.png"), photo("fruits.jpg")).empty());
  EXPECT_TRUE(find(photo("graf1.png"), photo("home.jpg")).empty());
}

TEST_F(Locate, MirrorImageIsNotFoundByFeatures) {
  const GrayImage object = part_of(photo("graf1.png"), 200, 150, 320, 240);
  GrayImage mirrored = object;
  for (int y = 0; y < object.height; ++y) {
    for (int x = 0; x < object.width; ++x) {
      mirrored.at(x, y) = object.view().at(object.width - 1 - x, y);
    }
  }
  EXPECT_TRUE(find(mirrored, photo("graf1.png")).empty());
}

TEST_F(Locate, FlatObjectIsNotFound) {
  EXPECT_TRUE(find(GrayImage(40, 30), photo("home.jpg")).empty());
}

TEST_F(Locate, ObjectLargerThanTheSceneWithoutFeaturesIsNotFound) {
  EXPECT_TRUE(find(photo("home.jpg"), part_of(photo("home.jpg"), 301, 57, 23, 19)).empty());
}

TEST_F(Locate, ReducedPhotosGiveFullSizeCoordinates) {
  Warp warp(*session_);
  const GrayImage full = photo("graf1.png");
  const Homography halves{{2, 0, 0.5, 0, 2, 0.5, 0, 0, 1}};
  Query scene;
  scene.image.record.width = full.width;
  scene.image.record.height = full.height;
  scene.image.pixels = warp.warp(full.view(), halves, full.width / 2, full.height / 2).image;
  scene.image.scale = 0.5;
  scene.features = ExtractStage(*session_, {}).run({&scene.image, 1}).front().features;
  const auto hits =
      locate(*session_, query_of(*session_, part_of(full, 200, 150, 320, 240)), scene, {}).hits;
  ASSERT_EQ(hits.size(), 1U);
  const Quad expected = {Point{200, 150}, Point{520, 150}, Point{520, 390}, Point{200, 390}};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(distance(hits[0].quad[i], expected[i]), 1) << i;
}

TEST_F(Locate, TheErrorOfAPlaceIsInFullSizePixels) {
  Random random(1);
  GrayImage noisy = photo("home.jpg");
  for (std::uint8_t& pixel : noisy.pixels) {
    pixel = static_cast<std::uint8_t>(std::clamp(pixel + random.below(41) - 20, 0, 255));
  }
  // The same pixels, as they are and as if the photos had been reduced to half their size.
  const auto error_px = [&](const std::string& method, double scale) {
    const auto reduced_query = [&](const GrayImage& pixels) {
      Query query;
      query.image.record.width = static_cast<int>(pixels.width / scale);
      query.image.record.height = static_cast<int>(pixels.height / scale);
      query.image.pixels = pixels;
      query.image.scale = scale;
      query.features = ExtractStage(*session_, {}).run({&query.image, 1}).front().features;
      return query;
    };
    LocateOptions how;
    how.method = method;
    const auto hits =
        locate(*session_, reduced_query(part_of(photo("home.jpg"), 150, 100, 200, 160)),
               reduced_query(noisy), {}, how)
            .hits;
    return hits.empty() ? std::nan("") : hits[0].position_error_px.value_or(0);
  };
  for (const std::string method : {"features", "correlation"}) {
    const double reduced_px = error_px(method, 1);
    EXPECT_GT(reduced_px, 0) << method;
    EXPECT_NEAR(error_px(method, 0.5) / reduced_px, 2, 0.05) << method;
  }
}

TEST_F(Locate, SmallObjectsFoundByFeaturesLieWhereTheyClaim) {
  const GrayImage photo_of_wall = photo("graf1.png");
  const cv::Mat pixels(photo_of_wall.height, photo_of_wall.width, CV_8U,
                       const_cast<std::uint8_t*>(photo_of_wall.pixels.data()));
  // 27 degrees, 0.9 times as large.
  const cv::Mat map = cv::getRotationMatrix2D({400, 320}, 27, 0.9);
  cv::Mat moved;
  cv::warpAffine(pixels, moved, map, pixels.size(), cv::INTER_CUBIC);
  GrayImage scene(moved.cols, moved.rows);
  std::copy(moved.datastart, moved.dataend, scene.pixels.begin());
  constexpr int kSidePx = 96;
  LocateOptions how;
  how.method = "features";
  const Query scene_query = query_of(*session_, scene);
  int found = 0;
  for (const auto& [left, top] :
       {std::pair{330, 260}, {420, 300}, {300, 350}, {450, 400}, {500, 250}}) {
    const GrayImage object = part_of(photo_of_wall, left, top, kSidePx, kSidePx);
    const auto hits = locate(*session_, query_of(*session_, object), scene_query, {}, how).hits;
    if (hits.empty()) continue;
    ++found;
    const double x = left + kSidePx / 2.0 - 0.5;
    const double y = top + kSidePx / 2.0 - 0.5;
    const auto at = [&](int row) {
      return map.at<double>(row, 0) * x + map.at<double>(row, 1) * y + map.at<double>(row, 2) + 0.5;
    };
    EXPECT_LT(std::hypot(hits[0].centre.x - at(0), hits[0].centre.y - at(1)),
              0.05 + 4 * hits[0].position_error_px.value_or(0))
        << left << ", " << top;
    EXPECT_GT(hits[0].correlation, 0.95) << left << ", " << top;
  }
  EXPECT_GE(found, 2);
}

TEST_F(Locate, TheMethodIsReported) {
  const Query scene = query_of(*session_, photo("graf1.png"));
  const Query object = query_of(*session_, part_of(photo("graf1.png"), 217, 143, 301, 240));
  LocateOptions how;
  EXPECT_EQ(locate(*session_, object, scene, {}, how).method, LocateMethod::kFeatures);
  how.method = "correlation";
  const Located located = locate(*session_, object, scene, {}, how);
  EXPECT_EQ(located.method, LocateMethod::kCorrelation);
  ASSERT_EQ(located.hits.size(), 1U);
  expect_exact(located.hits[0], 217, 143, 301, 240);
  ASSERT_TRUE(located.hits[0].position_error_px.has_value());
  EXPECT_LT(*located.hits[0].position_error_px, 0.01);
  EXPECT_TRUE(located.reason.empty());
}

TEST_F(Locate, TheMethodFeaturesFindsNothingWithoutFeatures) {
  const GrayImage scene = photo("home.jpg");
  const Query object = query_of(*session_, part_of(scene, 301, 57, 23, 19));
  LocateOptions how;
  how.method = "features";
  const Located located = locate(*session_, object, query_of(*session_, scene), {}, how);
  EXPECT_TRUE(located.hits.empty());
  EXPECT_EQ(located.method, LocateMethod::kFeatures);
  EXPECT_FALSE(located.reason.empty());
}

TEST_F(Locate, TheMapIsHighestWhereTheObjectIs) {
  const GrayImage scene = photo("home.jpg");
  const Query object = query_of(*session_, part_of(scene, 301, 57, 81, 61));
  const Located located = locate(*session_, object, query_of(*session_, scene), {}, {}, true);
  ASSERT_FALSE(located.map.scores.empty());
  const auto top = std::max_element(located.map.scores.begin(), located.map.scores.end()) -
                   located.map.scores.begin();
  EXPECT_NEAR(static_cast<double>(top % located.map.width) * located.map_step_px, 341,
              located.map_step_px);
  EXPECT_NEAR(static_cast<double>(top / located.map.width) * located.map_step_px, 87,
              located.map_step_px);
}

TEST_F(Locate, MaskedFeaturesAreIgnored) {
  const GrayImage scene = photo("graf1.png");
  Query object = query_of(*session_, part_of(scene, 217, 143, 301, 240));
  object.image.alpha = GrayImage(301, 240);
  const Located located = locate(*session_, object, query_of(*session_, scene), {});
  EXPECT_TRUE(located.hits.empty());
  EXPECT_THAT(located.reason, ::testing::HasSubstr("mask"));
}

TEST_F(Locate, TransparentPartsOfTheSceneAreNotCompared) {
  const GrayImage full = photo("graf1.png");
  const Query object = query_of(*session_, part_of(full, 217, 143, 301, 240));
  Query scene = query_of(*session_, photo("graf3.png"));
  const auto opaque = locate(*session_, object, scene, {}).hits;
  ASSERT_EQ(opaque.size(), 1U);
  // The lower half of the place is transparent and shows it a few pixels off.
  scene.image.alpha = scene.image.pixels;
  for (int y = 0; y < scene.image.alpha.height; ++y) {
    for (int x = scene.image.alpha.width - 1; x >= 0; --x) {
      const bool transparent = y > opaque[0].centre.y;
      scene.image.alpha.at(x, y) = transparent ? 0 : 255;
      if (transparent) scene.image.pixels.at(x, y) = scene.image.pixels.at(std::max(0, x - 5), y);
    }
  }
  const auto seen_through = locate(*session_, object, scene, {}).hits;
  scene.image.alpha = {};
  const auto misled = locate(*session_, object, scene, {}).hits;
  ASSERT_EQ(seen_through.size(), 1U);
  ASSERT_EQ(misled.size(), 1U);
  EXPECT_LT(2 * furthest_corner_px(seen_through[0].quad, opaque[0].quad),
            furthest_corner_px(misled[0].quad, opaque[0].quad));
}

TEST_F(Locate, SameInputGivesTheSameHits) {
  const auto once = find(photo("box.png"), photo("box_in_scene.png"));
  const auto again = find(photo("box.png"), photo("box_in_scene.png"));
  ASSERT_EQ(once.size(), 1U);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(once[0].quad, again[0].quad);
  EXPECT_EQ(once[0].correlation, again[0].correlation);
}

// A toolbar of four buttons that differ in colour alone: red, green, blue, grey.
cv::Mat toolbar() {
  const cv::Scalar colours[] = {{40, 60, 200}, {40, 130, 63}, {205, 92, 75}, {100, 100, 100}};
  cv::Mat picture(96, 400, CV_8UC3, cv::Scalar(228, 230, 230));
  for (int i = 0; i < 4; ++i) {
    const cv::Point at(60 + 90 * i, 48);
    cv::circle(picture, at, 30, colours[i], cv::FILLED, cv::LINE_AA);
    cv::line(picture, at - cv::Point(12, 8), at + cv::Point(14, 10), cv::Scalar::all(250), 5);
    cv::circle(picture, at + cv::Point(-8, 12), 6, cv::Scalar::all(20), cv::FILLED, cv::LINE_AA);
  }
  return picture;
}

TEST_F(Locate, APlaceInOtherColoursIsNoHit) {
  const auto query = [](const cv::Mat& picture) {
    const ColourImage colours = colour_image(picture.size(), picture);
    Query result = query_of(*session_, colours.brightness);
    result.colours = [colours](double) { return colours; };
    return result;
  };
  LocateOptions how;
  how.method = "correlation";
  how.min_turn_degrees = how.max_turn_degrees = 0;
  how.min_scale = how.max_scale = 1;
  const cv::Mat scene = toolbar();
  const auto button = [&](int i) { return query(scene(cv::Rect(20 + 90 * i, 8, 80, 80)).clone()); };
  const auto places = [&](const Query& object, const cv::Mat& picture) {
    std::vector<int> found;
    for (const Hit& hit : locate(*session_, object, query(picture), {}, how).hits) {
      found.push_back(static_cast<int>(hit.centre.x) / 90);
    }
    return found;
  };
  for (int i = 0; i < 4; ++i) EXPECT_THAT(places(button(i), scene), ElementsAre(i)) << i;
  const cv::Mat others = scene(cv::Rect(95, 0, 305, 96)).clone();
  EXPECT_THAT(places(button(0), others), IsEmpty());
  how.gray = true;
  EXPECT_THAT(places(button(0), scene), SizeIs(4));
}

GrayImage gray_image(const cv::Mat& picture) {
  GrayImage image(picture.cols, picture.rows);
  picture.copyTo(cv::Mat(picture.rows, picture.cols, CV_8U, image.pixels.data()));
  return image;
}

// A dialog with eight boxes in two columns; those of `ticked` are.
GrayImage dialog(const std::vector<int>& ticked) {
  cv::Mat picture(420, 640, CV_8U, cv::Scalar(240));
  const char* const names[] = {"Show toolbar", "Show ruler", "Show grid", "Snap to grid",
                               "Spell check",  "Auto save",  "Word wrap", "Dark theme"};
  for (int i = 0; i < 8; ++i) {
    const cv::Point at(40 + i % 2 * 280, 40 + i / 2 * 50);
    cv::rectangle(picture, cv::Rect(at, cv::Size(17, 17)), cv::Scalar(255), cv::FILLED);
    cv::rectangle(picture, cv::Rect(at, cv::Size(17, 17)), cv::Scalar(90));
    if (std::ranges::find(ticked, i) != ticked.end()) {
      cv::line(picture, at + cv::Point(3, 8), at + cv::Point(7, 12), cv::Scalar(20), 2);
      cv::line(picture, at + cv::Point(7, 12), at + cv::Point(13, 4), cv::Scalar(20), 2);
    }
    cv::putText(picture, names[i], at + cv::Point(24, 13), cv::FONT_HERSHEY_SIMPLEX, 0.5,
                cv::Scalar(20), 1, cv::LINE_AA);
  }
  return gray_image(picture);
}

TEST_F(Locate, AnotherStateOfAScreenIsNoHit) {
  const Query ticked = query_of(*session_, part_of(dialog({1, 4}), 314, 34, 126, 28));
  const auto found = [&](const std::vector<int>& in_scene, bool changed = false) {
    LocateOptions how;
    how.changed = changed;
    return locate(*session_, ticked, query_of(*session_, dialog(in_scene)), {}, how);
  };
  ASSERT_THAT(found({1}).hits, SizeIs(1));
  expect_exact(found({1}).hits[0], 314, 34, 126, 28);
  const Located other = found({});
  EXPECT_THAT(other.hits, IsEmpty());
  EXPECT_THAT(other.reason, testing::HasSubstr("in another state only, which differs at x 32"));
  EXPECT_THAT(found({}, true).hits, SizeIs(1));
}

TEST_F(Locate, APlaceOfAScreenNeedsPixelsThatAgree) {
  const GrayImage scene = dialog({1, 4});
  const auto hits = find(part_of(scene, 0, 0, 200, 120), scene);
  ASSERT_THAT(hits, SizeIs(1));
  expect_exact(hits[0], 0, 0, 200, 120);
}

TEST_F(Locate, AnIconIsFoundOnAScreenOfTwiceOrHalfItsSize) {
  cv::Mat icon(32, 32, CV_8U, cv::Scalar(245));
  cv::rectangle(icon, {4, 10, 24, 16}, cv::Scalar(190), cv::FILLED);
  cv::rectangle(icon, {4, 10, 24, 16}, cv::Scalar(110));
  cv::circle(icon, {23, 21}, 4, cv::Scalar(100), cv::FILLED);
  cv::line(icon, {4, 10}, {13, 13}, cv::Scalar(60), 2);
  for (const double scale : {2.0, 0.5}) {
    GrayImage scene = dialog({0, 6});
    cv::Mat shown;
    cv::resize(icon, shown, {}, scale, scale, cv::INTER_AREA);
    paste(gray_image(shown), 450, 250, scene);
    const auto hits = find(gray_image(icon), scene);
    ASSERT_THAT(hits, SizeIs(1)) << scale;
    EXPECT_NEAR(hits[0].scale, scale, 0.05 * scale);
    EXPECT_NEAR(hits[0].centre.x, 450 + 16 * scale, 1);
    EXPECT_NEAR(hits[0].centre.y, 250 + 16 * scale, 1);
  }
}

TEST_F(Locate, WhatWasTriedIsSaid) {
  const GrayImage scene = photo("home.jpg");
  const Query object = query_of(*session_, part_of(photo("graf1.png"), 217, 143, 40, 30));
  LocateOptions how;
  how.method = "correlation";
  EXPECT_THAT(
      locate(*session_, object, query_of(*session_, scene), {}, how).reason,
      testing::HasSubstr("; tried: scales 0.7 to 1.4 in all turns, and 0.33 to 3 unturned"));
  how.max_scale = 2;
  how.min_turn_degrees = how.max_turn_degrees = 0;
  EXPECT_THAT(locate(*session_, object, query_of(*session_, scene), {}, how).reason,
              testing::HasSubstr("; tried: scales 0.7 to 2 in turns of 0 to 0 degrees; --min-"));
}

}  // namespace
}  // namespace lookalike
