#include "stages/decode/transparency.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "stages/decode/decode.h"
#include "stages/decode/pixels.h"
#include "tests/stages/cutouts.h"
#include "tests/stages/decode/transparent_files.h"
#include "tests/stages/pictures.h"
#include "tests/stages/png_bytes.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using Bytes = std::vector<std::uint8_t>;

class TransparencyTest : public ::testing::Test {
 protected:
  DecodedImage decoded(const Bytes& bytes, WantedSize size = 1024) const {
    auto result = decode_file(folder_.write("image", text(bytes)), size, {});
    if (const auto* skipped = std::get_if<SkippedFile>(&result)) {
      ADD_FAILURE() << skipped->reason << ": " << skipped->detail;
      return {};
    }
    return std::get<DecodedImage>(std::move(result));
  }
  static cv::Mat mat(const GrayImage& image) {
    return cv::Mat(image.height, image.width, CV_8U, const_cast<std::uint8_t*>(image.pixels.data()))
        .clone();
  }
  static double deviation(const DecodedImage& image) {
    cv::Scalar mean;
    cv::Scalar deviation;
    cv::meanStdDev(mat(image.pixels), mean, deviation);
    return deviation[0];
  }
  TemporaryFolder folder_;
};

TEST_F(TransparencyTest, EveryFormatIsLaidOverAGroundThatItStandsOutFrom) {
  for (const auto& [name, bytes] : transparent_files()) {
    const DecodedImage image = decoded(bytes);
    ASSERT_EQ(image.alpha.width, kWidth) << name;
    EXPECT_EQ(cv::norm(mat(image.alpha), half_alpha(), cv::NORM_INF), 0) << name;
    const cv::Mat pixels = mat(image.pixels);
    const cv::Mat ground = pixels.colRange(0, kWidth / 2);
    const int level = ground.at<std::uint8_t>(0, 0);
    EXPECT_EQ(cv::countNonZero(ground != level), 0) << name;
    const cv::Rect right(kWidth / 2, 0, kWidth / 2, kHeight);
    EXPECT_LE(cv::norm(pixels(right), dark_levels()(right), cv::NORM_L1) / right.area(),
              name == "WebP, lossy" ? 4 : 1)
        << name;
    EXPECT_GE(level, cv::mean(dark_levels()(right))[0] + kGroundContrast / 2.0) << name;
    EXPECT_NE(level, kHiddenColour) << name;
  }
}

TEST_F(TransparencyTest, HalfTransparentPixelsAreHalfGround) {
  const cv::Mat dark(kHeight, kWidth, CV_8U, cv::Scalar(20));
  cv::Mat alpha(kHeight, kWidth, CV_8U, cv::Scalar(255));
  alpha.colRange(0, 20).setTo(0);
  alpha.colRange(20, 40).setTo(128);
  const cv::Mat bgra = with_alpha(dark, alpha);
  for (const Bytes& bytes : {encode(".png", bgra), encode(".png", deep(bgra)),
                             encode(".webp", bgra, {cv::IMWRITE_WEBP_QUALITY, 101})}) {
    const DecodedImage image = decoded(bytes);
    const int ground = image.pixels.view().at(0, 5);
    EXPECT_GE(ground, 20 + kGroundContrast);
    EXPECT_NEAR(image.pixels.view().at(30, 5), (20 + ground) / 2, 1);
    EXPECT_EQ(image.pixels.view().at(50, 5), 20);
    EXPECT_EQ(image.alpha.view().at(30, 5), 128);
  }
}

TEST_F(TransparencyTest, ColoursMultipliedByTheirAlphaAreDividedAgain) {
  cv::Mat multiplied(4, 4, CV_8UC4, cv::Scalar(50, 50, 50, 128));  // 100 before
  multiplied.row(0).setTo(cv::Scalar::all(0));
  const auto shown = compose(multiplied, true, false);
  ASSERT_TRUE(shown.has_value());
  const int ground = shown->pixels.at<std::uint8_t>(0, 0);
  EXPECT_EQ(ground, 100 + 2 * kGroundContrast);  // half of the ground shows
  EXPECT_NEAR(shown->pixels.at<std::uint8_t>(2, 2), (100 + ground) / 2, 1);
}

TEST_F(TransparencyTest, TheGroundKeepsItsDistanceFromWhatIsSeenMost) {
  // No ground is far enough from both levels. The lighter one has more pixels, but fainter ones.
  cv::Mat bgra(1, 6, CV_8UC4, cv::Scalar::all(0));
  bgra.colRange(1, 3).setTo(cv::Scalar(90, 90, 90, 192));
  bgra.colRange(3, 6).setTo(cv::Scalar(165, 165, 165, 64));
  const auto shown = compose(bgra, false, false);
  ASSERT_TRUE(shown.has_value());
  EXPECT_GT(shown->pixels.at<std::uint8_t>(0, 0), 165) << "the ground, far from the darker level";
}

TEST_F(TransparencyTest, OpaqueImagesAreWhatTheyAreWithoutAlpha) {
  cv::Mat colour(kHeight, kWidth, CV_8UC3);
  cv::randu(colour, 0, 256);
  cv::Mat opaque;
  cv::cvtColor(colour, opaque, cv::COLOR_BGR2BGRA);
  for (const char* extension : {".png", ".webp", ".tiff"}) {
    const std::vector<int> lossless = {cv::IMWRITE_WEBP_QUALITY, 101};
    const DecodedImage with = decoded(encode(extension, opaque, lossless));
    const DecodedImage without = decoded(encode(extension, colour, lossless));
    EXPECT_TRUE(with.alpha.empty()) << extension;
    EXPECT_EQ(with.pixels.pixels, without.pixels.pixels) << extension;
  }
}

TEST_F(TransparencyTest, ExifOrientationIsHonoured) {
  const Bytes exif = png_chunk("eXIf", {'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0,
                                        3,   0,   0, 0,  1, 0, 6, 0, 0, 0, 0,    0,    0});
  const DecodedImage image = decoded(png(6, 8, exif, png_samples(3, true, 1)));
  EXPECT_EQ(image.record.width, kHeight);
  EXPECT_EQ(image.record.height, kWidth);
  cv::Mat turned;
  cv::rotate(half_alpha(), turned, cv::ROTATE_90_CLOCKWISE);
  EXPECT_EQ(cv::norm(mat(image.alpha), turned, cv::NORM_INF), 0);
}

TEST_F(TransparencyTest, AlphaIsReducedAndCutAsThePixelsAre) {
  const std::string path =
      folder_.write("image.png", text(encode(".png", with_alpha(dark_levels(), half_alpha()))));
  const auto reduced = std::get<DecodedImage>(decode_file(path, kWidth / 2, {}));
  EXPECT_EQ(reduced.alpha.width, reduced.pixels.width);
  EXPECT_EQ(reduced.alpha.height, reduced.pixels.height);
  EXPECT_EQ(reduced.alpha.view().at(14, 3), 0);
  EXPECT_EQ(reduced.alpha.view().at(15, 3), 255);
  const auto loaded = std::get<LoadedFile>(load_file(path, {}));
  const auto region = std::get<DecodedImage>(decode_region(loaded, {20, 5, 20, 20}, 1024, {}));
  ASSERT_EQ(region.alpha.width, 20);
  EXPECT_EQ(region.alpha.view().at(9, 3), 0);
  EXPECT_EQ(region.alpha.view().at(10, 3), 255);
}

TEST_F(TransparencyTest, InColourTheGroundIsGrey) {
  cv::Mat colour(kHeight, kWidth, CV_8UC4, cv::Scalar(10, 200, 90, 255));
  colour.colRange(0, 20).setTo(cv::Scalar(1, 2, 3, 0));
  const std::string path = folder_.write("image", text(encode(".png", colour)));
  const cv::Mat shown = must_load_pixels(path, PixelMode::kColour, {}).pixels;
  EXPECT_EQ(shown.at<cv::Vec3b>(5, 50), cv::Vec3b(10, 200, 90));
  const auto ground = shown.at<cv::Vec3b>(5, 5);
  EXPECT_EQ(ground, cv::Vec3b::all(ground[0]));
}

TEST_F(TransparencyTest, OnlyWhatShowsNothingHasEqualPixels) {
  cv::Mat noise(kHeight, kWidth, CV_8UC4);
  cv::randu(noise, 0, 256);
  cv::Mat nothing = noise.clone();
  cv::Mat(nothing.reshape(1, kWidth * kHeight)).col(3).setTo(0);
  EXPECT_EQ(deviation(decoded(encode(".png", nothing))), 0) << "all of it transparent";
  cv::Mat faint(kHeight, kWidth, CV_16U);
  cv::randu(faint, 30'000, 30'050);
  EXPECT_LT(deviation(decoded(encode(".png", faint))), 1) << "differences below 8 bits";
  for (const cv::Scalar& ink : {cv::Scalar::all(0), cv::Scalar::all(255), cv::Scalar(0, 0, 255)}) {
    EXPECT_GT(deviation(decoded(encode(".png", draw_stencil(3, ink)))), 15) << ink;
  }
  cv::Mat faint_ink = draw_stencil(3, cv::Scalar::all(0));
  cv::Mat(faint_ink.reshape(1, static_cast<int>(faint_ink.total()))).col(3) /= 16;
  EXPECT_GT(deviation(decoded(encode(".png", faint_ink))), 4) << "seen on white";
}

TEST(Ground, IsTheGreyThatLevelsStandOutFrom) {
  std::array<std::uint64_t, 256> weights{};
  EXPECT_EQ(ground_for(weights, 64), 128) << "nothing to see";
  weights[0] = 5;
  EXPECT_EQ(ground_for(weights, 64), 64);
  weights[255] = 1;
  EXPECT_EQ(ground_for(weights, 64), 64) << "far enough from both";
  weights.fill(0);
  weights[255] = 1;
  EXPECT_EQ(ground_for(weights, 64), 191);
  weights.fill(0);
  weights[100] = 1;
  EXPECT_EQ(ground_for(weights, 64), 36) << "the darker of two";
  weights[30] = 2;
  EXPECT_EQ(ground_for(weights, 64), 164) << "the only one";
}

}  // namespace
}  // namespace lookalike
