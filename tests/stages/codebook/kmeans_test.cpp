#include "stages/codebook/kmeans.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stages/codebook/clusters.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;

// 64-D rows that are zero but for their first value.
std::vector<float> on_a_line(const std::vector<float>& positions) {
  std::vector<float> rows(positions.size() * kDimensions);
  for (std::size_t i = 0; i < positions.size(); ++i) rows[i * kDimensions] = positions[i];
  return rows;
}

class KMeansTest : public ::testing::Test {
 protected:
  KMeansResult run(const std::vector<float>& features, const std::vector<float>& words) {
    return k_means(session_, row_file(features), words, options_, {});
  }
  static std::vector<float> positions(const KMeansResult& result) {
    std::vector<float> values;
    for (std::size_t i = 0; i < result.words.size(); i += kDimensions) {
      values.push_back(result.words[i]);
    }
    return values;
  }

  OpenClSession session_;
  CodebookOptions options_;
};

TEST_F(KMeansTest, WordsMoveToTheMeansOfTheirFeatures) {
  const KMeansResult result = run(on_a_line({0, 1, 2, 10, 11, 12}), on_a_line({0, 12}));
  EXPECT_THAT(positions(result), ElementsAre(1, 11));
  EXPECT_THAT(result.assignment, ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_NEAR(result.objective, 4.0 / 6, 1e-6);
}

TEST_F(KMeansTest, EmptyWordTakesTheFarthestFeatureOfTheLargestWord) {
  options_.max_iterations = 2;
  const KMeansResult result = run(on_a_line({0, 1, 5, 20, 21}), on_a_line({0, 20, 100}));
  EXPECT_THAT(positions(result), ElementsAre(0.5, 20.5, 5));
  EXPECT_THAT(result.assignment, ElementsAre(0, 0, 2, 1, 1));
}

TEST_F(KMeansTest, FeaturesNearAReseededWordJoinIt) {
  // Word 7 is so far from all features that none lists it.
  options_.max_iterations = 2;
  const KMeansResult result = run(on_a_line({0, 0, 0, 40, 41, 100, 101, 102, 103, 104, 105}),
                                  on_a_line({0, 100, 101, 102, 103, 104, 105, 1000}));
  EXPECT_THAT(positions(result), ElementsAre(10, 100, 101, 102, 103, 104, 105, 41));
  EXPECT_THAT(result.assignment, ElementsAre(0, 0, 0, 7, 7, 1, 2, 3, 4, 5, 6));
}

TEST_F(KMeansTest, WordStaysEmptyWhereNoFeatureIsLeftForIt) {
  const KMeansResult result = run(on_a_line({3, 3, 3}), on_a_line({3, 7}));
  EXPECT_THAT(positions(result), ElementsAre(3, 7));
  EXPECT_EQ(result.objective, 0);
}

TEST_F(KMeansTest, ObjectiveNeverRisesAndIsReported) {
  options_.min_improvement = 0;
  options_.max_iterations = 8;
  const std::vector<float> features = clustered_features(2000, 40, 0.5, 3);
  const std::vector<float> words(features.begin(), features.begin() + 30 * kDimensions);
  std::vector<double> objectives;
  TrainingWatch watch;
  watch.iteration = [&](std::size_t iteration, double objective) {
    objectives.push_back(objective);
    EXPECT_EQ(iteration, objectives.size());
  };
  const KMeansResult result = k_means(session_, row_file(features), words, options_, watch);
  EXPECT_EQ(objectives.size(), result.iterations);
  EXPECT_GT(result.iterations, 2U);
  for (std::size_t i = 1; i < objectives.size(); ++i) EXPECT_LE(objectives[i], objectives[i - 1]);
  EXPECT_EQ(objectives.back(), result.objective);
}

TEST_F(KMeansTest, SumsAreInTheOrderOfTheFeatures) {
  options_.max_iterations = 2;
  EXPECT_THAT(positions(run(on_a_line({1e17F, -1e17F, 1}), on_a_line({0}))),
              ElementsAre(static_cast<float>(1.0 / 3)));
}

TEST_F(KMeansTest, ListsOfNearWordsCostLittleOfTheObjective) {
  options_.min_improvement = 0;
  const std::vector<float> features = clustered_features(4000, 40, 0.5, 3);
  std::vector<float> exact(features.begin(), features.begin() + 100 * kDimensions);
  const KMeansResult result = run(features, exact);
  const RowFile rows = row_file(features);
  double objective = 0;
  for (std::size_t i = 0; i < result.iterations; ++i) {
    WordAssigner assigner(session_, {exact, kDimensions});
    const Assignment nearest = assigner.assign({features, kDimensions});
    objective =
        std::accumulate(nearest.squared_distances.begin(), nearest.squared_distances.end(), 0.0) /
        4000;
    move_to_means(rows, nearest.words, {exact, kDimensions});
  }
  EXPECT_LT(result.objective, 1.01 * objective);
}

// The device gets the features in the first iteration and in the eleventh.
TEST_F(KMeansTest, DeviceSearchesOnceInTenIterations) {
  options_.min_improvement = 0;
  const std::vector<float> features = clustered_features(2000, 40, 0.5, 3);
  const std::vector<float> words(features.begin(), features.begin() + 30 * kDimensions);
  OpenClSession session({.profile = true});
  const auto transfers_of = [&](std::uint32_t iterations) {
    options_.max_iterations = iterations;
    session.drain_transfers();
    EXPECT_EQ(k_means(session, row_file(features), words, options_, {}).iterations, iterations);
    return session.drain_transfers().launches;
  };
  transfers_of(1);  // also tries what the device can do
  const std::size_t once = transfers_of(1);
  EXPECT_EQ(transfers_of(10), once);
  EXPECT_EQ(transfers_of(11), 2 * once);
}

TEST_F(KMeansTest, StopsAtTheLimitAndOnSmallImprovement) {
  const std::vector<float> features = clustered_features(2000, 40, 0.5, 3);
  const std::vector<float> words(features.begin(), features.begin() + 30 * kDimensions);
  options_.min_improvement = 0;
  options_.max_iterations = 3;
  EXPECT_EQ(run(features, words).iterations, 3U);
  options_.min_improvement = 1;
  EXPECT_EQ(run(features, words).iterations, 2U);
}

TEST_F(KMeansTest, BatchesAreOneMatrix) {
  const std::size_t count = RowFile::kBatchRows + 3;
  std::vector<float> at(count, 1);
  at.front() = 3;
  at.back() = 11;
  at[count - 2] = 13;
  options_.max_iterations = 2;
  const KMeansResult result = run(on_a_line(at), on_a_line({0, 12}));
  EXPECT_THAT(positions(result),
              ElementsAre(static_cast<float>(1 + 2.0 / static_cast<double>(count - 2)), 12));
  ASSERT_EQ(result.assignment.size(), count);
  EXPECT_EQ(result.assignment.front(), 0U);
  EXPECT_EQ(result.assignment[count - 3], 0U);
  EXPECT_EQ(result.assignment[count - 2], 1U);
  EXPECT_EQ(result.assignment.back(), 1U);
}

}  // namespace
}  // namespace lookalike
