#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/geometry.h"
#include "base/parallel.h"
#include "base/text.h"
#include "pipeline/answers.h"
#include "pipeline/searcher.h"
#include "stages/decode/decoders.h"
#include "stages/match/match.h"
#include "tools/lookalike/commands.h"
#include "tools/report/report.h"

namespace lookalike {
namespace {

struct Arguments {
  explicit Arguments(CLI::App& command) : config(command), verbosity(command), outputs(command) {
    config.add("--database", "store.database");
    config.add("--top", "match.top");
    config.add("--device", "device.choice");
    auto* mirror = config.add("--mirror", "match.mirror");
    command.add_option("--region", region, "Look up only this part of each photo, in px")
        ->type_name("X,Y,WIDTH,HEIGHT");
    command
        .add_option("--id", indexed,
                    "Look up an image of the index, without extracting its features again")
        ->type_name("PATH|NUMBER")
        ->excludes(mirror)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command.add_flag_callback(
        "--refine", [] {}, "No effect: outlines are always refined by the pixels");
    command.add_flag("--all", all, "Also list images that do not look alike, as \"none\"");
    command.add_flag("--json", json, "Print one JSON object per photo, one per line");
    command.add_option("--report", report, "Write an HTML page that shows what was found")
        ->type_name("FILE.html");
    command.add_option("IMAGE", photos, "Photos to look up")->type_name("");
  }
  ConfigArguments config;
  VerbosityArguments verbosity;
  OutputArguments outputs;
  bool all = false;
  bool json = false;
  std::string report;
  std::string region;                // empty: the whole photo
  std::vector<std::string> indexed;  // paths or numbers
  std::vector<std::string> photos;
};

bool is_found(const Match& match) {
  return match.decision >= Decision::kSameObject;
}

// "2 found", "nothing found", "nothing sure found", "12 found, 10 of 15 listed".
std::string headline(const QueryResult& result) {
  const auto sure = std::ranges::count_if(result.matches, is_found);
  const auto parts = std::ranges::count(result.matches, Decision::kPart, &Match::decision);
  std::string text = sure > 0                 ? fmt::format("{} found", sure)
                     : parts > 0              ? fmt::format("{} by a part", parts)
                     : result.matches.empty() ? "nothing found"
                                              : "nothing sure found";
  if (result.found > result.matches.size()) {
    text += fmt::format(", {} of {} listed", result.matches.size(), result.found);
  }
  return text;
}

// The known properties of a match.
Facts facts_of(const Match& match) {
  Facts facts = {{"decision", std::string(to_string(match.decision))}};
  if (match.is_located()) {
    facts.emplace_back("probability", fmt::format("{:.3f}", match.probability));
    facts.emplace_back("inliers", fmt::format("{}", match.evidence.inliers));
  }
  if (match.evidence.correlation) {
    facts.emplace_back("correlation", fmt::format("{:.3f}", *match.evidence.correlation));
  }
  if (match.moved_px) {
    facts.emplace_back("corners moved", fmt::format("{:.2f} px", *match.moved_px));
  }
  if (match.mirrored) facts.emplace_back("mirrored", "yes");
  return facts;
}

// The path, with a remark if the file no longer exists.
std::string path_text(const Match& match, const std::string& path) {
  const bool gone = std::ranges::find(match.gone, path) != match.gone.end();
  return printable(path) + (gone ? "  (file is gone; run `lookalike index`)" : "");
}

void print_text(const std::string& photo, const QueryResult& result) {
  fmt::print("{}: {}\n", printable(photo), headline(result));
  for (std::size_t i = 0; i < result.matches.size(); ++i) {
    const Match& match = result.matches[i];
    fmt::print("{:>4}  {:<11}", i + 1, to_string(match.decision));
    for (const auto& [name, value] : facts_of(match)) {
      if (name != "decision") fmt::print("  {} {}", name, value);
    }
    const std::string& path = path_of(match);
    fmt::print("  {}\n", path_text(match, path));
    for (const std::string& copy : match.image.paths) {
      if (copy != path) fmt::print("      also  {}\n", path_text(match, copy));
    }
  }
}

ReportEntry entry_of(const std::string& photo, const QueryResult& result) {
  ReportEntry entry{.photo = photo, .verdict = headline(result)};
  entry.found = std::ranges::any_of(result.matches, is_found);
  for (const Match& match : result.matches) {
    ReportFinding& finding = entry.findings.emplace_back();
    finding.image = path_of(match);
    finding.facts = facts_of(match);
    for (const std::string& path : match.image.paths) {
      finding.paths.push_back(path_text(match, path));
    }
    if (match.is_located()) finding.quad = match.quad;
    finding.pairs = match.inlier_pairs;
  }
  return entry;
}

using LookUpResult = std::variant<QueryResult, SkippedFile>;

// Runs look_up(). Input that cannot be used is answered with its error.
template <typename LookUp>
LookUpResult result_of(const std::string& photo, const LookUp& look_up) {
  try {
    return look_up();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    return SkippedFile{{.path = photo}, "unusable", error.what()};
  }
}

LookUpResult look_up(Searcher& searcher, const std::string& photo,
                     const std::optional<Region>& region) {
  auto loaded = searcher.load(photo, region);
  if (auto* skipped = std::get_if<SkippedFile>(&loaded)) return std::move(*skipped);
  QueryResult result = searcher.search(std::get<Query>(loaded));
  if (region) move_matches(result.matches, translation(region->x, region->y));
  return result;
}

// Prints answers, and collects the report.
class Answers {
 public:
  Answers(const Arguments& arguments, const std::string& database) : arguments_(arguments) {
    report_ = {.title = "What lookalike found", .facts = {{"index", database}}, .entries = {}};
  }

  void answer(const std::string& photo, const LookUpResult& result) {
    if (const auto* skipped = std::get_if<SkippedFile>(&result)) {
      add_failure(photo, *skipped);
    } else {
      add(photo, std::get<QueryResult>(result));
    }
  }

  std::size_t failures() const { return failures_; }

  void write_report(const IndexCounts& counts, const std::string& device,
                    const ImagesOptions& limits, OutputFile& file) {
    report_.facts.emplace_back("images", fmt::format("{}", counts.images));
    report_.facts.emplace_back("device", device);
    write_whole(file, render_report(report_, limits));
  }

 private:
  void add(const std::string& photo, const QueryResult& result) {
    if (arguments_.json) {
      print_json(query_answer(photo, result));
    } else {
      print_text(photo, result);
    }
    if (!arguments_.report.empty()) report_.entries.push_back(entry_of(photo, result));
  }

  void add_failure(const std::string& photo, const SkippedFile& why) {
    ++failures_;
    spdlog::error("{}: {}: {}", printable(photo), why.reason, why.detail);
    if (arguments_.json) print_json(failed_answer("query", photo, why));
    report_.entries.push_back({.photo = photo, .problem = why.detail});
  }

  const Arguments& arguments_;
  Report report_;
  std::size_t failures_ = 0;
};

int query(const Arguments& arguments) {
  RunConfig config = arguments.config.load();
  if (arguments.all) config.match.report = "all";
  arguments.verbosity.apply();
  if (arguments.photos.empty() && arguments.indexed.empty()) {
    throw Error(ErrorKind::kUsage, "query: nothing to look up: name photos, or --id");
  }
  if (arguments.photos.empty() && !arguments.region.empty()) {
    throw Error(ErrorKind::kUsage, "query: --region applies to photos, and none is named");
  }
  std::optional<Region> region;
  if (!arguments.region.empty()) region = parse_region(arguments.region);
  const std::string& database = named_database(config);
  const IndexReader index{std::filesystem::path(database)};
  OutputGuard guard = arguments.outputs.guard(arguments.config, config, &index);
  guard.add_inputs(arguments.photos);
  std::optional<OutputFile> report = guard.open_if_named("--report", arguments.report, page_kind());
  std::vector<std::string> names = arguments.indexed;
  names.insert(names.end(), arguments.photos.begin(), arguments.photos.end());
  Searcher searcher(index, config);
  Answers answers(arguments, database);
  // Photos are looked up side by side, a few ahead of the one that is printed next.
  OrderedParallel<LookUpResult> results(
      names.size(), core_count(), 2 * core_count(), [&](std::size_t i) {
        return result_of(names[i], [&]() -> LookUpResult {
          if (i >= arguments.indexed.size()) return look_up(searcher, names[i], region);
          if (const auto id = find_image(index, names[i])) return searcher.search(*id);
          return SkippedFile{{.path = names[i]}, "not_indexed", "is not in the index"};
        });
      });
  for (const std::string& name : names) answers.answer(name, *results.next());
  if (report) {
    answers.write_report(index.counts(), searcher.device().name, config.images, *report);
  }
  if (answers.failures() == 0) return kExitDone;
  const bool all_failed = answers.failures() == names.size();
  return all_failed ? exit_code(ErrorKind::kInput) : kExitSkippedItems;
}

}  // namespace

void add_query_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "query", "Find the indexed images that photos show, and where",
      "Output: a table, or with --json one object per line:\n"
      "  {\"query\": path, \"found\": n, \"matches\": [{\"path\", \"paths\", \"gone\", \"score\", "
      "\"probability\", \"decision\", \"mirrored\", \"inliers\", \"correlation\", \"evidence\", \"moved_px\", "
      "\"quad\"}, ...]}\n"
      "  {\"query\": path, \"error\": {\"kind\", \"reason\", \"message\"}} for a photo that could "
      "not be looked up\n"
      "  found: number of matches, of which --top are listed\n"
      "  paths: all files of the image; gone: those that no longer exist\n"
      "  decision: \"duplicate\", \"same object\", \"part\" where only a part is shared, "
      "\"similar\" without confirmation; with --all, also \"none\"\n"
      "  quad: corners of the indexed image in px of the photo, from its top-left, clockwise "
      "(anticlockwise where mirrored); null without a pose\n"
      "  moved_px: the largest shift of a corner by refinement; null where the pixels were not "
      "compared\n"
      "Example: lookalike query --database photos.db --report found.html holiday.jpg\n"
      "         lookalike query --database photos.db --region 120,40,300,200 holiday.jpg\n"
      "         lookalike query --database photos.db --id ~/photos/cat.jpg",
      query);
}

}  // namespace lookalike
