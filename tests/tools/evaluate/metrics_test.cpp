#include "tools/evaluate/metrics.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/error.h"

namespace lookalike {
namespace {

Quad box(double x, double y, double w, double h) {
  return {Point{x, y}, Point{x + w, y}, Point{x + w, y + h}, Point{x, y + h}};
}

TEST(Measure, RanksCount) {
  const std::vector<TruthQuery> queries = {{"a", {{"1", {}}, {"2", {}}}}, {"b", {{"3", {}}}}};
  const std::vector<Answer> answers = {
      {{{{"1"}, {}}, {{"9"}, {}}, {{"2"}, {}}}},
      {{{{"8"}, {}}, {{"3"}, {}}}},
  };
  const Measures measures = measure(queries, answers);
  EXPECT_EQ(measures.queries, 2U);
  EXPECT_DOUBLE_EQ(measures.recall_at_1, 0.5);
  EXPECT_DOUBLE_EQ(measures.recall_at_5, 1);
  EXPECT_DOUBLE_EQ(measures.mean_average_precision, ((1 + 2.0 / 3) / 2 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(measures.ns_score, 1.5);
}

TEST(Measure, WhatIsNotFoundLowersThePrecision) {
  const Measures measures =
      measure({{"a", {{"1", {}}, {"2", {}}}}}, {{{{.paths = {"1"}}, {.paths = {"9"}}}}});
  EXPECT_DOUBLE_EQ(measures.mean_average_precision, 0.5);
}

TEST(Measure, LocationIsJudgedWhereCornersAreKnown) {
  const std::vector<TruthQuery> queries = {
      {"a", {{"1", box(0, 0, 10, 10)}}}, {"b", {{"1", box(0, 0, 10, 10)}}}, {"c", {{"1", {}}}}};
  const std::vector<Answer> answers = {{{{{"1"}, box(1, 0, 10, 10)}}},
                                       {{{{"1"}, box(3, 0, 10, 10)}}},
                                       {{{{"1"}, box(50, 0, 1, 1)}}}};
  const Measures measures = measure(queries, answers);
  EXPECT_EQ(measures.located_queries, 2U);
  EXPECT_DOUBLE_EQ(measures.located_at_50, 1);
  EXPECT_DOUBLE_EQ(measures.located_at_75, 0.5);
}

TEST(Measure, QueriesWithNothingToFindCountApart) {
  const Measures measures =
      measure({{"a", {}}, {"b", {}}},
              {{{{.paths = {"1"}}}}, {{{.paths = {"1"}, .decision = Decision::kSameObject}}}});
  EXPECT_EQ(measures.queries, 0U);
  EXPECT_EQ(measures.unknown_queries, 2U);
  EXPECT_DOUBLE_EQ(measures.unknown_rejected, 0.5);
}

TEST(Measure, KnownIsWhereSomethingIsTakenForTheSame) {
  const std::vector<TruthQuery> queries = {{"a", {{"1", {}}}}, {"b", {{"1", {}}}}, {"c", {}}};
  const Measures measures =
      measure(queries, {{{{.paths = {"1"}, .decision = Decision::kSameObject}}},
                        {{{.paths = {"1"}}}},
                        {{{.paths = {"1"}, .decision = Decision::kSameObject}}}});
  EXPECT_DOUBLE_EQ(measures.known_precision, 0.5);
  EXPECT_DOUBLE_EQ(measures.known_recall, 0.5);
  EXPECT_DOUBLE_EQ(measures.known_f1, 0.5);
}

TEST(Measure, FirstImagesAreConfirmedOrNot) {
  const std::vector<TruthQuery> queries = {
      {"a", {{"1", {}}}}, {"b", {{"1", {}}}}, {"c", {{"1", {}}}}, {"d", {}}, {"e", {}}, {"f", {}}};
  const Measures measures =
      measure(queries, {{{{.paths = {"1"}, .decision = Decision::kDuplicate}}},
                        {{{.paths = {"1"}, .decision = Decision::kPart}}},
                        {{{.paths = {"2"}, .decision = Decision::kSameObject}, {.paths = {"1"}}}},
                        {{{.paths = {"1"}, .decision = Decision::kDuplicate}}},
                        {{{.paths = {"1"}, .decision = Decision::kSimilar}}},
                        {}});
  EXPECT_DOUBLE_EQ(measures.recall_at_1, 2.0 / 3);
  EXPECT_DOUBLE_EQ(measures.recall_at_1_confirmed, 1.0 / 3);
  EXPECT_EQ(measures.wrong_confirmed_first, 1U);
  EXPECT_EQ(measures.wrong_duplicates, 1U);
  EXPECT_DOUBLE_EQ(measures.wrong_confirmed, 1.0 / 3);
  EXPECT_EQ(measures.unknown_confirmed, 1U);
  EXPECT_EQ(measures.unknown_listed, 2U);
}

TEST(Measure, WrongImagesAreCountedForQueriesWithSomethingToFind) {
  const std::vector<TruthQuery> queries = {{"a", {{"1", {}}}}, {"b", {{"1", {}}}}, {"c", {}}};
  const Measures measures = measure(queries, {{{{.paths = {"1"}}, {.paths = {"2"}}}},
                                              {{{.paths = {"2"}}, {.paths = {"3"}}}},
                                              {{{.paths = {"2"}}}}});
  EXPECT_DOUBLE_EQ(measures.wrong_listed, 1.5);
}

TEST(Measure, NothingListedIsNothingFound) {
  const Measures measures = measure({{"a", {{"1", box(0, 0, 10, 10)}}}}, {{}});
  EXPECT_EQ(measures.queries, 1U);
  EXPECT_EQ(measures.recall_at_1, 0);
  EXPECT_EQ(measures.mean_average_precision, 0);
  EXPECT_EQ(measures.located_queries, 1U);
  EXPECT_EQ(measures.located_at_50, 0);
}

TEST(Candidates, HaveAProbabilityOfAtLeastTheMinimum) {
  const Answer answer = {{{.paths = {"1"}, .probability = 0.5},
                          {.paths = {"2"}, .probability = 0.01},
                          {.paths = {"3"}, .probability = 0.001},
                          {.paths = {"4"}}}};
  EXPECT_EQ(candidates({"a", {{"1", {}}}}, answer).size(), 3U);
  const std::vector<Candidate> likely = candidates({"a", {{"1", {}}}}, answer, 0.01);
  ASSERT_EQ(likely.size(), 2U);
  EXPECT_TRUE(likely[0].relevant);
  EXPECT_FALSE(likely[1].relevant);
  EXPECT_EQ(likely[1].probability, 0.01);
}

TEST(CalibrationError, IsHowFarProbabilitiesLieFromShares) {
  const std::vector<Candidate> some = {{0.75, true}, {0.75, false}, {0.05, false}};
  EXPECT_NEAR(calibration_error(some), (0.5 + 0.05) / 3, 1e-12);
  EXPECT_EQ(calibration_error({}), 0);
}

TEST(CalibrationError, OfBinsOfEqualCount) {
  EXPECT_EQ(calibration_error_equal_count({}), 0);
  // Fewer than bins: each candidate is its own.
  EXPECT_NEAR(calibration_error_equal_count({{0.9, true}, {0.2, true}, {0.1, false}}),
              (0.1 + 0.8 + 0.1) / 3, 1e-12);
  // 20 candidates, two per bin; one of the two is right, and their mean is p + 0.005.
  std::vector<Candidate> pairs;
  double expected = 0;
  for (int i = 0; i < 10; ++i) {
    const double p = 0.05 + 0.09 * i;
    pairs.push_back({p + 0.01, false});
    pairs.push_back({p, true});
    expected += std::abs(2 * p + 0.01 - 1) / 20;
  }
  EXPECT_NEAR(calibration_error_equal_count(pairs), expected, 1e-12);
}

TEST(CalibrationError, EqualProbabilitiesShareABinWhateverTheirOrder) {
  std::vector<Candidate> equal;
  for (int i = 0; i < 30; ++i) equal.push_back({0.5, i < 15});
  EXPECT_NEAR(calibration_error_equal_count(equal), 0, 1e-12);
  equal.push_back({0.9, true});
  EXPECT_NEAR(calibration_error_equal_count(equal), 0.1 / 31, 1e-12);
}

TEST(UnsureFirst, AreFirstImagesOfMiddlingProbability) {
  const std::vector<TruthQuery> queries = {
      {"a", {{"1", {}}}}, {"b", {{"1", {}}}}, {"c", {{"1", {}}}}, {"d", {}}, {"e", {}}};
  const UnsureFirst unsure = unsure_first(
      queries, {{{{.paths = {"1"}, .probability = 0.05}}},
                {{{.paths = {"1"}, .probability = 0.5}}},
                {{{.paths = {"2"}, .probability = 0.04}, {.paths = {"1"}, .probability = 0.4}}},
                {{{.paths = {"1"}, .probability = 0.25}}},
                {}});
  EXPECT_EQ(unsure.count, 2U);
  EXPECT_DOUBLE_EQ(unsure.mean_probability, 0.15);
  EXPECT_DOUBLE_EQ(unsure.relevant, 0.5);
  EXPECT_THROW(unsure_first(queries, {}), Error);
}

TEST(Median, IsTheMiddleValue) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 3);
}

TEST(Measure, AnAnswerIsNeededForEachQuery) {
  EXPECT_THROW(measure({{"a", {}}}, {}), Error);
}

TEST(Threshold, IsTheLeastProbabilityThatKeepsTheRateOfErrors) {
  const std::vector<Candidate> some = {{0.2, true}, {0.9, true},  {0.8, true},
                                       {0.5, true}, {0.6, false}, {0.1, false}};
  EXPECT_EQ(threshold_for(some, 0)->probability, 0.8);
  EXPECT_EQ(threshold_for(some, 0)->kept, 0.5);
  EXPECT_EQ(threshold_for(some, 0.25)->probability, 0.2);
  EXPECT_EQ(threshold_for(some, 0.25)->kept, 1);
  EXPECT_FALSE(threshold_for({{0.9, false}, {0.9, true}}, 0.1));
  EXPECT_FALSE(threshold_for({}, 0.1));
}

}  // namespace
}  // namespace lookalike
