#include "tools/evaluate/truth_answers.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <variant>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "pipeline/device/open_session.h"
#include "pipeline/searcher.h"

namespace lookalike {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Throws Error(kInput) for a relevant image that is not indexed, since no query could find it.
void check_indexed(const IndexReader& index, const std::vector<TruthQuery>& queries) {
  for (const TruthQuery& query : queries) {
    for (const RelevantImage& image : query.relevant) {
      if (index.find(image.path)) continue;
      throw Error(ErrorKind::kInput,
                  fmt::format("{}: is relevant to a query but not in the index", image.path));
    }
  }
}

// Returns the length of rankings: enough for all relevant images of a query and as many others.
std::uint32_t depth_for(const std::vector<TruthQuery>& queries, std::uint32_t top) {
  std::size_t most = 0;
  for (const TruthQuery& query : queries) most = std::max(most, query.relevant.size());
  return std::max({std::uint32_t{100}, top, static_cast<std::uint32_t>(2 * most)});
}

Answer answer_of(const std::vector<Match>& matches) {
  Answer answer;
  for (const Match& match : matches) {
    answer.found.push_back({.paths = match.image.paths,
                            .quad = match.pose.quad,
                            .probability = match.probability,
                            .decision = match.decision});
  }
  return answer;
}

Answer without_related(Answer answer) {
  std::erase_if(answer.found,
                [](const Answer::Found& found) { return found.decision == Decision::kRelated; });
  return answer;
}

// Looks up every photo twice: as `query` does, which is timed, and for a whole ranking. Neither
// follows from the other, since the pixels of listed images are compared.
TruthAnswers search_all(const std::vector<TruthQuery>& queries, Searcher& searcher,
                        const MatchOptions& ranking, const TruthOptions& options) {
  Progress progress("queries", "photos", queries.size(), options.style);
  TruthAnswers answers;
  searcher.prepare_extraction();  // before anything is timed
  for (const TruthQuery& query : queries) {
    options.before_each();
    const Clock::time_point start = Clock::now();
    const auto loaded = searcher.load(query.path);
    if (const auto* skipped = std::get_if<SkippedFile>(&loaded)) {
      throw Error(ErrorKind::kInput, fmt::format("{}: {}", query.path, skipped->detail));
    }
    const auto& photo = std::get<Query>(loaded);
    const double extract_ms = milliseconds_since(start);
    const Clock::time_point extracted = Clock::now();
    const QueryResult listed = searcher.search(photo);
    const auto& steps = listed.times;
    const std::array<double, kTruthSteps.size()> ms = {extract_ms,   milliseconds_since(extracted),
                                                       steps.words,  steps.shortlist,
                                                       steps.verify, steps.refine,
                                                       steps.relate};
    for (std::size_t i = 0; i < ms.size(); ++i) answers.times[i].push_back(ms[i]);
    answers.plain.push_back(answer_of(listed.matches));
    answers.own.push_back(without_related(answers.plain.back()));
    const QueryResult ranked = searcher.search(photo, ranking);
    if (options.table != nullptr) options.table->add(query, ranked.matches);
    answers.ranking.push_back(answer_of(ranked.matches));
    progress.update(answers.ranking.size());
  }
  if (options.table != nullptr) options.table->commit();
  return answers;
}

// Returns a share or mean over `count` items; null over none.
Json mean_json(double value, std::size_t count) {
  return count > 0 ? Json(value) : Json();
}

// Returns the measures that the ranking and the plain answers share.
Json common_json(const Measures& measures) {
  const auto of_known = [&](double value) { return mean_json(value, measures.queries); };
  const auto of_located = [&](double value) { return mean_json(value, measures.located_queries); };
  const bool any_confirmed = measures.known_recall > 0 || measures.unknown_confirmed > 0;
  return {{"recall_at_1", of_known(measures.recall_at_1)},
          {"mean_average_precision", of_known(measures.mean_average_precision)},
          {"ns_score", of_known(measures.ns_score)},
          {"located_at_iou_50", of_located(measures.located_at_50)},
          {"located_at_iou_75", of_located(measures.located_at_75)},
          {"known_precision", any_confirmed ? Json(measures.known_precision) : Json()},
          {"known_recall", of_known(measures.known_recall)},
          {"known_f1", of_known(measures.known_f1)}};
}

Json plain_json(const Measures& measures) {
  Json json = common_json(measures);
  json.update(
      {{"recall_at_1_confirmed", mean_json(measures.recall_at_1_confirmed, measures.queries)},
       {"wrong_confirmed_first", measures.wrong_confirmed_first},
       {"wrong_duplicates", measures.wrong_duplicates},
       {"wrong_listed", mean_json(measures.wrong_listed, measures.queries)},
       {"wrong_confirmed", mean_json(measures.wrong_confirmed, measures.queries)},
       {"unknown_confirmed", measures.unknown_confirmed},
       {"unknown_listed", measures.unknown_listed}});
  return json;
}

Json threshold_json(const std::vector<Candidate>& listed, double error_rate) {
  const auto threshold = threshold_for(listed, error_rate);
  return {{"error_rate", error_rate},
          {"probability", threshold ? Json(threshold->probability) : Json()},
          {"kept", threshold ? Json(threshold->kept) : Json()}};
}

std::vector<Candidate> all_candidates(const std::vector<TruthQuery>& queries,
                                      const std::vector<Answer>& answers, double minimum) {
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::vector<Candidate> some = candidates(queries[i], answers[i], minimum);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace

std::vector<TruthQuery> load_truth(const std::string& file) {
  constexpr FileKind kTruth{.most_bytes = std::size_t{256} << 20U};
  const std::optional<std::string> csv = read_file(file, kTruth);
  if (!csv) {
    throw Error(ErrorKind::kInput,
                fmt::format("{}: cannot be read: {}", printable(file), why_unread()));
  }
  return read_truth(*csv, file, std::filesystem::absolute(file).parent_path());
}

TruthAnswers answer_truth(const std::vector<TruthQuery>& queries, const IndexReader& index,
                          RunConfig config, const TruthOptions& options) {
  check_indexed(index, queries);
  config.match.top = depth_for(queries, config.match.top);
  SessionOptions device = session_options(config.device);
  device.answer_soon = true;
  OpenClSession session(device);
  Searcher searcher(index, config, &session, load_of(queries.size()));
  config.match.min_decision = "all";
  TruthAnswers answers = search_all(queries, searcher, config.match, options);
  answers.depth = config.match.top;
  return answers;
}

Json measures_json(const std::vector<TruthQuery>& queries, const TruthAnswers& answers,
                   const MeasureOptions& options) {
  const bool boxes = options.boxes;
  const Measures ranking = measure(queries, answers.ranking, boxes);
  const std::vector<Candidate> all = all_candidates(queries, answers.ranking, 0);
  const std::vector<Candidate> likely =
      all_candidates(queries, answers.ranking, kCandidateProbability);
  const UnsureFirst unsure = unsure_first(queries, answers.ranking);
  Json json = {{"queries", ranking.queries}, {"depth", answers.depth}};
  json.update(common_json(ranking));
  json.update({{"recall_at_5", mean_json(ranking.recall_at_5, ranking.queries)},
               {"located_queries", ranking.located_queries},
               {"unknown_queries", ranking.unknown_queries},
               {"unknown_rejected", mean_json(ranking.unknown_rejected, ranking.unknown_queries)},
               {"plain", plain_json(measure(queries, answers.plain, boxes))},
               {"without_related", plain_json(measure(queries, answers.own, boxes))},
               {"calibration_error", mean_json(calibration_error(all), all.size())},
               {"candidates", likely.size()},
               {"calibration_error_equal_count",
                mean_json(calibration_error_equal_count(likely), likely.size())},
               {"unsure_first", unsure.count},
               {"unsure_first_probability", mean_json(unsure.mean_probability, unsure.count)},
               {"unsure_first_relevant", mean_json(unsure.relevant, unsure.count)}});
  for (std::size_t i = 0; i < kTruthSteps.size(); ++i) {
    json[fmt::format("{}_median_ms", kTruthSteps[i])] = median(answers.times[i]);
  }
  json["threshold"] = threshold_json(all_candidates(queries, answers.plain, 0), options.error_rate);
  return json;
}

}  // namespace lookalike
