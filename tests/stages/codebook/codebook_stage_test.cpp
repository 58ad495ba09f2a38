#include "stages/codebook/codebook_stage.h"

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
