#include "stages/codebook/kmeans.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/assign/assign.h"
#include "tests/stages/codebook/clusters.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;

// 64-D rows that are zero except for their first value.
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
  // Word 7 is too far from all features to be listed.
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
  watch.step = [&](std::size_t iteration, double objective) {
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
  transfers_of(1);  // also probes the device
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

double squared_distance(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
  return sum;
}

// k-means++ as published: one word at a time.
std::vector<float> exact_seeds(MatrixView<const float> features, std::size_t words,
                               Random& random) {
  std::vector<double> distances(features.rows(), 1);
  std::vector<float> seeds;
  for (std::size_t k = 0; k < words; ++k) {
    double at = random.uniform() * std::accumulate(distances.begin(), distances.end(), 0.0);
    std::size_t drawn = 0;
    while (drawn + 1 < features.rows() && at >= distances[drawn]) at -= distances[drawn++];
    const auto row = features.row(drawn);
    seeds.insert(seeds.end(), row.begin(), row.end());
    for (std::size_t i = 0; i < features.rows(); ++i) {
      const double distance = squared_distance(features.row(i), row);
      distances[i] = k == 0 ? distance : std::min(distances[i], distance);
    }
  }
  return seeds;
}

double objective(OpenClSession& session, MatrixView<const float> features,
                 const std::vector<float>& words) {
  WordAssigner assigner(session, {words, kDimensions});
  const std::vector<float> distances = assigner.assign(features).squared_distances;
  return std::accumulate(distances.begin(), distances.end(), 0.0);
}

TEST(Seeding, ObjectiveIsCloseToThatOfExactKMeansPlusPlus) {
  OpenClSession session;
  double ours = 0;
  double exact = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<float> values = clustered_features(1500, 60, 0.3, seed);
    const MatrixView<const float> features(values, kDimensions);
    Random random(seed);
    ours +=
        objective(session, features, seed_words(session, row_file(values), 100, random, {}).words);
    exact += objective(session, features, exact_seeds(features, 100, random));
  }
  EXPECT_LT(ours, 1.05 * exact);
}

TEST(Seeding, WordsAreDifferentFeatures) {
  OpenClSession session;
  const std::vector<float> values = clustered_features(200, 200, 0, 1);
  const MatrixView<const float> features(values, kDimensions);
  Random random(1);
  const std::vector<float> words = seed_words(session, row_file(values), 150, random, {}).words;
  ASSERT_EQ(words.size(), 150 * kDimensions);
  std::set<std::vector<float>> all;
  for (std::size_t i = 0; i < 200; ++i) all.emplace(features.row(i).begin(), features.row(i).end());
  for (std::size_t i = 0; i < 150; ++i) {
    const auto row = MatrixView<const float>(words, kDimensions).row(i);
    EXPECT_EQ(all.erase({row.begin(), row.end()}), 1U);
  }
}

TEST(Seeding, AssignmentIsToTheNearestOfAllRounds) {
  OpenClSession session;
  const std::vector<float> values = clustered_features(400, 60, 0.3, 1);
  Random random(1);
  const Seeds seeds = seed_words(session, row_file(values), 50, random, {});
  WordAssigner assigner(session, {seeds.words, kDimensions});
  EXPECT_EQ(seeds.assignment, assigner.assign({values, kDimensions}).words);
}

TEST(Seeding, NoMoreWordsThanDifferentFeatures) {
  OpenClSession session;
  const std::vector<float> values = clustered_features(100, 7, 0, 1);
  Random random(1);
  EXPECT_EQ(seed_words(session, row_file(values), 20, random, {}).words.size(), 7 * kDimensions);
}

TEST(Seeding, SameSeedSameWords) {
  OpenClSession session;
  const RowFile features = row_file(clustered_features(300, 20, 0.3, 1));
  Random first(5);
  Random again(5);
  Random other(6);
  const std::vector<float> words = seed_words(session, features, 30, first, {}).words;
  EXPECT_EQ(words, seed_words(session, features, 30, again, {}).words);
  EXPECT_NE(words, seed_words(session, features, 30, other, {}).words);
}

}  // namespace
}  // namespace lookalike
