#include "tools/evaluate/metrics.h"

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
      measure({{"a", {}}, {"b", {}}}, {{{{.paths = {"1"}}}}, {{{.paths = {"1"}, .same = true}}}});
  EXPECT_EQ(measures.queries, 0U);
  EXPECT_EQ(measures.unknown_queries, 2U);
  EXPECT_DOUBLE_EQ(measures.unknown_rejected, 0.5);
}

TEST(Measure, KnownIsWhereSomethingIsTakenForTheSame) {
  const std::vector<TruthQuery> queries = {{"a", {{"1", {}}}}, {"b", {{"1", {}}}}, {"c", {}}};
  const Measures measures = measure(queries, {{{{.paths = {"1"}, .same = true}}},
                                              {{{.paths = {"1"}}}},
                                              {{{.paths = {"1"}, .same = true}}}});
  EXPECT_DOUBLE_EQ(measures.known_precision, 0.5);
  EXPECT_DOUBLE_EQ(measures.known_recall, 0.5);
  EXPECT_DOUBLE_EQ(measures.known_f1, 0.5);
}

TEST(Measure, CalibrationErrorIsHowFarProbabilitiesLieFromShares) {
  const std::vector<TruthQuery> queries = {{"a", {{"1", {}}}}};
  const Measures measures = measure(queries, {{{{.paths = {"1"}, .probability = 0.75},
                                                {.paths = {"2"}, .probability = 0.75},
                                                {.paths = {"3"}, .probability = 0.05},
                                                {.paths = {"4"}}}}});
  EXPECT_NEAR(measures.calibration_error, (0.5 + 0.05) / 3, 1e-12);
}

TEST(Median, IsTheMiddleValue) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 3);
}

TEST(Measure, AnAnswerIsNeededForEachQuery) {
  EXPECT_THROW(measure({{"a", {}}}, {}), Error);
}

}  // namespace
}  // namespace lookalike
