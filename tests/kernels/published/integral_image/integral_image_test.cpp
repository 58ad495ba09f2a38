#include "kernels/published/integral_image/integral_image.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kernels/shared_session.h"
#include "tests/kernels/tuned_session.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Runs every kernel that takes the image, on every device present.
class IntegralImageTest : public ::testing::TestWithParam<std::string> {
 protected:
  void for_each_kernel(std::size_t pixels,
                       const std::function<void(ImageIntegral& integral)>& check) {
    for (const IntegralKernel kernel : integral_kernels(pixels)) {
      SCOPED_TRACE(std::string(to_string(kernel)));
      ImageIntegral integral(session_, kernel);
      check(integral);
    }
  }

  OpenClSession& session_ = shared_session(GetParam());
};

TEST_P(IntegralImageTest, EachValueSumsWhatIsAboveAndToTheLeft) {
  const std::vector<std::uint8_t> pixels = {1, 2, 3, 4, 5, 255};
  for_each_kernel(pixels.size(), [&](ImageIntegral& integral) {
    std::vector<std::uint32_t> sums(12);
    const cl::Buffer device_sums = session_.upload<std::uint32_t>(sums);
    integral.compute(session_.upload<std::uint8_t>(pixels), 3, 2, device_sums);
    session_.read<std::uint32_t>(device_sums, sums);
    EXPECT_THAT(sums, ElementsAre(0, 0, 0, 0, 0, 1, 3, 6, 0, 5, 12, 270));
  });
}

// Compares the last two sums of the brightest image of the last size that fits 32 bits, and of the
// first that does not; the rest stays on the device.
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
    EXPECT_THAT(error.what(), HasSubstr("height=4104 width=4105"));
  }
}

TEST_P(IntegralImageTest, AutoTakesTheFastestMeasuredAtTheNearestSize) {
  const TemporaryFolder folder;
  const TuningSizes small = {{"width", 100}, {"height", 100}};
  const TuningSizes large = {{"width", 1000}, {"height", 1000}};
  OpenClSession session(tuned_session(GetParam(), folder.path(),
                                      {{"integral_image", small, "transposed", 0.1},
                                       {"integral_image", small, "tiles", 0.2},
                                       {"integral_image", large, "transposed", 3},
                                       {"integral_image", large, "tiles", 2}}));
  ImageIntegral integral(session);
  EXPECT_EQ(integral.kernel_for(110, 90), IntegralKernel::kTransposed);
  EXPECT_EQ(integral.kernel_for(1100, 900), IntegralKernel::kTiles);
}

INSTANTIATE_TEST_SUITE_P(EveryDevice, IntegralImageTest, ::testing::ValuesIn(every_device()));

}  // namespace
}  // namespace lookalike
