#include "pipeline/artefacts.h"

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

}  // namespace
}  // namespace lookalike
