#include "kernels/correlation/correlation_batches.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "base/image.h"

namespace lookalike {
namespace {

class BestGuessTest : public ::testing::Test {
 protected:
  // First of what is best on a CPU, for `count` patterns of side^2 in an image of width x height.
  static CorrelationKernel guess(int width, int height, int side, std::size_t count) {
    const GrayImage pattern(side, side);
    const PlacedImage image{0, 0, width, height, width};
    const std::vector<CorrelationItem> items(count, {image, pattern.view(), {}});
    return best_guess_first({CorrelationKernel::kDotProduct, CorrelationKernel::kVector,
                             CorrelationKernel::kFrequency},
                            items, true)
        .front();
  }
};

TEST_F(BestGuessTest, SmallPatternsGoThroughPositions) {
  EXPECT_EQ(guess(1920, 1080, 16, 1), CorrelationKernel::kDotProduct);
  EXPECT_EQ(guess(48, 48, 24, 300), CorrelationKernel::kDotProduct);
}

TEST_F(BestGuessTest, LargePatternsAndManyOfThemGoThroughFrequencies) {
  EXPECT_EQ(guess(1920, 1080, 256, 1), CorrelationKernel::kFrequency);
  EXPECT_EQ(guess(1920, 1080, 64, 64), CorrelationKernel::kFrequency);
}

TEST_F(BestGuessTest, ALargePatternWithFewPositionsGoesThroughThem) {
  EXPECT_EQ(guess(300, 300, 296, 1), CorrelationKernel::kDotProduct);
}

TEST_F(BestGuessTest, OnlyTheOrderChanges) {
  const GrayImage pattern(256, 256);
  const std::vector<CorrelationItem> items(
      1, {PlacedImage{0, 0, 1920, 1080, 1920}, pattern.view(), {}});
  const std::vector<CorrelationKernel> direct = {CorrelationKernel::kDotProduct,
                                                 CorrelationKernel::kVector};
  EXPECT_EQ(best_guess_first(direct, items, true), direct);
  const std::vector<CorrelationKernel> expected = {
      CorrelationKernel::kFrequency, CorrelationKernel::kDotProduct, CorrelationKernel::kVector};
  EXPECT_EQ(best_guess_first({CorrelationKernel::kDotProduct, CorrelationKernel::kVector,
                              CorrelationKernel::kFrequency},
                             items, true),
            expected);
}

// Their pixels are not looked at.
CorrelationPair pair_of(const std::uint8_t* pixels, int width, int height) {
  return {{pixels, width, height}, {pixels, 8, 8}};
}

TEST(FittingTest, PairsAreTakenUntilTheirImagesFillHalfAGibibyte) {
  constexpr std::array<std::uint8_t, 3> kPixels{};
  const std::vector<CorrelationPair> pairs = {pair_of(&kPixels[0], 16384, 16384),
                                              pair_of(&kPixels[1], 16384, 16384),
                                              pair_of(&kPixels[2], 16, 16)};
  EXPECT_EQ(fitting(std::span(pairs)), 2U);
  EXPECT_EQ(fitting(std::span(pairs).subspan(1)), 2U);
}

TEST(FittingTest, AnImageThatComesAgainTakesNoMoreRoom) {
  constexpr std::uint8_t kPixel{};
  const std::vector<CorrelationPair> pairs(9, pair_of(&kPixel, 16384, 16384));
  EXPECT_EQ(fitting(std::span(pairs)), 9U);
}

TEST(FittingTest, APairThatIsTooLargeIsTakenAlone) {
  constexpr std::uint8_t kPixel{};
  const std::vector<CorrelationPair> pairs = {pair_of(&kPixel, 32768, 32768),
                                              pair_of(&kPixel, 16, 16)};
  EXPECT_EQ(fitting(std::span(pairs)), 1U);
}

}  // namespace
}  // namespace lookalike
