#include "tools/evaluate/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "base/geometry.h"

namespace lookalike {
namespace {

constexpr std::size_t kNsDepth = 4;
constexpr std::size_t kCalibrationBins = 10;

Quad bounding_box(const Quad& quad) {
  const auto by_x = [](const Point& a, const Point& b) { return a.x < b.x; };
  const auto by_y = [](const Point& a, const Point& b) { return a.y < b.y; };
  const auto [left, right] = std::minmax_element(quad.begin(), quad.end(), by_x);
  const auto [top, bottom] = std::minmax_element(quad.begin(), quad.end(), by_y);
  return {Point{left->x, top->y}, Point{right->x, top->y}, Point{right->x, bottom->y},
          Point{left->x, bottom->y}};
}

bool names(std::span<const std::string> paths, const std::string& path) {
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

std::size_t relevant_among(const TruthQuery& query, const Answer& answer, std::size_t depth) {
  const auto end =
      answer.found.begin() + static_cast<std::ptrdiff_t>(std::min(depth, answer.found.size()));
  return static_cast<std::size_t>(
      std::count_if(answer.found.begin(), end,
                    [&](const Answer::Found& found) { return is_relevant(query, found.paths); }));
}

double average_precision(const TruthQuery& query, const Answer& answer) {
  double sum = 0;
  std::size_t hits = 0;
  for (std::size_t rank = 0; rank < answer.found.size(); ++rank) {
    if (!is_relevant(query, answer.found[rank].paths)) continue;
    ++hits;
    sum += static_cast<double>(hits) / static_cast<double>(rank + 1);
  }
  return sum / static_cast<double>(query.relevant.size());
}

double share(double part, std::size_t whole) {
  return whole == 0 ? 0 : part / static_cast<double>(whole);
}

bool is_taken_for_known(const Answer& answer) {
  return std::any_of(answer.found.begin(), answer.found.end(),
                     [](const Answer::Found& found) { return found.same; });
}

// |mean probability - relevant share| of each bin of probabilities, weighted by its size.
// Method: Naeini, Cooper, Hauskrecht, "Obtaining well calibrated probabilities", AAAI 2015.
double calibration_error(const std::vector<TruthQuery>& queries,
                         const std::vector<Answer>& answers) {
  std::array<double, kCalibrationBins> excess{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    for (const Answer::Found& found : answers[i].found) {
      if (found.probability <= 0) continue;
      const auto bin = static_cast<std::size_t>(found.probability * kCalibrationBins);
      excess[std::min(bin, kCalibrationBins - 1)] +=
          found.probability - (is_relevant(queries[i], found.paths) ? 1 : 0);
      ++count;
    }
  }
  double sum = 0;
  for (const double bin : excess) sum += std::abs(bin);
  return share(sum, count);
}

void decide_known(Measures& result, const std::vector<TruthQuery>& queries,
                  const std::vector<Answer>& answers) {
  std::size_t taken = 0;
  std::size_t right = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (!is_taken_for_known(answers[i])) continue;
    ++taken;
    right += queries[i].relevant.empty() ? 0 : 1;
  }
  result.known_precision = share(static_cast<double>(right), taken);
  result.known_recall = share(static_cast<double>(right), result.queries);
  result.known_f1 = share(2 * static_cast<double>(right), taken + result.queries);
}

void add(Measures& sums, const TruthQuery& query, const Answer& answer, bool boxes) {
  if (query.relevant.empty()) {
    ++sums.unknown_queries;
    sums.unknown_rejected += is_taken_for_known(answer) ? 0 : 1;
    return;
  }
  ++sums.queries;
  sums.recall_at_1 += relevant_among(query, answer, 1) > 0 ? 1 : 0;
  sums.recall_at_5 += relevant_among(query, answer, 5) > 0 ? 1 : 0;
  sums.mean_average_precision += average_precision(query, answer);
  sums.ns_score += static_cast<double>(relevant_among(query, answer, kNsDepth));
  for (const RelevantImage& image : query.relevant) {
    if (!image.quad) continue;
    ++sums.located_queries;
    const double iou = overlap(image, answer, boxes);
    sums.located_at_50 += iou >= 0.5 ? 1 : 0;
    sums.located_at_75 += iou >= 0.75 ? 1 : 0;
  }
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool is_relevant(const TruthQuery& query, std::span<const std::string> paths) {
  return std::any_of(query.relevant.begin(), query.relevant.end(),
                     [&](const RelevantImage& image) { return names(paths, image.path); });
}

std::size_t rank_of(const RelevantImage& image, const Answer& answer) {
  for (std::size_t i = 0; i < answer.found.size(); ++i) {
    if (names(answer.found[i].paths, image.path)) return i + 1;
  }
  return 0;
}

double overlap(const RelevantImage& image, const Answer& answer, bool boxes) {
  require(image.quad.has_value(), "overlap: the image's place is unknown");
  const std::size_t rank = rank_of(image, answer);
  if (rank == 0) return 0;
  const Quad& quad = answer.found[rank - 1].quad;
  return boxes ? intersection_over_union(bounding_box(*image.quad), bounding_box(quad))
               : intersection_over_union(clockwise(*image.quad), clockwise(quad));
}

Measures measure(const std::vector<TruthQuery>& queries, const std::vector<Answer>& answers,
                 bool boxes) {
  require(queries.size() == answers.size(), "measure: one answer per query is needed");
  Measures result;
  for (std::size_t i = 0; i < queries.size(); ++i) add(result, queries[i], answers[i], boxes);
  for (double* sum : {&result.recall_at_1, &result.recall_at_5, &result.mean_average_precision,
                      &result.ns_score}) {
    *sum = share(*sum, result.queries);
  }
  result.located_at_50 = share(result.located_at_50, result.located_queries);
  result.located_at_75 = share(result.located_at_75, result.located_queries);
  result.unknown_rejected = share(result.unknown_rejected, result.unknown_queries);
  decide_known(result, queries, answers);
  result.calibration_error = calibration_error(queries, answers);
  return result;
}

}  // namespace lookalike
