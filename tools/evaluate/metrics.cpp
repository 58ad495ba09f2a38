#include "tools/evaluate/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

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
  if (query.relevant.empty()) return 0;
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

double excess(const Candidate& candidate) {
  return candidate.probability - (candidate.relevant ? 1 : 0);
}

void add_known(Measures& sums, const Scores& scores) {
  ++sums.queries;
  sums.recall_at_1 += scores.first_relevant ? 1 : 0;
  sums.recall_at_1_confirmed += scores.first_relevant && scores.first_confirmed ? 1 : 0;
  sums.recall_at_5 += scores.relevant_in_5 > 0 ? 1 : 0;
  sums.mean_average_precision += scores.average_precision;
  sums.wrong_listed += static_cast<double>(scores.wrong_listed);
  sums.wrong_confirmed += static_cast<double>(scores.wrong_confirmed);
  sums.ns_score += static_cast<double>(scores.relevant_in_4);
  sums.located_queries += scores.located_images;
  sums.located_at_50 += static_cast<double>(scores.located_at_50);
  sums.located_at_75 += static_cast<double>(scores.located_at_75);
  sums.wrong_confirmed_first += scores.first_confirmed && !scores.first_relevant ? 1 : 0;
}

void add_unknown(Measures& sums, const Scores& scores) {
  ++sums.unknown_queries;
  sums.unknown_confirmed += scores.any_confirmed ? 1 : 0;
  sums.unknown_listed += scores.listed > 0 ? 1 : 0;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool is_confirmed(const Answer::Found& found) {
  return found.decision >= Decision::kSameObject;
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

Scores judge(const TruthQuery& query, const Answer& answer, bool boxes) {
  Scores scores;
  scores.relevant = query.relevant.size();
  scores.listed = answer.found.size();
  scores.wrong_listed = scores.listed - relevant_among(query, answer, scores.listed);
  scores.first_relevant = relevant_among(query, answer, 1) > 0;
  scores.first_confirmed = !answer.found.empty() && is_confirmed(answer.found.front());
  scores.any_confirmed = std::ranges::any_of(answer.found, is_confirmed);
  scores.relevant_in_4 = relevant_among(query, answer, kNsDepth);
  scores.relevant_in_5 = relevant_among(query, answer, 5);
  scores.average_precision = average_precision(query, answer);
  for (const RelevantImage& image : query.relevant) {
    if (!image.quad) continue;
    ++scores.located_images;
    const double iou = overlap(image, answer, boxes);
    scores.located_at_50 += iou >= 0.5 ? 1 : 0;
    scores.located_at_75 += iou >= 0.75 ? 1 : 0;
  }
  for (const Answer::Found& found : answer.found) {
    if (!is_confirmed(found) || is_relevant(query, found.paths)) continue;
    ++scores.wrong_confirmed;
    scores.wrong_duplicates += found.decision == Decision::kDuplicate ? 1 : 0;
  }
  return scores;
}

Measures summarise(std::span<const Scores> scores) {
  Measures result;
  std::size_t known_confirmed = 0;
  for (const Scores& one : scores) {
    result.wrong_duplicates += one.wrong_duplicates;
    if (one.relevant == 0) {
      add_unknown(result, one);
    } else {
      add_known(result, one);
      known_confirmed += one.any_confirmed ? 1 : 0;
    }
  }
  for (double* sum : {&result.recall_at_1, &result.recall_at_1_confirmed, &result.recall_at_5,
                      &result.mean_average_precision, &result.wrong_listed, &result.wrong_confirmed,
                      &result.ns_score}) {
    *sum = share(*sum, result.queries);
  }
  result.located_at_50 = share(result.located_at_50, result.located_queries);
  result.located_at_75 = share(result.located_at_75, result.located_queries);
  result.unknown_rejected =
      share(static_cast<double>(result.unknown_queries - result.unknown_confirmed),
            result.unknown_queries);
  const auto right = static_cast<double>(known_confirmed);
  const std::size_t confirmed = known_confirmed + result.unknown_confirmed;
  result.known_precision = share(right, confirmed);
  result.known_recall = share(right, result.queries);
  result.known_f1 = share(2 * right, confirmed + result.queries);
  return result;
}

Measures measure(const std::vector<TruthQuery>& queries, const std::vector<Answer>& answers,
                 bool boxes) {
  require(queries.size() == answers.size(), "measure: one answer per query is needed");
  std::vector<Scores> scores;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    scores.push_back(judge(queries[i], answers[i], boxes));
  }
  return summarise(scores);
}

std::vector<Candidate> candidates(const TruthQuery& query, const Answer& answer, double minimum) {
  std::vector<Candidate> result;
  for (const Answer::Found& found : answer.found) {
    if (found.probability <= 0 || found.probability < minimum) continue;
    result.push_back({found.probability, is_relevant(query, found.paths)});
  }
  return result;
}

double calibration_error(std::span<const Candidate> candidates) {
  std::array<double, kCalibrationBins> bins{};
  for (const Candidate& candidate : candidates) {
    const auto bin = static_cast<std::size_t>(candidate.probability * kCalibrationBins);
    bins[std::min(bin, kCalibrationBins - 1)] += excess(candidate);
  }
  double sum = 0;
  for (const double bin : bins) sum += std::abs(bin);
  return share(sum, candidates.size());
}

double calibration_error_equal_count(std::vector<Candidate> candidates) {
  std::ranges::sort(candidates, {}, &Candidate::probability);
  const std::size_t count = candidates.size();
  double sum = 0;
  std::size_t next = 0;
  for (std::size_t bin = 1; bin <= kCalibrationBins; ++bin) {
    const std::size_t end = bin * count / kCalibrationBins;
    double bin_excess = 0;
    const std::size_t first = next;
    while (next < end || (first < next && next < count &&
                          candidates[next].probability == candidates[next - 1].probability)) {
      bin_excess += excess(candidates[next++]);
    }
    sum += std::abs(bin_excess);
  }
  return share(sum, count);
}

std::optional<Threshold> threshold_for(std::vector<Candidate> candidates, double error_rate) {
  std::ranges::sort(candidates, std::ranges::greater(), &Candidate::probability);
  const auto relevant = static_cast<std::size_t>(
      std::ranges::count_if(candidates, [](const Candidate& one) { return one.relevant; }));
  std::optional<Threshold> threshold;
  std::size_t right = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    right += candidates[i].relevant ? 1 : 0;
    const double probability = candidates[i].probability;
    if (i + 1 < candidates.size() && candidates[i + 1].probability == probability) continue;
    const auto wrong = static_cast<double>(i + 1 - right);
    if (right > 0 && wrong <= error_rate * static_cast<double>(i + 1)) {
      threshold = {probability, share(static_cast<double>(right), relevant)};
    }
  }
  return threshold;
}

UnsureFirst unsure_first(const std::vector<TruthQuery>& queries,
                         const std::vector<Answer>& answers) {
  require(queries.size() == answers.size(), "unsure_first: one answer per query is needed");
  UnsureFirst result;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (answers[i].found.empty()) continue;
    const Answer::Found& first = answers[i].found.front();
    if (first.probability < kUnsureFrom || first.probability >= kUnsureBelow) continue;
    ++result.count;
    result.mean_probability += first.probability;
    result.relevant += is_relevant(queries[i], first.paths) ? 1 : 0;
  }
  result.mean_probability = share(result.mean_probability, result.count);
  result.relevant = share(result.relevant, result.count);
  return result;
}

}  // namespace lookalike
