#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "pipeline/answers.h"
#include "pipeline/searcher.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/output_arguments.h"
#include "tools/evaluate/match_table.h"
#include "tools/evaluate/metrics.h"
#include "tools/evaluate/rank_table.h"
#include "tools/evaluate/synthetic/suite_report.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/evaluate_synthetic.h"

namespace lookalike {
namespace {

using Clock = std::chrono::steady_clock;

struct Arguments {
  explicit Arguments(CLI::App& command)
      : config(command), talk(command), outputs(command), synthetic(command) {
    config.add("--database", "store.database");
    config.add("--device", "device.choice");
    command.add_option("--truth", truth, "Ground truth; its paths are relative to its folder")
        ->excludes("--synthetic")
        ->type_name("FILE.csv");
    config.add("--images", "images.folders")->needs("--synthetic");
    command.add_option("--ranks", ranks, "Write the rank and overlap of each relevant image")
        ->type_name("FILE.csv");
    command.add_option("--matches", matches, "Write what is known of each match")
        ->excludes("--synthetic")
        ->type_name("FILE.csv");
    config.add("--mirror", "match.mirror");
    command.add_flag("--boxes", boxes, "Compare places by their upright bounding boxes");
    command.add_flag("--json", json, "Print one JSON object");
  }
  ConfigArguments config;
  TalkArguments talk;
  OutputArguments outputs;
  SyntheticArguments synthetic;
  std::string truth;
  std::string ranks;
  std::string matches;
  bool boxes = false;
  bool json = false;
};

// Milliseconds of each query, by step.
struct Times {
  std::vector<double> extract_ms;
  std::vector<double> match_ms, words_ms, shortlist_ms, verify_ms, expand_ms, locate_ms;
};

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<TruthQuery> load_truth(const std::string& file) {
  std::ifstream input(file);
  if (!input) throw Error(ErrorKind::kInput, fmt::format("{}: cannot be read", file));
  return read_truth(input, file, std::filesystem::absolute(file).parent_path());
}

// A relevant image that is not indexed can only be missed, so it is a mistake in the question.
void check_indexed(const IndexReader& index, const std::vector<TruthQuery>& queries) {
  for (const TruthQuery& query : queries) {
    for (const RelevantImage& image : query.relevant) {
      if (index.find(image.path)) continue;
      throw Error(ErrorKind::kInput,
                  fmt::format("{}: is relevant to a query but not in the index", image.path));
    }
  }
}

Answer answer_of(const std::vector<Match>& matches) {
  Answer answer;
  for (const Match& match : matches) {
    answer.found.push_back({.paths = match.image.paths,
                            .quad = match.quad,
                            .probability = match.probability,
                            .same = match.decision >= Decision::kSameObject});
  }
  return answer;
}

std::vector<Answer> ask(const Arguments& arguments, const RunConfig& config,
                        const IndexReader& index, const std::vector<TruthQuery>& queries,
                        std::optional<MatchTable>& table, Times& times) {
  Searcher searcher(index, config);
  Progress progress("queries", "photos", queries.size(), arguments.talk.apply());
  std::vector<Answer> answers;
  for (const TruthQuery& query : queries) {
    const Clock::time_point start = Clock::now();
    const auto photo = searcher.load(query.path);
    if (const auto* skipped = std::get_if<SkippedFile>(&photo)) {
      throw Error(ErrorKind::kInput, fmt::format("{}: {}", query.path, skipped->detail));
    }
    times.extract_ms.push_back(milliseconds_since(start));
    const Clock::time_point loaded = Clock::now();
    const std::vector<Match> matches = searcher.search(std::get<Query>(photo)).matches;
    times.match_ms.push_back(milliseconds_since(loaded));
    const MatchTimes steps = searcher.times();
    times.words_ms.push_back(steps.words);
    times.shortlist_ms.push_back(steps.shortlist);
    times.verify_ms.push_back(steps.verify);
    times.expand_ms.push_back(steps.expand);
    times.locate_ms.push_back(steps.locate);
    if (table) table->add(query, matches);
    answers.push_back(answer_of(matches));
    progress.update(answers.size());
  }
  if (table) table->commit();
  return answers;
}

Json measures_json(const Measures& measures, const Times& times) {
  return {{"queries", measures.queries},
          {"recall_at_1", measures.recall_at_1},
          {"recall_at_5", measures.recall_at_5},
          {"mean_average_precision", measures.mean_average_precision},
          {"ns_score", measures.ns_score},
          {"located_queries", measures.located_queries},
          {"located_at_iou_50", measures.located_at_50},
          {"located_at_iou_75", measures.located_at_75},
          {"unknown_queries", measures.unknown_queries},
          {"unknown_rejected", measures.unknown_rejected},
          {"known_precision", measures.known_precision},
          {"known_recall", measures.known_recall},
          {"known_f1", measures.known_f1},
          {"calibration_error", measures.calibration_error},
          {"extract_median_ms", median(times.extract_ms)},
          {"match_median_ms", median(times.match_ms)},
          {"words_median_ms", median(times.words_ms)},
          {"shortlist_median_ms", median(times.shortlist_ms)},
          {"verify_median_ms", median(times.verify_ms)},
          {"expand_median_ms", median(times.expand_ms)},
          {"locate_median_ms", median(times.locate_ms)}};
}

void check(const Arguments& arguments, const RunConfig& config) {
  if (arguments.synthetic.chosen) {
    if (!config.store.database.empty() || !config.images.folders.empty()) return;
    throw Error(ErrorKind::kUsage,
                "evaluate --synthetic: no photos are named: give --images DIR, --database FILE, "
                "or both");
  }
  if (arguments.truth.empty()) {
    throw Error(ErrorKind::kUsage,
                "evaluate: nothing to measure by: give --truth FILE.csv, or --synthetic");
  }
  if (config.store.database.empty()) {
    throw Error(ErrorKind::kUsage,
                "no index is named: give --database FILE, or [store] database in --config");
  }
}

int evaluate_truth(const Arguments& arguments, const RunConfig& config, const IndexReader& index,
                   OutputGuard& guard) {
  const std::vector<TruthQuery> queries = load_truth(arguments.truth);
  guard.add_input(arguments.truth);
  for (const TruthQuery& query : queries) guard.add_input(query.path);
  std::optional<OutputFile> ranks =
      guard.open_if_named("--ranks", arguments.ranks, rank_table_kind());
  std::optional<MatchTable> matches;
  if (auto file = guard.open_if_named("--matches", arguments.matches, match_table_kind())) {
    matches.emplace(*std::move(file));
  }
  check_indexed(index, queries);
  Times times;
  const std::vector<Answer> answers = ask(arguments, config, index, queries, matches, times);
  const Json json = measures_json(measure(queries, answers, arguments.boxes), times);
  if (arguments.json) {
    fmt::print("{}\n", json_text(json));
  } else {
    for (const auto& [name, value] : json.items()) {
      fmt::print(
          "{:<24} {}\n", name,
          value.is_number_float() ? fmt::format("{:.4f}", value.get<double>()) : json_text(value));
    }
  }
  if (ranks) write_whole(*ranks, rank_table(queries, answers, arguments.boxes));
  return kExitDone;
}

int evaluate(const Arguments& arguments) {
  RunConfig config = arguments.config.load();
  config.match.report = "all";  // a ranking is measured whole
  check(arguments, config);
  std::optional<IndexReader> index;
  if (!config.store.database.empty()) index.emplace(std::filesystem::path(config.store.database));
  OutputGuard guard = arguments.outputs.guard(arguments.config, config, index ? &*index : nullptr);
  if (!arguments.synthetic.chosen) return evaluate_truth(arguments, config, *index, guard);
  return evaluate_synthetic(
      arguments.synthetic, config, index ? &*index : nullptr,
      {arguments.json, guard.open_if_named("--ranks", arguments.ranks, suite_answers_kind()),
       guard.open_if_named("--report", arguments.synthetic.report, page_kind())},
      arguments.talk.apply());
}

}  // namespace

void add_evaluate_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("evaluate", "Measure an index against ground truth, or how robust it is");
  command->footer(
      "Input: the index, and a CSV file with the header\n"
      "  query,relevant,x0,y0,x1,y1,x2,y2,x3,y3\n"
      "  one row per relevant image; an empty `relevant`: the query matches nothing; corners\n"
      "  (top-left, top-right, bottom-right, bottom-left) in px of the query, or empty\n"
      "Output: recall, mean average precision, N-S score, share located, ms per query\n"
      "With --synthetic: photos of the index, or those under --images, are made different, and\n"
      "recall is reported by kind and strength. Without --database the folder is indexed for this\n"
      "run alone.\n"
      "Examples: lookalike evaluate --database dvd.db --truth dvd/truth.csv\n"
      "          lookalike evaluate --synthetic --images ~/photos --report robust.html");
  const auto arguments = std::make_shared<Arguments>(*command);
  command->callback([=, &action] { action = [=] { return evaluate(*arguments); }; });
}

}  // namespace lookalike
