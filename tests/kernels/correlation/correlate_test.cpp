#include <cstdint>

#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/correlation/correlation.h"
#include "tests/kernels/correlation/every_correlation.h"
#include "tests/kernels/correlation/pictures.h"

namespace lookalike {
namespace {

class CorrelateTest : public EveryCorrelation {};

INSTANTIATE_TEST_SUITE_P(EveryDevice, CorrelateTest, every_form(), name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CorrelateTest);

TEST_P(CorrelateTest, TwoImagesCorrelateAsAMapOfOnePosition) {
  for (const int width : {1, 7, 8, 9, 65, 333}) {
    const GrayImage a = noise(width, 31, 20);
    const GrayImage b = noise(width, 31, 21);
    const auto rho = correlation().correlate(a.view(), b.view());
    ASSERT_TRUE(rho);
    EXPECT_NEAR(*rho, correlation_reference(a.view(), b.view()).front(), 1e-6);
  }
}

TEST_P(CorrelateTest, MaskedPixelsDoNotCount) {
  GrayImage a = noise(45, 32, 22);
  const GrayImage b = crop(a.view(), 0, 0, 45, 32);
  GrayImage mask = noise(45, 32, 0, 200, 200);
  for (int x = 0; x < 45; x += 2) {
    a.at(x, x % 32) = static_cast<std::uint8_t>(255 - a.at(x, x % 32));
    mask.at(x, x % 32) = 0;
  }
  EXPECT_EQ(correlation().correlate(a.view(), b.view(), mask.view()), 1.0F);
  EXPECT_LT(*correlation().correlate(a.view(), b.view()), 0.9999F);
}

TEST_P(CorrelateTest, NothingToCompareIsUndefined) {
  const GrayImage image = noise(12, 12, 23);
  const GrayImage flat = noise(12, 12, 0, 77, 77);
  const GrayImage mask = noise(12, 12, 0, 0, 0);
  EXPECT_FALSE(correlation().correlate(image.view(), flat.view()));
  EXPECT_FALSE(correlation().correlate(image.view(), image.view(), mask.view()));
  EXPECT_FALSE(correlation().correlate({}, {}));
}

TEST_P(CorrelateTest, ImagesOfDifferentSizesAreABug) {
  const GrayImage image = noise(12, 12, 24);
  const GrayImage other = noise(12, 11, 24);
  EXPECT_THROW(correlation().correlate(image.view(), other.view()), Error);
  EXPECT_THROW(correlation().correlate(image.view(), image.view(), other.view()), Error);
}

}  // namespace
}  // namespace lookalike
