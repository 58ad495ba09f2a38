#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/correlation/window_products.h"
#include "tests/kernels/correlation/pictures.h"
#include "tests/kernels/shared_session.h"

namespace lookalike {
namespace {

// Returns the pixels that make the largest products.
GrayImage black_and_white(GrayImage image) {
  for (std::uint8_t& pixel : image.pixels) pixel = pixel < 128 ? 0 : 255;
  return image;
}

// On every device.
class CorrelationKernelsTest : public ::testing::TestWithParam<std::string> {
 protected:
  OpenClSession& session_ = shared_session(GetParam());
  const std::vector<CorrelationKernel> kernels_ = correlation_kernels(session_);
};

INSTANTIATE_TEST_SUITE_P(EveryDevice, CorrelationKernelsTest, ::testing::ValuesIn(every_device()));

TEST_P(CorrelationKernelsTest, ThereAreSomeAndAutoIsNoneOfThem) {
  ASSERT_FALSE(kernels_.empty());
  EXPECT_EQ(std::count(kernels_.begin(), kernels_.end(), CorrelationKernel::kAuto), 0);
}

TEST_P(CorrelationKernelsTest, FormsAreTriedOnceASession) {
  OpenClSession session({.device = GetParam(), .profile = true});
  EXPECT_EQ(correlation_kernels(session), kernels_);
  session.drain_profile();
  EXPECT_EQ(correlation_kernels(session), kernels_);
  EXPECT_TRUE(session.drain_profile().empty());
}

TEST_P(CorrelationKernelsTest, NothingIsTriedBeforeItIsUsed) {
  OpenClSession session({.device = GetParam(), .profile = true});
  session.tuning();
  session.drain_profile();
  const Correlation correlation(session);
  EXPECT_TRUE(session.drain_profile().empty());
}

TEST_P(CorrelationKernelsTest, MatrixUnitsAreRefusedWhereThereAreNone) {
  if (session_.device().is_nvidia()) GTEST_SKIP() << "an NVIDIA device may have them";
  EXPECT_THROW(Correlation(session_, {.kernel = CorrelationKernel::kMatrix}), Error);
}

TEST_P(CorrelationKernelsTest, FrequenciesAreOfferedWhereVkFftAndDoublesAreThereAndElseRefused) {
  const bool offered =
      std::count(kernels_.begin(), kernels_.end(), CorrelationKernel::kFrequency) == 1;
  EXPECT_EQ(offered, has_vkfft() && session_.device().has_doubles);
  if (offered) return;
  EXPECT_THROW(Correlation(session_, {.kernel = CorrelationKernel::kFrequency}), Error);
}

// Notices a sum that is off by one: on noise of this size it changes the last bits of most values.
TEST_P(CorrelationKernelsTest, EveryFormGivesTheSameBits) {
  const GrayImage image = black_and_white(noise(300, 130, 7));
  for (const int width : {5, 64, 140}) {
    const GrayImage pattern = black_and_white(noise(width, 64, 8));
    std::vector<float> first;
    for (const CorrelationKernel kernel : kernels_) {
      SCOPED_TRACE(std::string(to_string(kernel)) + ", width " + std::to_string(width));
      Correlation correlation(session_, {.kernel = kernel});
      const std::vector<float> map = correlation.map(image.view(), pattern.view());
      if (first.empty()) first = map;
      EXPECT_EQ(map, first);
    }
  }
}

// Returns a CPU's first guess for `patterns` patterns of side^2.
CorrelationKernel guess(int width, int height, int side, std::size_t patterns) {
  return best_guess_first({CorrelationKernel::kDotProduct, CorrelationKernel::kVector,
                           CorrelationKernel::kFrequency},
                          {width, height, side, side, patterns}, true)
      .front();
}

TEST(BestGuessTest, SmallPatternsGoThroughPositions) {
  EXPECT_EQ(guess(1920, 1080, 16, 1), CorrelationKernel::kDotProduct);
  EXPECT_EQ(guess(48, 48, 24, 300), CorrelationKernel::kDotProduct);
}

TEST(BestGuessTest, LargePatternsAndManyOfThemGoThroughFrequencies) {
  EXPECT_EQ(guess(1920, 1080, 256, 1), CorrelationKernel::kFrequency);
  EXPECT_EQ(guess(1920, 1080, 64, 64), CorrelationKernel::kFrequency);
}

TEST(BestGuessTest, ALargePatternWithFewPositionsGoesThroughThem) {
  EXPECT_EQ(guess(300, 300, 296, 1), CorrelationKernel::kDotProduct);
}

TEST(BestGuessTest, OnlyTheOrderChanges) {
  const CorrelationSizes sizes{1920, 1080, 256, 256, 1};
  const std::vector<CorrelationKernel> direct = {CorrelationKernel::kDotProduct,
                                                 CorrelationKernel::kVector};
  EXPECT_EQ(best_guess_first(direct, sizes, true), direct);
  const std::vector<CorrelationKernel> expected = {
      CorrelationKernel::kFrequency, CorrelationKernel::kDotProduct, CorrelationKernel::kVector};
  EXPECT_EQ(best_guess_first({CorrelationKernel::kDotProduct, CorrelationKernel::kVector,
                              CorrelationKernel::kFrequency},
                             sizes, true),
            expected);
}

}  // namespace
}  // namespace lookalike
