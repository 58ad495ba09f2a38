#include "stages/codebook/codebook_stage.h"

#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

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

TEST(Random, UniformAndNormalHaveTheirMoments) {
  Random random(1);
  double uniform = 0;
  double normal = 0;
  double normal_squared = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double u = random.uniform();
    ASSERT_TRUE(u >= 0 && u < 1);
    uniform += u;
    const double n = random.normal();
    normal += n;
    normal_squared += n * n;
  }
  EXPECT_NEAR(uniform / 1e5, 0.5, 0.005);
  EXPECT_NEAR(normal / 1e5, 0, 0.015);
  EXPECT_NEAR(normal_squared / 1e5, 1, 0.02);
}

// Of what std::mt19937_64(5489) gives first, 14514284786278117030, the upper 53 bits.
TEST(Random, SameNumbersOnEveryPlatform) {
  EXPECT_EQ(Random(5489).uniform(), static_cast<double>(14514284786278117030ULL >> 11) * 0x1p-53);
}

}  // namespace
}  // namespace lookalike
