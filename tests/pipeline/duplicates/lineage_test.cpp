#include "pipeline/duplicates/lineage.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/stages/pictures.h"

namespace lookalike {
namespace {

struct Saved {
  cv::Mat pixels;
  cv::Mat colours;
  FileDescription file;
};

Saved saved(const cv::Mat& picture, int quality) {
  const auto bytes = encode(".jpg", picture, {cv::IMWRITE_JPEG_QUALITY, quality});
  return {cv::imdecode(bytes, cv::IMREAD_GRAYSCALE), cv::imdecode(bytes, cv::IMREAD_COLOR),
          describe_file(bytes)};
}

cv::Mat resized(const cv::Mat& picture, double factor, int method) {
  cv::Mat result;
  cv::resize(picture, result, {}, factor, factor, method);
  return result;
}

Lineage lineage_of(const Saved& one, const Saved& from) {
  return lineage(one.pixels, one.file, {from.pixels, from.colours, from.file});
}

TEST(Lineage, AnEnlargedPictureWasMadeFromTheSmallOne) {
  const Saved original = saved(draw_picture(320, 240, 1), 85);
  for (const double factor : {1.3, 2.0, 4.0}) {
    for (const int method : {cv::INTER_LINEAR, cv::INTER_CUBIC, cv::INTER_LANCZOS4}) {
      const Saved enlarged = saved(resized(original.pixels, factor, method), 75);
      EXPECT_EQ(lineage_of(enlarged, original), Lineage::kMade) << factor << " " << method;
      EXPECT_EQ(lineage_of(original, enlarged), Lineage::kOther);
    }
  }
}

TEST(Lineage, AReducedPictureIsNoSource) {
  const Saved original = saved(draw_picture(640, 480, 2), 85);
  for (const double factor : {0.3, 0.5, 0.75}) {
    const Saved reduced = saved(resized(original.pixels, factor, cv::INTER_AREA), 95);
    EXPECT_EQ(lineage_of(original, reduced), Lineage::kOther) << factor;
  }
}

TEST(Lineage, OfASoftPictureIsUnclear) {
  cv::Mat soft;
  cv::GaussianBlur(draw_picture(640, 480, 3), soft, {}, 12);
  const Saved original = saved(soft, 85);
  EXPECT_EQ(lineage_of(original, saved(resized(soft, 0.5, cv::INTER_AREA), 85)), Lineage::kUnclear);
}

TEST(Lineage, AFileSavedAgainAtAHigherQualityWasMadeFromTheFirst) {
  const Saved first = saved(draw_picture(320, 240, 4), 85);
  const Saved again = saved(first.pixels, 98);
  EXPECT_EQ(lineage_of(again, first), Lineage::kMade);
  const Saved original = saved(draw_picture(320, 240, 4), 98);
  EXPECT_EQ(lineage_of(original, saved(original.pixels, 85)), Lineage::kOther);
}

TEST(Lineage, ClippedWhitesDoNotHideTheSource) {
  cv::Mat bright;
  cv::merge(std::vector<cv::Mat>{draw_picture(640, 480, 6), draw_picture(640, 480, 7),
                                 draw_picture(640, 480, 8)},
            bright);
  cv::Mat upper = bright(cv::Rect(0, 0, 640, 200));
  upper *= 2;
  const Saved first = saved(bright, 85);
  EXPECT_EQ(lineage_of(saved(first.colours, 98), first), Lineage::kMade);
  const Saved original = saved(bright, 98);
  EXPECT_EQ(lineage_of(original, saved(original.colours, 85)), Lineage::kOther);
}

// True if a JPEG can be saved from a picture stored without loss.
bool is_source(const cv::Mat& picture, const Saved& jpeg) {
  cv::Mat gray;
  cv::cvtColor(picture, gray, cv::COLOR_BGR2GRAY);
  return can_be_saved_from({gray, picture, {.is_lossless = true}}, jpeg.pixels, jpeg.file);
}
bool is_source(const Saved& picture, const Saved& jpeg) {
  return can_be_saved_from({picture.pixels, picture.colours, picture.file}, jpeg.pixels, jpeg.file);
}
cv::Mat in_colour(const cv::Mat& gray) {
  cv::Mat colours;
  cv::cvtColor(gray, colours, cv::COLOR_GRAY2BGR);
  return colours;
}

TEST(CanBeSavedFrom, ABetterCopyOfTheSamePicture) {
  const cv::Mat picture = in_colour(draw_picture(640, 480, 9));
  for (const int quality : {30, 75, 90, 98}) {
    const Saved file = saved(picture, quality);
    EXPECT_TRUE(is_source(picture, file)) << quality;
    EXPECT_TRUE(is_source(saved(picture, 95), file)) << quality;
    EXPECT_TRUE(is_source(file, saved(file.colours, quality))) << quality;
  }
  EXPECT_TRUE(is_source(saved(picture, 95), saved(saved(picture, 95).colours, 80)));
}

TEST(CanBeSavedFrom, NoPictureThatWasMadeFromIt) {
  for (const int quality : {60, 85}) {
    const Saved file = saved(in_colour(draw_picture(640, 480, 10)), quality);
    std::vector<cv::Mat> made = {saved(file.colours, 10).colours, saved(file.colours, 92).colours};
    cv::GaussianBlur(file.colours, made.emplace_back(), {}, 1.5);
    cv::GaussianBlur(file.colours, made.emplace_back(), {}, 0.35);
    made.push_back(resized(resized(file.colours, 0.5, cv::INTER_AREA), 2, cv::INTER_CUBIC));
    for (std::size_t i = 0; i < made.size(); ++i) {
      EXPECT_FALSE(is_source(made[i], file)) << quality << " " << i;
      EXPECT_FALSE(is_source(saved(made[i], 95), file)) << quality << " " << i;
    }
  }
}

TEST(CropSides, ACutLeavesNoEdgeAndACollageDoes) {
  const Quad place = {{{107, 87}, {427, 87}, {427, 327}, {107, 327}}};
  cv::Mat scene(480, 640, CV_8U);
  cv::theRNG().state = 5;
  cv::randn(scene, 128, 400);
  cv::GaussianBlur(scene, scene, {}, 3);
  EXPECT_EQ(crop_sides(scene, place).inside, 4);
  EXPECT_EQ(crop_sides(scene, place).with_edge, 0);
  cv::Mat collage(480, 640, CV_8U, cv::Scalar(255));
  draw_picture(320, 240, 6).copyTo(collage(cv::Rect(107, 87, 320, 240)));
  EXPECT_EQ(crop_sides(collage, place).with_edge, 4);
}

}  // namespace
}  // namespace lookalike
