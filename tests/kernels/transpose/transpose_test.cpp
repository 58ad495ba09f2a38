#include "kernels/transpose/transpose.h"

#include <cstdint>
#include <numeric>
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

// Returns values that all differ, so that none can stand in for another.
std::vector<float> distinct_values(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

// Runs every kernel of a device, on every device present.
class TransposeTest : public ::testing::TestWithParam<std::string> {
 protected:
  template <typename Check>
  void for_each_kernel(Check check) {
    for (const TransposeKernel kernel : transpose_kernels(session_)) {
      SCOPED_TRACE(std::string(to_string(kernel)));
      Transpose transpose(session_, kernel);
      check(transpose);
    }
  }

  OpenClSession& session_ = shared_session(GetParam());
};

TEST_P(TransposeTest, SmallMatrixComesOutAsByHand) {
  for_each_kernel([this](Transpose& transpose) {
    const std::vector<float> matrix = {1, 2, 3, 4, 5, 6};
    std::vector<float> turned(6);
    const cl::Buffer to = session_.upload<float>(turned);
    transpose.transpose(session_.upload<float>(matrix), 2, 3, to);
    session_.read<float>(to, turned);
    EXPECT_THAT(turned, ElementsAre(1, 4, 2, 5, 3, 6));
    const std::vector<std::uint8_t> pixels = {1, 2, 3, 4, 5, 6};
    std::vector<std::uint8_t> turned_pixels(6);
    transpose.transpose(session_.upload<std::uint8_t>(pixels), 2, 3, to, 1);
    session_.read<std::uint8_t>(to, turned_pixels);
    EXPECT_THAT(turned_pixels, ElementsAre(1, 4, 2, 5, 3, 6));
  });
}

TEST_P(TransposeTest, NothingIsWrittenBeyondTheMatrix) {
  for_each_kernel([this](Transpose& transpose) {
    const std::vector<float> values = distinct_values(30 * 50);
    const cl::Buffer from = session_.upload(std::span(values));
    const cl::Buffer to = session_.upload<float>(std::vector<float>(values.size() + 99, -1));
    transpose.transpose(from, 30, 50, to);
    std::vector<float> rest(99);
    session_.read(to, std::span(rest), values.size());
    EXPECT_EQ(rest, std::vector<float>(99, -1));
  });
}

INSTANTIATE_TEST_SUITE_P(EveryDevice, TransposeTest, ::testing::ValuesIn(every_device()));

TEST(TransposeKernels, AutoTakesTheFastestMeasuredAtTheNearestSize) {
  const TemporaryFolder folder;
  const TuningSizes small = {{"rows", 100}, {"columns", 200}, {"bytes", 4}};
  const TuningSizes large = {{"rows", 1000}, {"columns", 2000}, {"bytes", 4}};
  for (const std::string& device : every_device()) {
    OpenClSession session(tuned_session(device, folder.path(),
                                        {{"transpose", small, "naive", 0.1},
                                         {"transpose", small, "tiled", 0.2},
                                         {"transpose", large, "naive", 3},
                                         {"transpose", large, "tiled", 2}}));
    Transpose transpose(session);
    EXPECT_EQ(transpose.kernel_for(110, 210, 4), TransposeKernel::kNaive);
    EXPECT_EQ(transpose.kernel_for(1100, 2100, 4), TransposeKernel::kTiled);
    EXPECT_EQ(Transpose(session, TransposeKernel::kNaive).kernel_for(1100, 2100, 4),
              TransposeKernel::kNaive);
  }
}

}  // namespace
}  // namespace lookalike
