#include "base/random.h"

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(Random, UniformAndNormalHaveTheirMoments) {
  Random random(1);
  double uniform = 0;
  double normal = 0;
  double normal_squared = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double u = random.uniform();
    ASSERT_TRUE(u >= 0 && u < 1);
    uniform += u;
    const double n = random.normal();
    normal += n;
    normal_squared += n * n;
  }
  EXPECT_NEAR(uniform / 1e5, 0.5, 0.005);
  EXPECT_NEAR(normal / 1e5, 0, 0.015);
  EXPECT_NEAR(normal_squared / 1e5, 1, 0.02);
}

// The upper 53 bits of the first output of std::mt19937_64(5489), 14514284786278117030.
TEST(Random, SameNumbersOnEveryPlatform) {
  EXPECT_EQ(Random(5489).uniform(), static_cast<double>(14514284786278117030ULL >> 11) * 0x1p-53);
}

}  // namespace
}  // namespace lookalike
