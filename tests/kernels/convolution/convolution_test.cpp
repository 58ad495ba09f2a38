#include "kernels/convolution/convolution.h"

#include <array>
#include <cmath>
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

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Matrix = MatrixView<const float>;

std::string device_choice(std::size_t index) {
  return "::" + std::to_string(index);
}

std::vector<float> random_values(std::size_t count, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(generator() >> 8U) * 0x1p-23F - 1.0F;
  return values;
}

// Products of a random column and a random row, which every kernel takes.
std::vector<float> rank_one_filter(std::size_t height, std::size_t width) {
  const std::vector<float> column = random_values(height, 11);
  const std::vector<float> row = random_values(width, 12);
  std::vector<float> filter;
  for (const float c : column) {
    for (const float r : row) filter.push_back(c * r);
  }
  return filter;
}

constexpr std::array kBorders = {Border::kValid, Border::kZero, Border::kClamp, Border::kReflect};
constexpr std::array kKernels = {ConvolutionKernel::kDirect, ConvolutionKernel::kTiled,
                                 ConvolutionKernel::kRegisters, ConvolutionKernel::kVectors,
                                 ConvolutionKernel::kSeparable};

// Sums of up to 1309 products, each at most 1.
void expect_near(const std::vector<float>& found, const std::vector<double>& right) {
  ASSERT_EQ(found.size(), right.size());
  for (std::size_t i = 0; i < right.size(); ++i) {
    ASSERT_NEAR(found[i], right[i], 1e-4) << "at " << i;
  }
}

// Runs every kernel that takes the filter, on every device present. Filters have few shapes, since
// a kernel that unrolls its loops is compiled for each.
class ConvolutionTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  void for_each_kernel(const std::vector<float>& filter, std::size_t filter_width,
                       const std::function<void(ConvolutionKernel)>& check) {
    for (const ConvolutionKernel kernel :
         convolution_kernels(session_, Matrix(filter, filter_width))) {
      SCOPED_TRACE(std::string(to_string(kernel)));
      check(kernel);
    }
  }

  void compare(const std::vector<float>& filter, std::size_t filter_width, std::size_t rows,
               std::size_t columns) {
    const std::vector<float> pixels = random_values(rows * columns, 1);
    const Matrix image(pixels, columns);
    const Matrix weights(filter, filter_width);
    for (const Border border : kBorders) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + ", border " +
                   std::to_string(static_cast<int>(border)));
      const std::vector<double> correlated = correlate_reference(image, weights, border);
      const std::vector<double> convolved = convolve_reference(image, weights, border);
      for_each_kernel(filter, filter_width, [&](ConvolutionKernel kernel) {
        Convolution convolution(session_, weights, border, kernel);
        expect_near(convolution.correlate(image), correlated);
        expect_near(convolution.convolve(image), convolved);
      });
    }
  }

  OpenClSession& session_ = shared_session(device_choice(GetParam()));
};

TEST_P(ConvolutionTest, ConvolutionTurnsTheFilterAndCorrelationDoesNot) {
  const std::vector<float> pixels = {0, 0, 0, 0, 1, 0, 0, 0, 0};
  const std::vector<float> filter = {1, 2, 3, 2, 4, 6, 3, 6, 9};
  for_each_kernel(filter, 3, [&](ConvolutionKernel kernel) {
    Convolution convolution(session_, Matrix(filter, 3), Border::kZero, kernel);
    EXPECT_THAT(convolution.convolve(Matrix(pixels, 3)), ElementsAre(1, 2, 3, 2, 4, 6, 3, 6, 9));
    EXPECT_THAT(convolution.correlate(Matrix(pixels, 3)), ElementsAre(9, 6, 3, 6, 4, 2, 3, 2, 1));
  });
}

TEST_P(ConvolutionTest, BordersAreWhatTheirNamesSay) {
  const std::vector<float> row = {1, 2, 4};
  const std::vector<float> square = {0, 0, 0, 1, 2, 4, 0, 0, 0};
  const std::vector<float> left = {0, 0, 0, 1, 0, 0, 0, 0, 0};
  for_each_kernel(left, 3, [&](ConvolutionKernel kernel) {
    const auto shifted = [&](Border border, const std::vector<float>& pixels) {
      return Convolution(session_, Matrix(left, 3), border, kernel).correlate(Matrix(pixels, 3));
    };
    EXPECT_THAT(shifted(Border::kValid, square), ElementsAre(1));
    EXPECT_THAT(shifted(Border::kZero, row), ElementsAre(0, 1, 2));
    EXPECT_THAT(shifted(Border::kClamp, row), ElementsAre(1, 1, 2));
    EXPECT_THAT(shifted(Border::kReflect, row), ElementsAre(2, 1, 2));
  });
}

TEST_P(ConvolutionTest, ImagesSmallerThanTheFilterWork) {
  const std::vector<float> filter = rank_one_filter(7, 5);
  for (const auto& [rows, columns] :
       {std::array{1, 1}, std::array{1, 9}, std::array{6, 20}, std::array{7, 5}}) {
    compare(filter, 5, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
  }
}

TEST_P(ConvolutionTest, EmptyImagesGiveEmptyResults) {
  const std::vector<float> filter = rank_one_filter(3, 3);
  for_each_kernel(filter, 3, [&](ConvolutionKernel kernel) {
    for (const Border border : kBorders) {
      Convolution convolution(session_, Matrix(filter, 3), border, kernel);
      EXPECT_THAT(convolution.correlate(Matrix(nullptr, 0, 5)), IsEmpty());
      EXPECT_THAT(convolution.convolve(Matrix(nullptr, 5, 0)), IsEmpty());
    }
  });
}

TEST_P(ConvolutionTest, SizesAroundTilesAgreeWithTheReference) {
  const std::vector<float> filter = rank_one_filter(7, 5);
  for (const auto& [rows, columns] :
       {std::array{22, 134}, std::array{21, 133}, std::array{23, 135}, std::array{70, 38},
        std::array{65, 67}, std::array{40, 160}, std::array{180, 264}, std::array{181, 263}}) {
    compare(filter, 5, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
  }
}

TEST_P(ConvolutionTest, FiltersOfAnyShapeAgreeWithTheReference) {
  for (const auto& [height, width] :
       {std::array{1, 4}, std::array{7, 1}, std::array{15, 15}, std::array{33, 18}}) {
    const auto filter_width = static_cast<std::size_t>(width);
    compare(rank_one_filter(static_cast<std::size_t>(height), filter_width), filter_width, 37, 75);
  }
}

TEST_P(ConvolutionTest, FiltersOfHigherRankAgreeWithTheReference) {
  compare(random_values(7 * 5, 5), 5, 50, 150);
}

TEST_P(ConvolutionTest, LargeFiltersOfHigherRankAgreeWithTheReference) {
  compare(random_values(77 * 17, 7), 17, 90, 60);
}

TEST_P(ConvolutionTest, NotANumberStaysUnderTheFilter) {
  std::vector<float> pixels(40 * 80, 1.0F);
  pixels[20 * 80 + 40] = std::nanf("");
  const std::vector<float> filter(9, 1.0F);
  for_each_kernel(filter, 3, [&](ConvolutionKernel kernel) {
    Convolution convolution(session_, Matrix(filter, 3), Border::kClamp, kernel);
    const std::vector<float> result = convolution.correlate(Matrix(pixels, 80));
    for (int y = 0; y < 40; ++y) {
      for (int x = 0; x < 80; ++x) {
        const bool under = std::abs(y - 20) <= 1 && std::abs(x - 40) <= 1;
        ASSERT_EQ(std::isnan(result[static_cast<std::size_t>(y * 80 + x)]), under) << x << ' ' << y;
      }
    }
  });
}

TEST_P(ConvolutionTest, AKernelThatDoesNotTakeTheFilterIsAnError) {
  const std::vector<float> rank_two = {1, 0, 0, 1};
  try {
    Convolution(session_, Matrix(rank_two, 2), Border::kValid, ConvolutionKernel::kSeparable);
    FAIL() << "the filter was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDevice);
    EXPECT_THAT(error.what(), HasSubstr("'separable' does not take this filter of 2 x 2"));
  }
}

INSTANTIATE_TEST_SUITE_P(EveryDevice, ConvolutionTest,
                         ::testing::Range<std::size_t>(0, list_devices().size()));

TEST(Convolution, AutoTakesTheFastestMeasuredForTheNearestFilter) {
  const TemporaryFolder folder;
  const TuningSizes small = {{"height", 3}, {"width", 3}};
  const TuningSizes large = {{"height", 9}, {"width", 9}};
  const auto chosen = [](OpenClSession& session, std::size_t side) {
    const std::vector<float> filter = rank_one_filter(side, side);
    return Convolution(session, Matrix(filter, side)).kernel();
  };
  for (std::size_t i = 0; i < list_devices().size(); ++i) {
    OpenClSession session(tuned_session(device_choice(i), folder.path(),
                                        {{"convolution", small, "direct", 0.1},
                                         {"convolution", small, "separable", 0.2},
                                         {"convolution", large, "direct", 0.4},
                                         {"convolution", large, "separable", 0.3}}));
    EXPECT_EQ(chosen(session, 4), ConvolutionKernel::kDirect);
    EXPECT_EQ(chosen(session, 8), ConvolutionKernel::kSeparable);
  }
}

TEST(Separate, FindsTheFactorsOfABinomialFilter) {
  const std::vector<float> filter = {1, 2, 1, 2, 4, 2, 1, 2, 1};
  const auto parts = separate(Matrix(filter, 3));
  ASSERT_TRUE(parts.has_value());
  EXPECT_THAT(parts->column, ElementsAre(2, 4, 2));
  EXPECT_THAT(parts->row, ElementsAre(0.5F, 1, 0.5F));
}

TEST(Separate, RefusesZerosAndHigherRanks) {
  EXPECT_FALSE(separate(Matrix(std::vector<float>(9, 0), 3)).has_value());
  EXPECT_FALSE(separate(Matrix(std::vector<float>{1, 0, 0, 1}, 2)).has_value());
}

TEST(ConvolutionKernels, NamesAreReadBackAndOthersRefused) {
  for (const ConvolutionKernel kernel : kKernels) {
    EXPECT_EQ(parse_convolution_kernel(to_string(kernel)), kernel);
  }
  try {
    parse_convolution_kernel("sideways");
    FAIL() << "the name was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("sideways"));
  }
}

}  // namespace
}  // namespace lookalike
