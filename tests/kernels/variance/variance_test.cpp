#include "kernels/variance/variance.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/inputs.h"
#include "tests/kernels/shared_session.h"
#include "tests/kernels/tuned_session.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;

// Runs for both reductions on every device present.
class VarianceTest : public ::testing::TestWithParam<std::tuple<std::string, Reduction>> {
 protected:
  void SetUp() override {
    if (std::get<1>(GetParam()) == Reduction::kAtomic && !session_.has_int64_atomics()) {
      GTEST_SKIP() << "no 64-bit atomics on this device";
    }
  }

  std::vector<PixelSums> compute(const std::vector<ImageView>& images) {
    return ImageVariance(session_, std::get<1>(GetParam())).compute(images);
  }

  OpenClSession& session_ = shared_session(std::get<0>(GetParam()));
};

TEST_P(VarianceTest, SmallImageComesOutAsByHand) {
  const std::vector<std::uint8_t> pixels = {1, 2, 3, 4, 255, 0};
  const PixelSums sums = compute({{pixels.data(), 3, 2}}).front();
  EXPECT_EQ(sums, (PixelSums{6, 265, 65055}));
  EXPECT_DOUBLE_EQ(sums.mean(), 265.0 / 6.0);
  EXPECT_DOUBLE_EQ(sums.variance(), (6.0 * 65055 - 265.0 * 265.0) / 36.0);
}

TEST_P(VarianceTest, EmptyImagesAmongOthersGiveZeros) {
  const std::vector<std::uint8_t> pixels = {9, 9};
  const std::vector<PixelSums> sums =
      compute({{nullptr, 0, 0}, {pixels.data(), 2, 1}, {nullptr, 5, 0}});
  EXPECT_THAT(sums, ElementsAre(PixelSums{}, PixelSums{2, 18, 162}, PixelSums{}));
  EXPECT_EQ(sums.front().mean(), 0);
  EXPECT_EQ(sums.front().variance(), 0);
}

TEST_P(VarianceTest, WhitePixelsNeverOverflow) {
  // 20 megapixels of 255: sums in 16 bits and in 32 would wrap.
  constexpr int kSide = 4473;
  const std::vector<std::uint8_t> white(std::size_t{kSide} * kSide, 255);
  const PixelSums sums = compute({{white.data(), kSide, kSide}}).front();
  EXPECT_EQ(sums, (PixelSums{white.size(), white.size() * 255, white.size() * 65025}));
  EXPECT_EQ(sums.mean(), 255);
  EXPECT_EQ(sums.variance(), 0);
}

TEST_P(VarianceTest, SmallDeviceMemoryOnlyMakesMoreBatches) {
  const GrayImage image = noise_picture(200, 200, 2);
  const std::vector<ImageView> images(10, image.view());
  OpenClSession small({.device = std::get<0>(GetParam()), .memory_limit_bytes = 150'000});
  const std::vector<PixelSums> sums = ImageVariance(small, std::get<1>(GetParam())).compute(images);
  EXPECT_EQ(sums, std::vector<PixelSums>(10, compute({image.view()}).front()));
}

INSTANTIATE_TEST_SUITE_P(EveryDevice, VarianceTest,
                         ::testing::Combine(::testing::ValuesIn(every_device()),
                                            ::testing::Values(Reduction::kAtomic,
                                                              Reduction::kTwoStage)),
                         [](const auto& instance) {
                           const bool atomic = std::get<1>(instance.param) == Reduction::kAtomic;
                           return "Device" + std::get<0>(instance.param).substr(2) +
                                  (atomic ? "_atomic" : "_two_stage");
                         });

TEST(ImageVariance, AutoTakesTheFastestMeasuredAtTheNearestSize) {
  const TemporaryFolder folder;
  const TuningSizes few = {{"images", 1}, {"pixels", 1000}};
  const TuningSizes many = {{"images", 100}, {"pixels", 1000}};
  for (const std::string& device : every_device()) {
    OpenClSession session(tuned_session(device, folder.path(),
                                        {{"variance", few, "atomic", 0.2},
                                         {"variance", few, "two-stage", 0.1},
                                         {"variance", many, "atomic", 0.1},
                                         {"variance", many, "two-stage", 0.2}}));
    ImageVariance variance(session);
    EXPECT_EQ(variance.reduction_for(2, 1000), Reduction::kTwoStage);
    EXPECT_EQ(variance.reduction_for(90, 1000),
              session.has_int64_atomics() ? Reduction::kAtomic : Reduction::kTwoStage);
    EXPECT_EQ(ImageVariance(session, Reduction::kTwoStage).reduction_for(90, 1000),
              Reduction::kTwoStage);
  }
}

}  // namespace
}  // namespace lookalike
