#include "kernels/assign/assign.h"

#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/synthetic_data.h"
#include "tests/kernels/shared_session.h"
#include "tests/kernels/tuned_session.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Lt;

// Runs for every kernel on every device present.
class AssignTest : public ::testing::TestWithParam<std::tuple<std::string, AssignKernel>> {
 protected:
  AssignKernel kernel() const { return std::get<1>(GetParam()); }

  OpenClSession& session_ = shared_session(std::get<0>(GetParam()));
};

// Returns 64-D words that are zero except for their first value.
std::vector<float> words_on_a_line(const std::vector<float>& positions) {
  std::vector<float> words(positions.size() * 64);
  for (std::size_t i = 0; i < positions.size(); ++i) words[i * 64] = positions[i];
  return words;
}

TEST_P(AssignTest, NoDescriptorsGiveNoWords) {
  const std::vector<float> words = words_on_a_line({1, 2});
  WordAssigner assigner(session_, {words, 64}, kernel());
  EXPECT_THAT(assigner.assign(MatrixView<const float>(nullptr, 0, 64)).words, IsEmpty());
  EXPECT_THAT(assigner.assign({}).words, IsEmpty());
  EXPECT_THAT(assigner.nearest(DeviceDescriptors(session_, {}), 1).words, IsEmpty());
}

TEST_P(AssignTest, KnownDistancesComeOutExactly) {
  const std::vector<float> words = words_on_a_line({0, 10, -10});
  const std::vector<float> descriptors = words_on_a_line({-7, 6, 1, 10});
  WordAssigner assigner(session_, {words, 64}, kernel());
  const Assignment found = assigner.assign({descriptors, 64});
  EXPECT_THAT(found.words, ElementsAre(2, 1, 0, 1));
  EXPECT_THAT(found.squared_distances, ElementsAre(9, 16, 1, 0));
}

TEST_P(AssignTest, TieGoesToTheLowestWord) {
  // Words 3, 40, 41, 170 and 299 are equal, in one group of eight and in others; 0 lies between
  // +-1 and is as far from each.
  std::vector<float> positions(300, 100);
  for (const std::size_t i : {3U, 40U, 41U, 170U, 299U}) positions[i] = 5;
  positions[200] = 1;
  positions[90] = -1;
  const std::vector<float> words = words_on_a_line(positions);
  const std::vector<float> descriptors = words_on_a_line({5, 4, 0, 100});
  WordAssigner assigner(session_, {words, 64}, kernel());
  EXPECT_THAT(assigner.assign({descriptors, 64}).words, ElementsAre(3, 3, 90, 0));
  EXPECT_THAT(assigner.nearest({descriptors, 64}, 3).words,
              ElementsAre(3, 40, 41, 3, 40, 41, 90, 200, 3, 0, 1, 2));
}

TEST_P(AssignTest, CancellationDoesNotHideTheNearestWord) {
  // Far from the origin a score in float cannot tell these words apart; distances can.
  constexpr std::size_t kWords = 200;
  std::vector<float> positions(kWords);
  for (std::size_t i = 0; i < kWords; ++i) positions[i] = 4000.0F + static_cast<float>(i) * 0.01F;
  const std::vector<float> words = words_on_a_line(positions);
  const std::vector<float> descriptors =
      words_on_a_line({positions[1], positions[77] + 0.002F, positions[199], 3000, 5000});
  const MatrixView<const float> word_view(words, 64);
  WordAssigner assigner(session_, word_view, kernel());
  EXPECT_THAT(assigner.assign({descriptors, 64}).words, ElementsAre(1, 77, 199, 0, 199));
  EXPECT_TRUE(is_nearest(word_view, {descriptors, 64}, 3, assigner.nearest({descriptors, 64}, 3)));
}

TEST_P(AssignTest, DescriptorThatIsNotFiniteGetsSomeWord) {
  const std::vector<float> words = words_on_a_line({1, 2, 3});
  const std::vector<float> descriptors = words_on_a_line(
      {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 3});
  WordAssigner assigner(session_, {words, 64}, kernel());
  const std::vector<std::uint32_t> found = assigner.assign({descriptors, 64}).words;
  EXPECT_THAT(found, Each(Lt(3U)));
  EXPECT_EQ(found[2], 2U);
}

TEST_P(AssignTest, SmallDeviceMemoryOnlyMakesMoreBatches) {
  const std::vector<float> words = synthetic_descriptors(64, 64, 3);
  const std::vector<float> descriptors = synthetic_descriptors(1000, 64, 4);
  const MatrixView<const float> view(descriptors, 64);
  // Room for the words and about a third of the descriptors.
  OpenClSession small({.device = std::get<0>(GetParam()), .memory_limit_bytes = 200'000});
  WordAssigner limited(small, {words, 64}, kernel());
  WordAssigner free(session_, {words, 64}, kernel());
  const Assignment expected = free.assign(view);
  const Assignment found = limited.assign(view);
  EXPECT_EQ(found.words, expected.words);
  EXPECT_EQ(found.squared_distances, expected.squared_distances);
}

TEST_P(AssignTest, DescriptorsOnTheDeviceServeSeveralAssigners) {
  const std::vector<float> descriptors = synthetic_descriptors(100, 64, 4);
  const MatrixView<const float> view(descriptors, 64);
  const DeviceDescriptors resident(session_, view);
  for (const std::uint32_t count : {9U, 64U}) {
    const std::vector<float> words = synthetic_descriptors(count, 64, count);
    WordAssigner assigner(session_, {words, 64}, kernel());
    const Assignment expected = assigner.nearest(view, 2);
    const Assignment found = assigner.nearest(resident, 2);
    EXPECT_EQ(found.words, expected.words);
    EXPECT_EQ(found.squared_distances, expected.squared_distances);
  }
}

TEST_P(AssignTest, WrongShapesAreRefused) {
  const std::vector<float> words = words_on_a_line({1, 2});
  EXPECT_THROW(WordAssigner(session_, MatrixView<const float>(nullptr, 0, 64), kernel()), Error);
  EXPECT_THROW(WordAssigner(session_, MatrixView<const float>(words.data(), 2, 61), kernel()),
               Error);
  WordAssigner assigner(session_, {words, 64}, kernel());
  const MatrixView<const float> longer(words.data(), 1, 128);
  EXPECT_THROW(assigner.assign(longer), Error);
  EXPECT_THROW(assigner.nearest(DeviceDescriptors(session_, longer), 1), Error);
  EXPECT_THROW(assigner.nearest({words, 64}, 0), Error);
  EXPECT_THROW(assigner.nearest({words, 64}, 3), Error);
  const DeviceDescriptors resident(session_, {words, 64});
  const cl::Buffer answer = session_.allocate(std::size_t{3} * 2 * sizeof(float));
  EXPECT_THROW(assigner.nearest(resident.buffer(), 2, 0, answer, answer), Error);
  EXPECT_THROW(assigner.nearest(resident.buffer(), 2, 3, answer, answer), Error);
  EXPECT_THROW(assigner.nearest(resident.buffer(), 0, 1, answer, answer), Error);
}

TEST_P(AssignTest, AutoTakesTheFastestMeasuredAtTheNearestSize) {
  const TemporaryFolder folder;
  const TuningSizes few = {{"words", 2}, {"dimensions", 64}};
  const TuningSizes many = {{"words", 1000}, {"dimensions", 64}};
  OpenClSession session(tuned_session(std::get<0>(GetParam()), folder.path(),
                                      {{"assign", few, "gpu3", 0.1},
                                       {"assign", few, "gpu2", 0.2},
                                       {"assign", many, "gpu3", 3},
                                       {"assign", many, "gpu2", 2}}));
  const std::vector<float> words = synthetic_descriptors(900, 64, 1);
  EXPECT_EQ(WordAssigner(session, {words.data(), 3, 64}).kernel(), AssignKernel::kGpu3);
  EXPECT_EQ(WordAssigner(session, {words, 64}).kernel(), AssignKernel::kGpu2);
}

std::vector<std::tuple<std::string, AssignKernel>> every_assign_kernel() {
  if (list_devices().empty()) return {{"::0", AssignKernel::kCpu}};  // fails, as it should
  std::vector<std::tuple<std::string, AssignKernel>> all;
  for (const std::string& device : every_device()) {
    for (const AssignKernel kernel : assign_kernels(shared_session(device))) {
      all.emplace_back(device, kernel);
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(EveryDevice, AssignTest, ::testing::ValuesIn(every_assign_kernel()),
                         [](const auto& instance) {
                           return "Device" + std::get<0>(instance.param).substr(2) + "_" +
                                  std::string(to_string(std::get<1>(instance.param)));
                         });

TEST(AssignKernels, NameEachOnceAndTheOneOfTheDevicesKindFirst) {
  for (const std::string& device : every_device()) {
    OpenClSession& session = shared_session(device);
    const std::vector<AssignKernel> kernels = assign_kernels(session);
    EXPECT_EQ(kernels.front() == AssignKernel::kCpu, session.is_cpu());
    EXPECT_EQ(std::set(kernels.begin(), kernels.end()).size(), kernels.size());
  }
}

}  // namespace
}  // namespace lookalike
