#include "stages/codebook/codebook_stage.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include <gtest/gtest.h>

#include "base/signature.h"
#include "tests/stages/codebook/clusters.h"

namespace lookalike {
namespace {

Codebook train(std::size_t words, std::uint64_t seed, double spread = 0.3) {
  OpenClSession session;
  const Sample sample{words, row_file(clustered_features(1000, 20, spread, 1))};
  CodebookOptions options;
  options.seed = seed;
  return train_codebook(session, sample, options);
}

TEST(CodebookStage, SameSeedGivesTheSameCodebook) {
  const Codebook first = train(25, 1);
  const Codebook again = train(25, 1);
  EXPECT_EQ(first.size(), 25U);
  EXPECT_EQ(first.words, again.words);
  EXPECT_EQ(first.projection, again.projection);
  EXPECT_EQ(first.thresholds, again.thresholds);
  EXPECT_NE(first.words, train(25, 2).words);
}

TEST(CodebookStage, NoMoreWordsThanDifferentFeatures) {
  const Codebook codebook = train(64, 1, 0);
  EXPECT_EQ(codebook.size(), 20U);
  EXPECT_EQ(codebook.thresholds.size(), 20 * kSignatureBits);
}

Codebook train_by_cells(OpenClSession& session, const std::vector<float>& features,
                        std::size_t words, std::uint32_t cells) {
  CodebookOptions options;
  options.cells = cells;
  return train_codebook(session, Sample{words, row_file(features)}, options);
}

TEST(CodebookStage, SameSeedGivesTheSameCells) {
  OpenClSession session;
  const std::vector<float> features = clustered_features(4000, 60, 0.5, 1);
  const Codebook first = train_by_cells(session, features, 250, 12);
  const Codebook again = train_by_cells(session, features, 250, 12);
  EXPECT_EQ(first.size(), 250U);
  EXPECT_EQ(first.cells.size(), 12U);
  EXPECT_EQ(first.cells.probes, WordCells::kMaxProbes);
  EXPECT_TRUE(first.cells.fit(250, kDimensions));
  EXPECT_EQ(first.words, again.words);
  EXPECT_EQ(first.cells, again.cells);
  EXPECT_EQ(first.thresholds, again.thresholds);
}

TEST(CodebookStage, CellsHaveWordsByTheirShareOfTheFeatures) {
  OpenClSession session;
  // A cluster of 3,000 features, and ten of 100.
  std::vector<float> features = clustered_features(3000, 1, 0.3, 2);
  const std::vector<float> others = clustered_features(1000, 10, 0.3, 3);
  features.insert(features.end(), others.begin(), others.end());
  const Codebook codebook = train_by_cells(session, features, 400, 8);
  const MatrixView<const float> centres(codebook.cells.centres, kDimensions);
  WordAssigner assigner(session, centres);
  std::vector<double> shares(codebook.cells.size());
  for (const std::uint32_t cell : assigner.assign({features, kDimensions}).words) {
    shares[cell] += 400.0 / 4000.0;
  }
  for (std::size_t cell = 0; cell < shares.size(); ++cell) {
    EXPECT_NEAR(codebook.cells.starts[cell + 1] - codebook.cells.starts[cell], shares[cell], 1.01);
  }
}

TEST(CodebookStage, WordsThatACellOfEqualFeaturesCannotHaveGoToTheNextOne) {
  OpenClSession session;
  std::vector<float> features = clustered_features(500, 1, 0, 4);  // at most one word
  const std::vector<float> others = clustered_features(500, 1, 0.3, 5);
  features.insert(features.end(), others.begin(), others.end());
  const Codebook codebook = train_by_cells(session, features, 100, 2);
  ASSERT_EQ(codebook.cells.size(), 2U);
  const std::size_t first = codebook.cells.starts[1];
  EXPECT_EQ(std::min(first, codebook.size() - first), 1U);
  EXPECT_EQ(codebook.size(), first == 1 ? 100U : 51U);
}

TEST(CodebookStage, OneCellIsACodebookWithoutCells) {
  OpenClSession session;
  const std::vector<float> features = clustered_features(1000, 20, 0.3, 1);
  const Codebook codebook = train_by_cells(session, features, 25, 1);
  EXPECT_TRUE(codebook.cells.empty());
  EXPECT_EQ(codebook.words, train_by_cells(session, features, 25, 0).words);
}

std::size_t differing(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1 : 0;
  return count;
}

TEST(CodebookStage, ThresholdsAreOfTheWordsThatCellsGive) {
  OpenClSession session;
  const std::vector<float> features = clustered_features(4000, 1, 1, 1);  // hard to tell apart
  const Codebook codebook = train_by_cells(session, features, 250, 40);
  const auto words = WordAssigner(session, codebook).assign({features, kDimensions}).words;
  EXPECT_EQ(codebook.thresholds, signature_thresholds(codebook, row_file(features), words));
  // Otherwise the comparison above proves nothing.
  const auto all = WordAssigner(session, codebook.word_matrix()).assign({features, kDimensions});
  EXPECT_GT(differing(words, all.words), 0U);
}

// docs/measurements/performance.md, "More words", has figures for the descriptors of photos.
TEST(CodebookStage, FewFeaturesGetAnotherWordThanTheNearestOfAll) {
  OpenClSession session;
  const std::vector<float> features = clustered_features(24000, 2000, 0.4, 1);
  const std::size_t trained = 20000 * kDimensions;
  Codebook codebook =
      train_by_cells(session, {features.begin(), features.begin() + trained}, 2500, 64);
  const MatrixView<const float> fresh(features.data() + trained, 4000, kDimensions);
  const auto nearest = WordAssigner(session, codebook.word_matrix()).assign(fresh).words;
  EXPECT_LE(differing(WordAssigner(session, codebook).assign(fresh).words, nearest), 80U);
  codebook.cells.probes = 1;
  EXPECT_GT(differing(WordAssigner(session, codebook).assign(fresh).words, nearest), 80U);
}

std::vector<std::vector<float>> sorted_words(const Codebook& codebook) {
  std::vector<std::vector<float>> words;
  for (std::size_t i = 0; i < codebook.size(); ++i) {
    const auto word = codebook.word_matrix().row(i);
    words.emplace_back(word.begin(), word.end());
  }
  std::ranges::sort(words);
  return words;
}

TEST(CodebookStage, GroupedWordsStayTheSameAndLieInCellsOfNeighbours) {
  OpenClSession session;
  const std::vector<float> features = clustered_features(12000, 1000, 0.4, 1);
  const std::size_t trained = 10000 * kDimensions;
  const Codebook whole =
      train_by_cells(session, {features.begin(), features.begin() + trained}, 1200, 1);
  Codebook grouped = whole;
  group_words(session, std::filesystem::temp_directory_path(), 32, {}, {}, grouped);
  EXPECT_EQ(sorted_words(grouped), sorted_words(whole));
  EXPECT_EQ(grouped.cells.size(), 32U);
  EXPECT_EQ(grouped.cells.probes, WordCells::kMaxProbes);
  EXPECT_TRUE(grouped.cells.fit(1200, kDimensions));
  const MatrixView<const float> fresh(features.data() + trained, 2000, kDimensions);
  const auto nearest = WordAssigner(session, grouped.word_matrix()).assign(fresh).words;
  EXPECT_LE(differing(WordAssigner(session, grouped).assign(fresh).words, nearest), 40U);
  grouped.cells.probes = 1;
  EXPECT_GT(differing(WordAssigner(session, grouped).assign(fresh).words, nearest), 40U);
}

TEST(CodebookStage, WordsAreGroupedAlikeAgain) {
  OpenClSession session;
  const std::vector<float> features = clustered_features(4000, 60, 0.5, 1);
  Codebook first = train_by_cells(session, features, 250, 1);
  Codebook again = first;
  for (Codebook* each : {&first, &again}) {
    group_words(session, std::filesystem::temp_directory_path(), 12, {}, {}, *each);
  }
  EXPECT_EQ(first.words, again.words);
  EXPECT_EQ(first.cells, again.cells);
}

TEST(CodebookStage, NoMoreCellsThanDifferentWords) {
  OpenClSession session;
  Codebook codebook;
  codebook.words = clustered_features(9, 3, 0, 1);  // three words, three times each
  group_words(session, std::filesystem::temp_directory_path(), 8, {}, {}, codebook);
  EXPECT_EQ(codebook.cells.size(), 3U);
  EXPECT_TRUE(codebook.cells.fit(9, kDimensions));
}

TEST(CodebookStage, LargeCodebooksHaveCellsByThemselves) {
  EXPECT_EQ(cell_count(16383, {}), 1U);
  EXPECT_EQ(cell_count(16384, {}), 64U);
  EXPECT_EQ(cell_count(65536, {}), 64U);
  EXPECT_EQ(cell_count(16384, {.cells = 1}), 1U);
  EXPECT_EQ(cell_count(65537, {}), 512U);
  EXPECT_EQ(cell_count(1048576, {}), 512U);
  EXPECT_EQ(cell_count(1048576, {.cells = 1}), 1U);
  EXPECT_EQ(cell_count(100, {.cells = 30}), 30U);
  EXPECT_EQ(cell_count(10, {.cells = 30}), 10U);
}

TEST(CodebookStage, TheWatchSeesEachCell) {
  OpenClSession session;
  const Sample sample{50, row_file(clustered_features(1000, 20, 0.3, 1))};
  CodebookOptions options;
  options.cells = 5;
  options.max_iterations = 3;
  std::vector<std::size_t> steps;
  TrainingWatch watch;
  watch.step = [&](std::size_t step, double objective) {
    EXPECT_GT(objective, 0);
    steps.push_back(step);
  };
  std::vector<std::size_t> seeds;
  watch.seeds = [&](std::size_t words) { seeds.push_back(words); };
  train_codebook(session, sample, options, watch);
  EXPECT_TRUE(std::ranges::is_sorted(seeds));
  EXPECT_EQ(seeds.back(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(steps));
  EXPECT_EQ(steps.size(), 3U + 5U);
  EXPECT_EQ(steps.back(), 3U + 5U);
}

TEST(CodebookStage, WatchEndsTrainingBeforeTheNextBatch) {
  OpenClSession session;
  const Sample sample{10, row_file(clustered_features(1000, 20, 0.3, 1))};
  int batches = 0;
  TrainingWatch watch;
  watch.batch = [&] {
    if (++batches == 3) throw std::runtime_error("stopped");
  };
  EXPECT_THROW(train_codebook(session, sample, {}, watch), std::runtime_error);
  EXPECT_EQ(batches, 3);
}

TEST(RandomProjection, RowsAreOrthonormal) {
  for (const std::size_t size : {64U, 128U}) {
    Random random(3);
    const std::vector<float> values = random_projection(size, random);
    const MatrixView<const float> rows(values, size);
    ASSERT_EQ(rows.rows(), kSignatureBits);
    for (std::size_t i = 0; i < kSignatureBits; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double dot = 0;
        for (std::size_t k = 0; k < size; ++k) dot += double{rows.row(i)[k]} * rows.row(j)[k];
        ASSERT_NEAR(dot, i == j ? 1 : 0, 1e-6);
      }
    }
  }
}

Codebook codebook_of(std::size_t words) {
  Random random(4);
  Codebook codebook;
  codebook.words = clustered_features(words, words, 0, 5);
  codebook.projection = random_projection(kDimensions, random);
  return codebook;
}

TEST(SignatureThresholds, EachBitSplitsTheFeaturesOfAWordInHalves) {
  Codebook codebook = codebook_of(2);
  const std::vector<float> features = clustered_features(202, 2, 0.3, 6);
  std::vector<std::uint32_t> assignment(202);
  for (std::uint32_t i = 0; i < 202; ++i) assignment[i] = i % 2;
  codebook.thresholds = signature_thresholds(codebook, row_file(features), assignment);
  const auto signatures = signatures_of({features, kDimensions}, codebook, assignment);
  for (std::size_t bit = 0; bit < kSignatureBits; ++bit) {
    std::size_t above[2] = {0, 0};
    for (std::size_t i = 0; i < signatures.size(); ++i) above[i % 2] += signatures[i] >> bit & 1;
    EXPECT_NEAR(static_cast<double>(above[0]), 50.5, 2) << bit;
    EXPECT_NEAR(static_cast<double>(above[1]), 50.5, 2) << bit;
  }
}

TEST(SignatureThresholds, TwoFeaturesGetTheMiddleBetweenThem) {
  Codebook codebook = codebook_of(1);
  const std::vector<float> features = clustered_features(2, 2, 0, 7);
  codebook.thresholds = signature_thresholds(codebook, row_file(features), {0, 0});
  const auto signatures =
      signatures_of({features, kDimensions}, codebook, std::vector<std::uint32_t>{0, 0});
  EXPECT_EQ(signatures[0], ~signatures[1]);
}

TEST(SignatureThresholds, WordWithoutFeaturesHasItsOwnProjections) {
  Codebook codebook = codebook_of(2);
  const std::vector<float> features(codebook.words.begin() + kDimensions, codebook.words.end());
  codebook.thresholds = signature_thresholds(codebook, row_file(features), {0});
  const std::vector<float> first(codebook.thresholds.begin(),
                                 codebook.thresholds.begin() + kSignatureBits);
  const std::vector<float> second(codebook.thresholds.begin() + kSignatureBits,
                                  codebook.thresholds.end());
  EXPECT_EQ(first, second);  // the feature of word 0 is word 1 itself
}

TEST(SignatureThresholds, DoNotDependOnWhereBatchesEnd) {
  Codebook codebook = codebook_of(3);
  const std::vector<float> pattern = clustered_features(3, 3, 0, 8);
  std::vector<float> features;
  std::vector<std::uint32_t> assignment;
  for (std::size_t i = 0; i < RowFile::kBatchRows / 2; ++i) {
    features.insert(features.end(), pattern.begin(), pattern.end());
    assignment.insert(assignment.end(), {0, 1, 2});
  }
  codebook.thresholds = signature_thresholds(codebook, row_file(pattern), {0, 1, 2});
  EXPECT_EQ(signature_thresholds(codebook, row_file(features), assignment), codebook.thresholds);
}

}  // namespace
}  // namespace lookalike
