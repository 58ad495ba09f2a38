#include "kernels/histogram/histogram.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kernels/shared_session.h"
#include "tests/kernels/tuned_session.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;
using Values = std::vector<std::uint32_t>;

// Runs for every kernel on every device present.
class HistogramTest : public ::testing::TestWithParam<std::tuple<std::string, HistogramKernel>> {
 protected:
  WordHistograms histograms(std::size_t word_count) {
    return {session_, word_count, std::get<1>(GetParam())};
  }

  OpenClSession& session_ = shared_session(std::get<0>(GetParam()));
};

TEST_P(HistogramTest, CountsEachImageByItselfAndEmptyOnesAsZero) {
  const Values words = {0, 2, 2, 1, 1, 1};
  const Values offsets = {0, 0, 3, 3, 5, 6, 6};
  EXPECT_THAT(histograms(3).count(words, offsets), ElementsAre(0, 0, 0,  //
                                                               1, 0, 2,  //
                                                               0, 0, 0,  //
                                                               0, 2, 0,  //
                                                               0, 1, 0,  //
                                                               0, 0, 0));
}

TEST_P(HistogramTest, FirstAndLastBinOfEverySegmentCount) {
  Values words;
  for (std::uint32_t first = 0; first < 65536; first += 4096) {
    words.insert(words.end(), {first, first, first + 4095});
  }
  const Values offsets = {0, static_cast<std::uint32_t>(words.size())};
  const Values counts = histograms(65536).count(words, offsets);
  for (std::uint32_t first = 0; first < 65536; first += 4096) {
    EXPECT_EQ(counts[first], 2U) << first;
    EXPECT_EQ(counts[first + 4095], 1U) << first;
  }
}

TEST_P(HistogramTest, OneWordThatComesManyTimesIsCountedOut) {
  const Values words(100'000, 5);
  EXPECT_THAT(histograms(7).count(words, Values{0, 100'000}),
              ElementsAre(0, 0, 0, 0, 0, 100'000, 0));
}

TEST_P(HistogramTest, BatchesUnderAMemoryLimitGiveTheSame) {
  OpenClSession small({.device = std::get<0>(GetParam()), .memory_limit_bytes = 200'000});
  Values words;
  Values offsets = {0};
  for (std::uint32_t image = 0; image < 40; ++image) {
    words.insert(words.end(), {image, 900 + image});
    offsets.push_back(static_cast<std::uint32_t>(words.size()));
  }
  EXPECT_EQ(WordHistograms(small, 5000, std::get<1>(GetParam())).count(words, offsets),
            histograms(5000).count(words, offsets));
}

TEST_P(HistogramTest, WrongOffsetsAndWordsAreRefused) {
  const Values words = {0, 1};
  WordHistograms three = histograms(3);
  EXPECT_THROW(three.count(words, Values{}), Error);
  EXPECT_THROW(three.count(words, Values{1, 2}), Error);
  EXPECT_THROW(three.count(words, Values{0, 1}), Error);
  EXPECT_THROW(three.count(words, Values{0, 2, 1, 2}), Error);
  EXPECT_THROW(three.count(Values{0, 3}, Values{0, 2}), Error);
  EXPECT_THROW(histograms(0), Error);
}

std::vector<std::tuple<std::string, HistogramKernel>> every_histogram_kernel() {
  if (list_devices().empty()) return {{"::0", HistogramKernel::kLocal}};  // fails, as it should
  std::vector<std::tuple<std::string, HistogramKernel>> all;
  for (const std::string& device : every_device()) {
    OpenClSession& session = shared_session(device);
    for (const HistogramKernel kernel : histogram_kernels(session))
      all.emplace_back(device, kernel);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(EveryDevice, HistogramTest, ::testing::ValuesIn(every_histogram_kernel()),
                         [](const auto& instance) {
                           return "Device" + std::get<0>(instance.param).substr(2) + "_" +
                                  std::string(to_string(std::get<1>(instance.param)));
                         });

TEST(WordHistograms, AutoTakesTheFastestMeasuredAtTheNearestSize) {
  const TemporaryFolder folder;
  for (const std::string& device : every_device()) {
    OpenClSession session(tuned_session(device, folder.path(),
                                        {{"histogram", {{"words", 10}}, "atomic", 0.1},
                                         {"histogram", {{"words", 10}}, "local", 0.2},
                                         {"histogram", {{"words", 1000}}, "atomic", 3},
                                         {"histogram", {{"words", 1000}}, "local", 2}}));
    EXPECT_EQ(WordHistograms(session, 9).kernel(), HistogramKernel::kAtomic);
    EXPECT_EQ(WordHistograms(session, 2000).kernel(), HistogramKernel::kLocal);
    EXPECT_EQ(WordHistograms(session, 9, HistogramKernel::kSerial).kernel(),
              HistogramKernel::kSerial);
  }
}

}  // namespace
}  // namespace lookalike
