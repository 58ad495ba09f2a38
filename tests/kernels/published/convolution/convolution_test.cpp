#include "kernels/published/convolution/convolution.h"

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/cases.h"
#include "kernels/synthetic_data.h"
#include "tests/kernels/shared_session.h"
#include "tests/kernels/tuned_session.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Matrix = MatrixView<const float>;

// Runs every kernel that takes the filter, on every device present.
class ConvolutionTest : public ::testing::TestWithParam<std::string> {
 protected:
  void for_each_kernel(const std::vector<float>& filter, std::size_t filter_width,
                       const std::function<void(ConvolutionKernel)>& check) {
    for (const ConvolutionKernel kernel : convolution_kernels(Matrix(filter, filter_width))) {
      SCOPED_TRACE(std::string(to_string(kernel)));
      check(kernel);
    }
  }

  using Apply = void (Convolution::*)(const cl::Buffer& image, std::size_t rows,
                                      std::size_t columns, const cl::Buffer& result);
  std::vector<float> apply(Convolution& convolution, Apply way, const std::vector<float>& pixels,
                           std::size_t columns) {
    const std::size_t rows = pixels.size() / columns;
    std::vector<float> result(convolution.result_rows(rows) * convolution.result_columns(columns));
    const cl::Buffer to = session_.upload<float>(result);
    (convolution.*way)(session_.upload<float>(pixels), rows, columns, to);
    session_.read<float>(to, result);
    return result;
  }

  OpenClSession& session_ = shared_session(GetParam());
};

TEST_P(ConvolutionTest, ConvolutionTurnsTheFilterAndCorrelationDoesNot) {
  const std::vector<float> pixels = {0, 0, 0, 0, 1, 0, 0, 0, 0};
  const std::vector<float> filter = {1, 2, 3, 2, 4, 6, 3, 6, 9};
  for_each_kernel(filter, 3, [&](ConvolutionKernel kernel) {
    Convolution convolution(session_, Matrix(filter, 3), Border::kZero, kernel);
    EXPECT_THAT(apply(convolution, &Convolution::convolve, pixels, 3),
                ElementsAre(1, 2, 3, 2, 4, 6, 3, 6, 9));
    EXPECT_THAT(apply(convolution, &Convolution::correlate, pixels, 3),
                ElementsAre(9, 6, 3, 6, 4, 2, 3, 2, 1));
  });
}

TEST_P(ConvolutionTest, CorrelationIsConvolutionWithTheTurnedFilter) {
  const std::vector<float> filter = noise_values(7 * 5, 1);
  const std::vector<float> turned(filter.rbegin(), filter.rend());
  for_each_kernel(filter, 5, [&](ConvolutionKernel kernel) {
    Convolution correlation(session_, Matrix(filter, 5), Border::kReflect, kernel);
    Convolution convolution(session_, Matrix(turned, 5), Border::kReflect, kernel);
    for (const auto& [rows, columns] :
         {std::pair<std::size_t, std::size_t>{1, 9}, {40, 160}, {181, 263}}) {
      const std::vector<float> pixels = noise_values(rows * columns, 3);
      EXPECT_EQ(difference(apply(correlation, &Convolution::correlate, pixels, columns),
                           apply(convolution, &Convolution::convolve, pixels, columns), 1e-5),
                "")
          << rows << " x " << columns;
    }
  });
}

TEST_P(ConvolutionTest, BordersAreWhatTheirNamesSay) {
  const std::vector<float> row = {1, 2, 4};
  const std::vector<float> square = {0, 0, 0, 1, 2, 4, 0, 0, 0};
  const std::vector<float> left = {0, 0, 0, 1, 0, 0, 0, 0, 0};
  for_each_kernel(left, 3, [&](ConvolutionKernel kernel) {
    const auto shifted = [&](Border border, const std::vector<float>& pixels) {
      Convolution convolution(session_, Matrix(left, 3), border, kernel);
      return apply(convolution, &Convolution::correlate, pixels, 3);
    };
    EXPECT_THAT(shifted(Border::kValid, square), ElementsAre(1));
    EXPECT_THAT(shifted(Border::kZero, row), ElementsAre(0, 1, 2));
    EXPECT_THAT(shifted(Border::kClamp, row), ElementsAre(1, 1, 2));
    EXPECT_THAT(shifted(Border::kReflect, row), ElementsAre(2, 1, 2));
  });
}

TEST_P(ConvolutionTest, NotANumberStaysUnderTheFilter) {
  std::vector<float> pixels(40 * 80, 1.0F);
  pixels[20 * 80 + 40] = std::nanf("");
  const std::vector<float> filter(9, 1.0F);
  for_each_kernel(filter, 3, [&](ConvolutionKernel kernel) {
    Convolution convolution(session_, Matrix(filter, 3), Border::kClamp, kernel);
    const std::vector<float> result = apply(convolution, &Convolution::correlate, pixels, 80);
    for (int y = 0; y < 40; ++y) {
      for (int x = 0; x < 80; ++x) {
        const bool under = std::abs(y - 20) <= 1 && std::abs(x - 40) <= 1;
        ASSERT_EQ(std::isnan(result[static_cast<std::size_t>(y * 80 + x)]), under) << x << ' ' << y;
      }
    }
  });
}

TEST_P(ConvolutionTest, AFilterTooLargeForAKernelOrForAllIsAnError) {
  const auto made_with = [&](std::size_t side, ConvolutionKernel kernel) {
    const std::vector<float> filter(side * side, 1);
    try {
      return Convolution(session_, Matrix(filter, side), Border::kValid, kernel).kernel();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), side > 15 ? ErrorKind::kInternal : ErrorKind::kDevice);
      EXPECT_THAT(error.what(), HasSubstr(side > 15 ? "1 to 15 rows and columns"
                                                    : "'registers' does not run for height=10"));
      return ConvolutionKernel::kAuto;
    }
  };
  EXPECT_EQ(made_with(9, ConvolutionKernel::kRegisters), ConvolutionKernel::kRegisters);
  EXPECT_EQ(made_with(10, ConvolutionKernel::kRegisters), ConvolutionKernel::kAuto);
  EXPECT_EQ(made_with(15, ConvolutionKernel::kTiled), ConvolutionKernel::kTiled);
  EXPECT_EQ(made_with(16, ConvolutionKernel::kTiled), ConvolutionKernel::kAuto);
}

INSTANTIATE_TEST_SUITE_P(EveryDevice, ConvolutionTest, ::testing::ValuesIn(every_device()));

TEST(Convolution, AutoTakesTheFastestMeasuredForTheNearestFilter) {
  const TemporaryFolder folder;
  const TuningSizes small = {{"height", 3}, {"width", 3}};
  const TuningSizes large = {{"height", 9}, {"width", 9}};
  const auto chosen = [](OpenClSession& session, std::size_t side) {
    const std::vector<float> filter(side * side, 1);
    return Convolution(session, Matrix(filter, side)).kernel();
  };
  for (const std::string& device : every_device()) {
    OpenClSession session(tuned_session(device, folder.path(),
                                        {{"convolution", small, "tiled", 0.1},
                                         {"convolution", small, "registers", 0.2},
                                         {"convolution", large, "tiled", 0.4},
                                         {"convolution", large, "registers", 0.3}}));
    EXPECT_EQ(chosen(session, 4), ConvolutionKernel::kTiled);
    EXPECT_EQ(chosen(session, 8), ConvolutionKernel::kRegisters);
  }
}

}  // namespace
}  // namespace lookalike
