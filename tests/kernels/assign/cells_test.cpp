#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/assign/assign.h"
#include "kernels/synthetic_data.h"
#include "tests/kernels/shared_session.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;

// Runs for every kernel on every device present.
class CellsTest : public ::testing::TestWithParam<std::tuple<std::string, CellKernel>> {
 protected:
  WordAssigner assigner(const Codebook& codebook) const {
    return {session_, codebook, AssignKernel::kAuto, std::get<1>(GetParam())};
  }

  OpenClSession& session_ = shared_session(std::get<0>(GetParam()));
};

// Returns 64-D rows that are zero except for their first value.
std::vector<float> rows_on_a_line(const std::vector<float>& positions) {
  std::vector<float> rows(positions.size() * 64);
  for (std::size_t i = 0; i < positions.size(); ++i) rows[i * 64] = positions[i];
  return rows;
}

// Words 0, 1, 2 around 0, words 3 and 4 around 10, word 5 at 20; two cells are searched.
Codebook three_cells() {
  Codebook codebook;
  codebook.words = rows_on_a_line({-1, 0, 4, 4, 10, 20});
  codebook.cells = {rows_on_a_line({0, 10, 20}), {0, 3, 5, 6}, 2};
  return codebook;
}

TEST_P(CellsTest, NearestWordsOfTheNearestCellsWithTiesToTheLowest) {
  WordAssigner words = assigner(three_cells());
  const std::vector<float> descriptors = rows_on_a_line({4, 6, 21});
  const Assignment found = words.nearest({descriptors, 64}, 3);
  EXPECT_THAT(found.words, ElementsAre(2, 3, 1, 2, 3, 4, 5, 4, 3));
  EXPECT_THAT(found.squared_distances, ElementsAre(0, 0, 16, 4, 4, 16, 1, 121, 289));
}

TEST_P(CellsTest, WordsOfOtherCellsAreNotCompared) {
  Codebook codebook = three_cells();
  codebook.words[std::size_t{3} * 64] = 5;
  const std::vector<float> descriptors = rows_on_a_line({4.75F});
  EXPECT_THAT(assigner(codebook).assign({descriptors, 64}).words, ElementsAre(3));
  codebook.cells.probes = 1;
  EXPECT_THAT(assigner(codebook).assign({descriptors, 64}).words, ElementsAre(2));
}

TEST_P(CellsTest, AsManyWordsAsTheSmallestCellsHave) {
  EXPECT_EQ(assigner(three_cells()).max_nearest(), 3U);
  Codebook codebook = three_cells();
  codebook.cells.probes = 8;
  EXPECT_EQ(assigner(codebook).max_nearest(), 6U);
  const std::vector<float> descriptors = rows_on_a_line({4});
  EXPECT_THROW(assigner(three_cells()).nearest({descriptors, 64}, 4), Error);
}

TEST_P(CellsTest, CellsThatDoNotFitTheWordsAreRefused) {
  Codebook codebook = three_cells();
  codebook.cells.starts = {0, 3, 3, 6};
  EXPECT_THROW(assigner(codebook), Error);
  codebook.cells.starts = {0, 3, 5, 7};
  EXPECT_THROW(assigner(codebook), Error);
  codebook = three_cells();
  codebook.cells.probes = 9;
  EXPECT_THROW(assigner(codebook), Error);
  codebook = three_cells();
  codebook.cells.centres.resize(128);
  EXPECT_THROW(assigner(codebook), Error);
}

TEST_P(CellsTest, ADeviceWithoutMatrixUnitsIsRefused) {
  if (session_.device().is_nvidia()) GTEST_SKIP() << "an NVIDIA device may have them";
  EXPECT_THROW(WordAssigner(session_, three_cells(), AssignKernel::kAuto, CellKernel::kMatrix),
               Error);
}

TEST_P(CellsTest, AllCellsSearchedGiveTheWordsOfACodebookWithoutCells) {
  Codebook codebook;
  codebook.words = synthetic_descriptors(200, 64, 1);
  const std::vector<float> descriptors = synthetic_descriptors(100, 64, 2);
  const Assignment all = WordAssigner(session_, codebook).nearest({descriptors, 64}, 5);
  codebook.cells = {synthetic_descriptors(4, 64, 3), {0, 1, 50, 101, 200}, 8};
  const Assignment found = assigner(codebook).nearest({descriptors, 64}, 5);
  EXPECT_EQ(found.words, all.words);
}

std::vector<std::tuple<std::string, CellKernel>> every_cell_kernel() {
  if (list_devices().empty()) return {{"::0", CellKernel::kPanels}};  // fails, as it should
  std::vector<std::tuple<std::string, CellKernel>> all;
  for (const std::string& device : every_device()) {
    for (const CellKernel kernel : cell_kernels(shared_session(device))) {
      all.emplace_back(device, kernel);
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(EveryDevice, CellsTest, ::testing::ValuesIn(every_cell_kernel()),
                         [](const auto& instance) {
                           return "Device" + std::get<0>(instance.param).substr(2) + "_" +
                                  std::string(to_string(std::get<1>(instance.param)));
                         });

}  // namespace
}  // namespace lookalike
