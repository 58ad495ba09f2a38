#include "kernels/histogram/sorted.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/kernels/shared_session.h"

namespace lookalike {
namespace {

class SortedHistogramsTest : public testing::Test {
 protected:
  std::vector<std::uint32_t> numbers_of(SortedHistograms& histograms,
                                        const std::vector<std::uint32_t>& words,
                                        const std::vector<std::uint32_t>& offsets) {
    const std::vector<std::uint64_t> signatures(words.size());
    std::vector<std::uint32_t> numbers(words.size());
    const auto& sorted = histograms.sort(session_.upload<std::uint32_t>(words),
                                         session_.upload<std::uint64_t>(signatures), offsets);
    session_.read<std::uint32_t>(sorted.numbers, numbers);
    return numbers;
  }

  OpenClSession& session_ = shared_session(every_device().front());
};

TEST_F(SortedHistogramsTest, ServeBatchesOfAnySizeInTurn) {
  using Numbers = std::vector<std::uint32_t>;
  SortedHistograms histograms(session_, 9);
  EXPECT_EQ(numbers_of(histograms, {3}, {0, 1}), Numbers({0}));
  EXPECT_EQ(numbers_of(histograms, {8, 3, 3, 0, 7, 0}, {0, 3, 3, 6}), Numbers({1, 2, 0, 0, 2, 1}));
  EXPECT_EQ(numbers_of(histograms, {1, 0}, {0, 0, 2, 2}), Numbers({1, 0}));
}

TEST_F(SortedHistogramsTest, WrongOffsetsAreRefused) {
  SortedHistograms histograms(session_, 9);
  for (const std::vector<std::uint32_t>& offsets :
       {std::vector<std::uint32_t>{}, {0}, {0, 0}, {1, 2}, {0, 2, 1}}) {
    EXPECT_THROW(numbers_of(histograms, {1, 2}, offsets), Error);
  }
}

TEST_F(SortedHistogramsTest, ImagesTooLongForLocalMemoryAreSortedElsewhere) {
  const auto features = std::size_t{session_.device().local_memory_bytes};
  for (const SortKernel kernel : sort_kernels(session_, 9, features)) {
    EXPECT_NE(kernel, SortKernel::kBitonic);
  }
}

}  // namespace
}  // namespace lookalike
