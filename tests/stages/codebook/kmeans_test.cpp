#include "stages/codebook/kmeans.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stages/codebook/clusters.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;

void no_progress(std::size_t /*iteration*/, double /*objective*/) {}

// 64-D rows that are zero but for their first value.
std::vector<float> on_a_line(const std::vector<float>& positions) {
  std::vector<float> rows(positions.size() * kDimensions);
  for (std::size_t i = 0; i < positions.size(); ++i) rows[i * kDimensions] = positions[i];
  return rows;
}

class KMeansTest : public ::testing::Test {
 protected:
  KMeansResult run(const std::vector<float>& features, const std::vector<float>& words) {
    return k_means(session_, {features, kDimensions}, words, options_, no_progress);
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
  const KMeansResult result = k_means(session_, {features, kDimensions}, words, options_,
                                      [&](std::size_t iteration, double objective) {
                                        objectives.push_back(objective);
                                        EXPECT_EQ(iteration, objectives.size());
                                      });
  EXPECT_EQ(objectives.size(), result.iterations);
  EXPECT_GT(result.iterations, 2U);
  for (std::size_t i = 1; i < objectives.size(); ++i) EXPECT_LE(objectives[i], objectives[i - 1]);
  EXPECT_EQ(objectives.back(), result.objective);
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

TEST(MembersOf, FeaturesByWordThenAscending) {
  const Members members = members_of({2, 0, 2, 3, 0}, 5);
  EXPECT_THAT(members.order, ElementsAre(1, 4, 0, 2, 3));
  EXPECT_THAT(members.starts, ElementsAre(0, 2, 2, 4, 5, 5));
}

}  // namespace
}  // namespace lookalike
