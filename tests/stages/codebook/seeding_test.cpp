#include <algorithm>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "kernels/assign/assign.h"
#include "stages/codebook/kmeans.h"
#include "tests/stages/codebook/clusters.h"

namespace lookalike {
namespace {

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
