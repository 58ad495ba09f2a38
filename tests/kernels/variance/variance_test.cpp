#include "kernels/variance/variance.h"

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/synthetic_data.h"
#include "tests/kernels/shared_session.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;

// Runs on every device present, with its 64-bit atomics and without.
class VarianceTest : public ::testing::TestWithParam<std::tuple<std::string, bool>> {
 protected:
  // On the test's device, which may be taken for one without 64-bit atomics.
  static OpenClSession make_session(std::uint64_t memory_limit_bytes = 0) {
    const auto& [device, int64_atomics] = GetParam();
    OpenClSession session({.device = device, .memory_limit_bytes = memory_limit_bytes});
    if (!int64_atomics) {
      session.supports("64-bit atomics", [] { return false; });
      EXPECT_FALSE(session.has_int64_atomics());
    }
    return session;
  }
  OpenClSession& session() {
    const auto& [device, int64_atomics] = GetParam();
    if (int64_atomics) return shared_session(device);
    return session_ ? *session_ : session_.emplace(make_session());
  }
  std::vector<PixelSums> compute(const std::vector<ImageView>& images) {
    return ImageVariance(session()).compute(images);
  }

 private:
  std::optional<OpenClSession> session_;
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

TEST_P(VarianceTest, ImagesOnTheDeviceHaveTheSameSums) {
  const std::vector<GrayImage> images = {
      noise_picture(7, 5, 1), {}, noise_picture(300, 301, 2), noise_picture(16, 16, 3)};
  std::vector<ImageView> views;
  for (const GrayImage& image : images) views.push_back(image.view());
  DeviceImages uploaded(session());
  uploaded.upload(views);
  EXPECT_EQ(ImageVariance(session()).compute(uploaded), compute(views));
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
  OpenClSession small = make_session(150'000);
  const std::vector<PixelSums> sums = ImageVariance(small).compute(images);
  EXPECT_EQ(sums, std::vector<PixelSums>(10, compute({image.view()}).front()));
}

TEST_P(VarianceTest, NoImagesGiveNothing) {
  EXPECT_TRUE(compute({}).empty());
}

INSTANTIATE_TEST_SUITE_P(EveryDevice, VarianceTest,
                         ::testing::Combine(::testing::ValuesIn(every_device()), ::testing::Bool()),
                         [](const auto& instance) {
                           return "Device" + std::get<0>(instance.param).substr(2) +
                                  (std::get<1>(instance.param) ? "_int64" : "_int32");
                         });

}  // namespace
}  // namespace lookalike
