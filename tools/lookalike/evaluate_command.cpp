#include <cstdint>
#include <span>
#include <variant>

#include <fmt/ranges.h>

#include "pipeline/device/open_session.h"
#include "pipeline/index/index_run.h"
#include "pipeline/searcher.h"
#include "pipeline/staged/single_stage.h"
#include "tools/command_line/scratch_folder.h"
#include "tools/evaluate/metrics.h"
#include "tools/evaluate/suite.h"
#include "tools/evaluate/suite_report.h"
#include "tools/evaluate/tables.h"
#include "tools/evaluate/truth_answers.h"
#include "tools/evaluate/truth_report.h"
#include "tools/lookalike/commands.h"
#include "tools/report/report.h"

namespace lookalike {
namespace {

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const VariantKind& kind : variant_kinds()) names.push_back(kind.name);
  return names;
}

struct EvaluateArguments : OutputtingArguments {
  explicit EvaluateArguments(CLI::App& command)
      : OutputtingArguments(command),
        json(command, "Print one JSON object, as docs/schema/evaluate.json describes") {
    config.add_databases();
    auto* const synthetic_flag = command.add_flag(
        "--synthetic", synthetic, "Look up distorted photos: cropped, rotated, ...");
    add_truth(command, synthetic_flag);
    add_synthetic(command, synthetic_flag);
    add_value(command, "--ranks FILE.csv", ranks,
              "Write the rank and overlap of each relevant image");
    config.add({"match.mirror", "device.choice"});
  }
  JsonArgument json;
  bool synthetic = false;
  std::vector<std::string> kinds;  // empty: all
  std::size_t photos = 100;
  std::uint64_t seed = 1;
  std::string report;
  std::string truth;
  std::string ranks;
  std::string matches;
  bool boxes = false;
  bool per_query = false;
  double error_rate = 0.01;

 private:
  void add_truth(CLI::App& command, CLI::Option* synthetic_flag) {
    add_value(command, "--truth FILE.csv", truth,
              "Ground truth; its paths are relative to the file's folder")
        ->excludes(synthetic_flag);
    add_value(command, "--matches FILE.csv", matches, "Write the evidence of each match")
        ->excludes(synthetic_flag);
    add_number(command, "--error-rate SHARE", error_rate, 0.0, 1.0,
               "Share of images that may be wrong at the threshold")
        ->excludes(synthetic_flag);
    command.add_flag("--boxes", boxes, "Compare places by their upright bounding boxes");
    command.add_flag("--per-query", per_query, "Add the figures of each query to the JSON object")
        ->excludes(synthetic_flag)
        ->needs(json.option());
  }

  void add_synthetic(CLI::App& command, CLI::Option* synthetic_flag) {
    config.add("images.folders")->needs(synthetic_flag);
    add_value(command, fmt::format("--kinds {}", fmt::join(kind_names(), "|")), kinds,
              "Kinds of distortion")
        ->check(CLI::IsMember(kind_names()).description(""))
        ->default_str("all")
        ->needs(synthetic_flag);
    add_number(command, "--photos N", photos, 1, 1000000, "Maximum number of photos to distort")
        ->needs(synthetic_flag);
    add_value(command, "--seed N", seed, "Seed for the choice of photos and for their distortion")
        ->capture_default_str()
        ->needs(synthetic_flag);
    add_value(command, "--report FILE.html", report,
              "Write an HTML page: with --synthetic charts, with --truth answers to look at");
  }
};

Json scores_json(const Scores& scores) {
  return {{"listed", scores.listed},
          {"wrong_listed", scores.wrong_listed},
          {"wrong_confirmed", scores.wrong_confirmed},
          {"first_relevant", scores.first_relevant},
          {"first_confirmed", scores.first_confirmed},
          {"any_confirmed", scores.any_confirmed},
          {"relevant_in_4", scores.relevant_in_4},
          {"relevant_in_5", scores.relevant_in_5},
          {"average_precision", scores.average_precision},
          {"located_at_iou_50", scores.located_at_50},
          {"located_at_iou_75", scores.located_at_75},
          {"wrong_duplicates", scores.wrong_duplicates}};
}

Json per_query_json(const std::vector<TruthQuery>& queries, const TruthAnswers& answers,
                    bool boxes) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Answer& ranked = answers.ranking[i];
    const Scores ranking = judge(queries[i], ranked, boxes);
    Json likely = Json::array();
    for (const Candidate& one : candidates(queries[i], ranked, kCandidateProbability)) {
      likely.push_back({one.probability, one.relevant});
    }
    rows.push_back(
        {{"query", text_of_path(queries[i].path)},
         {"relevant", ranking.relevant},
         {"located_images", ranking.located_images},
         {"ranking", scores_json(ranking)},
         {"plain", scores_json(judge(queries[i], answers.plain[i], boxes))},
         {"without_related", scores_json(judge(queries[i], answers.own[i], boxes))},
         {"first_probability", ranked.found.empty() ? 0 : ranked.found.front().probability},
         {"candidates", std::move(likely)},
         {"extract_ms", answers.times[0][i]},
         {"match_ms", answers.times[1][i]}});
  }
  return rows;
}

std::string value_text(const Json& value) {
  if (value.is_null()) return "-";
  return value.is_number_float() ? fmt::format("{:.4f}", value.get<double>()) : json_text(value);
}

// Prints a line per figure, with columns for the ranking, the plain answers, and those without
// related images.
void print_table(const Json& measures) {
  const Json& plain = measures.at("plain");
  const Json& own = measures.at("without_related");
  const auto print_line = [](const std::string& name, const std::string& ranking,
                             const std::string& listed, const std::string& unrelated) {
    const std::string line =
        fmt::format("{:<30}{:>10}{:>10}{:>17}", name, ranking, listed, unrelated);
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  };
  const auto cell = [](const Json& side, const std::string& name) {
    return side.contains(name) ? value_text(side.at(name)) : "";
  };
  print_line("", "ranking", "plain", "without related");
  for (const auto& [name, value] : measures.items()) {
    if (name == "without_related" || name == "per_query" || name == "threshold") continue;
    if (name != "plain") {
      print_line(name, value_text(value), cell(plain, name), cell(own, name));
      continue;
    }
    for (const auto& [plain_name, plain_value] : plain.items()) {
      if (measures.contains(plain_name)) continue;
      print_line(plain_name, "", value_text(plain_value), cell(own, plain_name));
    }
  }
}

int evaluate_truth(const EvaluateArguments& arguments, const RunConfig& config,
                   const IndexReader& index, OutputGuard& guard, Progress::Style style) {
  const std::vector<TruthQuery> queries = load_truth(arguments.truth);
  guard.add_input(arguments.truth);
  for (const TruthQuery& query : queries) guard.add_input(query.path);
  std::optional<OutputFile> ranks =
      guard.open_if_named("--ranks", arguments.ranks, rank_table_kind());
  std::optional<OutputFile> report = guard.open_if_named("--report", arguments.report, page_kind());
  std::optional<MatchTable> matches;
  if (auto file = guard.open_if_named("--matches", arguments.matches, match_table_kind())) {
    matches.emplace(*std::move(file));
  }
  const TruthAnswers answers = answer_truth(
      queries, index, config, {.style = style, .table = matches ? &*matches : nullptr});
  Json json = measures_json(queries, answers, {arguments.boxes, arguments.error_rate});
  if (arguments.per_query) json["per_query"] = per_query_json(queries, answers, arguments.boxes);
  arguments.json.print(json, [&] {
    fmt::print("{}", truth_summary(json));
    if (arguments.verbosity.is_verbose()) print_table(json);
  });
  if (ranks) write_whole(*ranks, rank_table(queries, answers.ranking, arguments.boxes));
  if (report)
    write_report(*report, truth_report(queries, answers.plain, answers.ranking), config.images);
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

// Selects among the photos in the folders of [images]; without folders, among all of the index.
Selection select(const IndexReader& index, const EvaluateArguments& arguments,
                 const ImagesOptions& images) {
  if (images.folders.empty()) {
    return select_photos(index, std::nullopt, arguments.photos, arguments.seed);
  }
  const ScanResult found = scan_images(images);
  return select_photos(index, std::span<const SourceFile>(found.files), arguments.photos,
                       arguments.seed);
}

// Indexes the folders of [images] for this run if `index` is nullptr.
int evaluate_synthetic(const EvaluateArguments& arguments, RunConfig config,
                       const IndexReader* index, OutputGuard& guard, Progress::Style style) {
  config.match.min_decision = "all";  // a photo is found at whatever rank it has
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
  Searcher searcher(*index, config, nullptr, load_of(arguments.photos));
  const SuiteOptions options{chosen_kinds(arguments.kinds), arguments.seed,
                             searcher.extract_options(), config.images};
  const SuiteResult result = run_suite(
      select(*index, arguments, config.images), options,
      [&](DecodedImage photo) {
        return searcher.search(searcher.with_features(std::move(photo))).matches;
      },
      style);
  arguments.json.print(suite_json(result), [&] { fmt::print("{}", suite_table(result)); });
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

// Opens the index to measure. Nothing if only folders are named, which are indexed for this run.
std::optional<IndexReader> open_evaluate_index(const EvaluateArguments& arguments,
                                               RunConfig& config) {
  if (!arguments.synthetic && arguments.truth.empty()) {
    throw Error(ErrorKind::kUsage,
                "evaluate: nothing to measure by: give --truth FILE.csv, or --synthetic");
  }
  const bool has_folders = !config.images.folders.empty();
  if (arguments.synthetic && has_folders && config.store.database.empty()) return std::nullopt;
  return arguments.config.open_searched(config);
}

int evaluate(const EvaluateArguments& arguments, RunConfig config, Progress::Style style) {
  const std::optional<IndexReader> index = open_evaluate_index(arguments, config);
  OutputGuard guard = arguments.outputs.guard(arguments.config, config, index ? &*index : nullptr);
  return arguments.synthetic
             ? evaluate_synthetic(arguments, config, index ? &*index : nullptr, guard, style)
             : evaluate_truth(arguments, config, *index, guard, style);
}

}  // namespace

void add_evaluate_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "evaluate", "Measure an index against ground truth, or its robustness",
      "Input: the index, and a CSV file with the header\n"
      "  query,relevant\n"
      "  or query,relevant,x0,y0,x1,y1,x2,y2,x3,y3\n"
      "and one row per relevant image; an empty `relevant` means that the query matches nothing. "
      "Corners (top-left, top-right, bottom-right, bottom-left) are in px of the query, or empty.\n"
      "Output: how many photos were answered rightly, how many wrongly, from which probability on "
      "answers can be believed, and ms per photo. With --verbose also recall, N-S score, share "
      "located, and more, for the whole ranking and for the plain answers that `lookalike query` "
      "lists.\n"
      "With --synthetic, photos of the index, or those in --images, are distorted, and recall is "
      "reported by kind and strength. With --images alone, the folder is indexed for this run.\n"
      "Example: lookalike evaluate -d photos.db --truth truth.csv\n"
      "         lookalike evaluate --synthetic --images ~/photos --report robust.html",
      evaluate);
}

}  // namespace lookalike
