#include "stages/match/refine/detail.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"

namespace lookalike {
namespace {

constexpr int kWidth = 160;
constexpr int kHeight = 128;  // 80 cells

GrayImage noise(std::uint64_t seed) {
  Random random(seed);
  GrayImage image(kWidth, kHeight);
  for (std::uint8_t& pixel : image.pixels) pixel = static_cast<std::uint8_t>(random.below(256));
  return image;
}

GrayImage all(std::uint8_t value) {
  GrayImage image(kWidth, kHeight);
  image.pixels.assign(image.pixels.size(), value);
  return image;
}

double agreement(const GrayImage& a, const GrayImage& b, const GrayImage& mask = all(255)) {
  return detail_agreement(detail_cells(a.view(), b.view(), mask.view()));
}

TEST(DetailAgreement, OfTheSameIsOneLessTheDoubt) {
  EXPECT_NEAR(agreement(noise(1), noise(1)), 80 / (80 + kCellsOfDoubt), 1e-12);
}

TEST(DetailAgreement, OfUnrelatedIsAboutZero) {
  EXPECT_NEAR(agreement(noise(1), noise(2)), 0, 0.02);
}

TEST(DetailAgreement, LightAndContrastDoNotCount) {
  GrayImage dim = noise(1);
  for (std::uint8_t& pixel : dim.pixels) pixel = static_cast<std::uint8_t>(pixel / 4 + 20);
  EXPECT_NEAR(agreement(noise(1), dim), agreement(noise(1), noise(1)), 0.01);
}

TEST(DetailAgreement, LargeShapesInCommonSayLittle) {
  GrayImage a = noise(1);
  GrayImage b = noise(2);
  // Both are bright in their upper half, so that they correlate as wholes.
  for (GrayImage* image : {&a, &b}) {
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        image->at(x, y) = static_cast<std::uint8_t>(image->at(x, y) / 8 + (y < 64 ? 200 : 0));
      }
    }
  }
  EXPECT_NEAR(agreement(a, b), 0, 0.02);
}

TEST(DetailAgreement, FewCellsAreNoProof) {
  GrayImage mask = all(0);
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 32; ++x) mask.at(x, y) = 255;  // four cells
  }
  EXPECT_NEAR(agreement(noise(1), noise(1), mask), 4 / (4 + kCellsOfDoubt), 1e-12);
  EXPECT_EQ(agreement(noise(1), noise(1), all(0)), 0);
}

TEST(DetailAgreement, FlatCellsOfTheObjectAreLeftOutAndThoseOfTheOtherAgreeInNothing) {
  EXPECT_EQ(agreement(all(90), noise(1)), 0);
  EXPECT_EQ(agreement(noise(1), all(90)), 0);
}

TEST(DetailAgreement, ViewsOfDifferentSizesAreABug) {
  const GrayImage narrow(kWidth - 1, kHeight);
  EXPECT_THROW(agreement(noise(1), narrow), Error);
  EXPECT_THROW(agreement(noise(1), noise(1), narrow), Error);
}

}  // namespace
}  // namespace lookalike
