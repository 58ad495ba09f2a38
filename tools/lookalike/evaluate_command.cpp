#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "pipeline/answers.h"
#include "pipeline/index/index_run.h"
#include "pipeline/searcher.h"
#include "pipeline/single_stage.h"
#include "tools/evaluate/metrics.h"
#include "tools/evaluate/suite.h"
#include "tools/evaluate/suite_report.h"
#include "tools/evaluate/tables.h"
#include "tools/lookalike/commands.h"
#include "tools/scratch_folder.h"

namespace lookalike {
namespace {

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const VariantKind& kind : variant_kinds()) names.push_back(kind.name);
  return names;
}

struct Arguments : ComputeArguments {
  explicit Arguments(CLI::App& command) : ComputeArguments(command) {
    auto* synthetic_flag = command.add_flag("--synthetic", synthetic,
                                            "Look up distorted photos: cropped, rotated, ...");
    command.add_option("--kinds", kinds, "Kinds of distortion; all by default")
        ->check(CLI::IsMember(kind_names()))
        ->type_name("NAME")
        ->needs(synthetic_flag);
    command.add_option("--photos", photos, "Maximum number of photos to distort")
        ->check(CLI::Range(1, 1000000))
        ->type_name("N")
        ->capture_default_str()
        ->needs(synthetic_flag);
    command.add_option("--seed", seed, "Seed for the choice of photos and for their distortion")
        ->type_name("N")
        ->capture_default_str()
        ->needs(synthetic_flag);
    command.add_option("--report", report, "Write an HTML page with charts")
        ->type_name("FILE.html")
        ->needs(synthetic_flag);
    config.add("--database", "store.database");
    config.add("--device", "device.choice");
    command
        .add_option("--truth", truth, "Ground truth; its paths are relative to the file's folder")
        ->excludes(synthetic_flag)
        ->type_name("FILE.csv");
    config.add("--images", "images.folders")->needs(synthetic_flag);
    command.add_option("--ranks", ranks, "Write the rank and overlap of each relevant image")
        ->type_name("FILE.csv");
    command.add_option("--matches", matches, "Write the evidence of each match")
        ->excludes(synthetic_flag)
        ->type_name("FILE.csv");
    config.add("--mirror", "match.mirror");
    command.add_flag("--boxes", boxes, "Compare places by their upright bounding boxes");
    command.add_flag("--json", json, "Print one JSON object");
  }
  bool synthetic = false;
  std::vector<std::string> kinds;  // empty: all
  std::size_t photos = 100;
  std::uint64_t seed = 1;
  std::string report;
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

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::vector<TruthQuery> load_truth(const std::string& file) {
  std::ifstream input(file);
  if (!input) throw Error(ErrorKind::kInput, fmt::format("{}: cannot be read", file));
  return read_truth(input, file, std::filesystem::absolute(file).parent_path());
}

// No query can find a relevant image that is not indexed, so that is an error in the ground truth.
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

std::vector<Answer> search_all(const std::vector<TruthQuery>& queries, Searcher& searcher,
                               std::optional<MatchTable>& table, Times& times,
                               Progress::Style style) {
  Progress progress("queries", "photos", queries.size(), style);
  std::vector<Answer> answers;
  searcher.prepare_extraction();  // before anything is timed
  for (const TruthQuery& query : queries) {
    const Clock::time_point start = Clock::now();
    const auto photo = searcher.load(query.path);
    if (const auto* skipped = std::get_if<SkippedFile>(&photo)) {
      throw Error(ErrorKind::kInput, fmt::format("{}: {}", query.path, skipped->detail));
    }
    times.extract_ms.push_back(milliseconds_since(start));
    const Clock::time_point loaded = Clock::now();
    const auto [matches, found, steps] = searcher.search(std::get<Query>(photo));
    times.match_ms.push_back(milliseconds_since(loaded));
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

int evaluate_truth(const Arguments& arguments, const RunConfig& config, const IndexReader& index,
                   OutputGuard& guard, Progress::Style style) {
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
  Searcher searcher(index, config);
  Times times;
  const std::vector<Answer> answers = search_all(queries, searcher, matches, times, style);
  const Json json = measures_json(measure(queries, answers, arguments.boxes), times);
  if (arguments.json) {
    print_json(json);
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

std::vector<VariantKind> chosen_kinds(const std::vector<std::string>& names) {
  std::vector<VariantKind> kinds = variant_kinds();
  if (names.empty()) return kinds;
  std::erase_if(kinds, [&](const VariantKind& kind) {
    return std::ranges::find(names, kind.name) == names.end();
  });
  return kinds;
}

// The photos in the folders of [images]; without folders, any of the index.
Selection select(const IndexReader& index, const Arguments& arguments,
                 const ImagesOptions& images) {
  if (images.folders.empty()) {
    return select_photos(index, std::nullopt, arguments.photos, arguments.seed);
  }
  const ScanResult found = scan_images(images);
  return select_photos(index, std::span<const SourceFile>(found.files), arguments.photos,
                       arguments.seed);
}

// Without an index, indexes the folders of [images] for this run.
int evaluate_synthetic(const Arguments& arguments, RunConfig config, const IndexReader* index,
                       OutputGuard& guard, Progress::Style style) {
  std::optional<OutputFile> answers =
      guard.open_if_named("--ranks", arguments.ranks, suite_answers_kind());
  std::optional<OutputFile> page = guard.open_if_named("--report", arguments.report, page_kind());
  std::optional<ScratchFolder> scratch;
  std::optional<IndexReader> scratch_index;
  if (index == nullptr) {
    config.store.database = scratch.emplace().path() / "index.db";
    run_index(config, style);
    index = &scratch_index.emplace(std::filesystem::path(config.store.database));
  }
  Searcher searcher(*index, config);
  const SuiteOptions options{chosen_kinds(arguments.kinds), arguments.seed,
                             searcher.extract_options(), config.images};
  const SuiteResult result = run_suite(
      select(*index, arguments, config.images), options,
      [&](DecodedImage photo) {
        return searcher.search(searcher.with_features(std::move(photo))).matches;
      },
      style);
  if (arguments.json) {
    fmt::print("{}\n", suite_json(result));
  } else {
    fmt::print("{}", suite_table(result));
  }
  if (answers) write_whole(*answers, suite_answers_csv(result));
  if (page) {
    write_whole(
        *page,
        suite_page(result, {{"images in the index", fmt::format("{}", index->counts().images)},
                            {"seed", fmt::format("{}", arguments.seed)},
                            {"device", searcher.device().name}}));
  }
  return kExitDone;
}

void check(const Arguments& arguments, const RunConfig& config) {
  if (arguments.synthetic) {
    if (!config.store.database.empty() || !config.images.folders.empty()) return;
    throw Error(ErrorKind::kUsage,
                "evaluate --synthetic: no photos are named: give --images DIR, --database FILE, "
                "or both");
  }
  if (arguments.truth.empty()) {
    throw Error(ErrorKind::kUsage,
                "evaluate: nothing to measure by: give --truth FILE.csv, or --synthetic");
  }
  named_database(config);
}

int evaluate(const Arguments& arguments) {
  RunConfig config = arguments.config.load();
  config.match.report = "all";  // a ranking is measured whole
  check(arguments, config);
  std::optional<IndexReader> index;
  if (!config.store.database.empty()) index.emplace(std::filesystem::path(config.store.database));
  OutputGuard guard = arguments.outputs.guard(arguments.config, config, index ? &*index : nullptr);
  const Progress::Style style = arguments.verbosity.apply();
  return arguments.synthetic
             ? evaluate_synthetic(arguments, config, index ? &*index : nullptr, guard, style)
             : evaluate_truth(arguments, config, *index, guard, style);
}

}  // namespace

void add_evaluate_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "evaluate", "Measure an index against ground truth, or its robustness",
      "Input: the index, and a CSV file with the header\n"
      "  query,relevant,x0,y0,x1,y1,x2,y2,x3,y3\n"
      "  and one row per relevant image; an empty `relevant` means that the query matches "
      "nothing;\n"
      "  corners (top-left, top-right, bottom-right, bottom-left) in px of the query, or empty\n"
      "Output: recall, mean average precision, N-S score, share located, ms per query.\n"
      "With --synthetic, photos of the index, or those in --images, are distorted, and recall is\n"
      "reported by kind and strength. Without --database, the folder is indexed for this run.\n"
      "Example: lookalike evaluate --database dvd.db --truth dvd/truth.csv\n"
      "         lookalike evaluate --synthetic --images ~/photos --report robust.html",
      evaluate);
}

}  // namespace lookalike
