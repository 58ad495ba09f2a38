#include "kernels/integral_image/integral_image.h"

#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kernels/shared_session.h"
#include "tests/kernels/tuned_session.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string device_choice(std::size_t index) {
  return "::" + std::to_string(index);
}

GrayImage random_image(int width, int height) {
  std::mt19937 generator(1);
  GrayImage image(width, height);
  for (std::uint8_t& pixel : image.pixels) pixel = static_cast<std::uint8_t>(generator() >> 24U);
  return image;
}

// Runs every kernel that takes the image, on every device present.
class IntegralImageTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  void for_each_kernel(std::size_t pixels,
                       const std::function<void(ImageIntegral& integral)>& check) {
    for (const IntegralKernel kernel : integral_kernels(session_, pixels)) {
      SCOPED_TRACE(std::string(to_string(kernel)));
      ImageIntegral integral(session_, kernel);
      check(integral);
    }
  }

  OpenClSession& session_ = shared_session(device_choice(GetParam()));
};

TEST_P(IntegralImageTest, EachValueSumsWhatIsAboveAndToTheLeft) {
  GrayImage image(3, 2);
  image.pixels = {1, 2, 3, 4, 5, 255};
  for_each_kernel(image.view().size(), [&](ImageIntegral& integral) {
    EXPECT_THAT(integral.compute(image.view()), ElementsAre(0, 0, 0, 0, 0, 1, 3, 6, 0, 5, 12, 270));
  });
}

TEST_P(IntegralImageTest, AnImageWithoutPixelsGivesZeros) {
  const std::uint8_t nothing = 0;
  for_each_kernel(0, [&](ImageIntegral& integral) {
    EXPECT_THAT(integral.compute({&nothing, 5, 0}), AllOf(SizeIs(6), Each(0)));
    EXPECT_THAT(integral.compute({&nothing, 0, 3}), AllOf(SizeIs(4), Each(0)));
    EXPECT_THAT(integral.compute({&nothing, 0, 0}), ElementsAre(0));
  });
}

TEST_P(IntegralImageTest, SizesAroundTilesAgreeWithTheReference) {
  for (const auto& [width, height] :
       {std::array{1, 1}, std::array{1, 40}, std::array{40, 1}, std::array{127, 31},
        std::array{128, 32}, std::array{129, 33}, std::array{255, 64}, std::array{257, 65},
        std::array{1030, 70}, std::array{300, 4100}, std::array{4100, 20}}) {
    SCOPED_TRACE(std::to_string(width) + " x " + std::to_string(height));
    const GrayImage image = random_image(width, height);
    const std::vector<std::uint64_t> right = integral_image_reference(image.view());
    for_each_kernel(image.view().size(), [&](ImageIntegral& integral) {
      EXPECT_TRUE(integral.compute(image.view()) == right);
    });
  }
}

// The last two sums of the brightest image of the last size that fits, and of the first that does
// not; the rest stays on the device.
TEST_P(IntegralImageTest, SumsAtTheLimitOf32BitsAreExact) {
  constexpr std::size_t kHeight = 4104;
  for (const std::size_t width : {4104U, 4105U}) {
    const std::size_t pixels = width * kHeight;
    const std::uint64_t all = 255ULL * pixels;
    ASSERT_EQ(all > 0xffffffffULL, width == 4105);
    const cl::Buffer image =
        session_.upload<std::uint8_t>(std::vector<std::uint8_t>(pixels, std::uint8_t{255}));
    const std::size_t sum_count = (width + 1) * (kHeight + 1);
    const cl::Buffer sums = session_.allocate(sum_count * integral_value_bytes(pixels));
    for_each_kernel(pixels, [&](ImageIntegral& integral) {
      integral.compute(image, width, kHeight, sums);
      const auto expect_last = [&](auto zero) {
        std::array<decltype(zero), 2> last{};
        session_.read<decltype(zero)>(sums, last, sum_count - 2);
        EXPECT_THAT(last, ElementsAre(all - 255ULL * kHeight, all));
      };
      if (width == 4104) return expect_last(std::uint32_t{0});
      expect_last(std::uint64_t{0});
    });
  }
}

TEST_P(IntegralImageTest, TransposedTakesNoImageWhoseSumsNeed64Bits) {
  ImageIntegral integral(session_, IntegralKernel::kTransposed);
  EXPECT_EQ(integral.kernel_for(4104, 4104), IntegralKernel::kTransposed);
  try {
    integral.kernel_for(4105, 4104);
    FAIL() << "the image was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDevice);
    EXPECT_THAT(error.what(), HasSubstr("4105 x 4104"));
  }
}

TEST_P(IntegralImageTest, AutoTakesTheFastestMeasuredAtTheNearestSize) {
  const TemporaryFolder folder;
  const TuningSizes small = {{"width", 100}, {"height", 100}};
  const TuningSizes large = {{"width", 1000}, {"height", 1000}};
  OpenClSession session(tuned_session(device_choice(GetParam()), folder.path(),
                                      {{"integral_image", small, "transposed", 0.1},
                                       {"integral_image", small, "tiles", 0.2},
                                       {"integral_image", large, "transposed", 3},
                                       {"integral_image", large, "tiles", 2}}));
  ImageIntegral integral(session);
  EXPECT_EQ(integral.kernel_for(110, 90), IntegralKernel::kTransposed);
  EXPECT_EQ(integral.kernel_for(1100, 900), IntegralKernel::kTiles);
}

INSTANTIATE_TEST_SUITE_P(EveryDevice, IntegralImageTest,
                         ::testing::Range<std::size_t>(0, list_devices().size()));

TEST(IntegralKernels, NamesAreReadBackAndOthersRefused) {
  for (const IntegralKernel kernel : {IntegralKernel::kAuto, IntegralKernel::kTransposed,
                                      IntegralKernel::kTiles, IntegralKernel::kBands}) {
    EXPECT_EQ(parse_integral_kernel(to_string(kernel)), kernel);
  }
  try {
    parse_integral_kernel("sideways");
    FAIL() << "the name was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("sideways"));
  }
}

}  // namespace
}  // namespace lookalike
