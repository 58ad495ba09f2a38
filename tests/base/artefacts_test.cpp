#include "base/artefacts.h"

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(PixelSums, NoPixelsHaveZeroMeanAndVariance) {
  EXPECT_EQ(PixelSums{}.mean(), 0);
  EXPECT_EQ(PixelSums{}.variance(), 0);
}

TEST(PixelSums, KnownVariance) {
  const PixelSums sums{4, 10, 30};  // pixels 1, 2, 3, 4
  EXPECT_DOUBLE_EQ(sums.mean(), 2.5);
  EXPECT_DOUBLE_EQ(sums.variance(), 1.25);
}

TEST(PixelSums, FlatImageBeyond64BitProductsHasExactlyNoVariance) {
  const std::uint64_t count = 1ULL << 30;
  EXPECT_EQ((PixelSums{count, count * 255, count * 65025}.variance()), 0);
}

TEST(PixelSums, CloseSumsLoseNoDigits) {
  // One pixel of 2^40 is one grey level brighter: count^2 times the variance is 2^40 - 1.
  constexpr std::uint64_t kCount = std::uint64_t{1} << 40U;
  const PixelSums sums{kCount, kCount * 200 + 1, kCount * 40000 + 401};
  EXPECT_DOUBLE_EQ(sums.variance(),
                   static_cast<double>(kCount - 1) / (static_cast<double>(kCount) * 0x1p40));
}

TEST(PixelSums, DifferencePastSixtyFourBitsDoesNotWrap) {
  // Half black, half white, 2^26 pixels: count^2 times the variance is about 2^66.
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 25U;
  EXPECT_EQ((PixelSums{2 * kHalf, kHalf * 255, kHalf * 65025}).variance(), 16256.25);
}

}  // namespace
}  // namespace lookalike
