#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/geometry.h"
#include "base/text.h"
#include "pipeline/answers.h"
#include "pipeline/searcher.h"
#include "stages/decode/pixels.h"
#include "stages/match/match.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/output_arguments.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/findings.h"
#include "tools/lookalike/indexed_image.h"

namespace lookalike {
namespace {

struct Arguments {
  explicit Arguments(CLI::App& command) : config(command), talk(command), outputs(command) {
    config.add("--database", "store.database");
    config.add("--top", "match.top");
    config.add("--device", "device.choice");
    auto* mirror = config.add("--mirror", "match.mirror");
    command.add_option("--region", region, "Look up this part of each photo alone, in px of it")
        ->type_name("X,Y,WIDTH,HEIGHT");
    command
        .add_option("--id", indexed,
                    "Look up an image of the index, without reading its features again")
        ->type_name("PATH|NUMBER")
        ->excludes(mirror)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command.add_flag_callback(
        "--refine", [] {}, "Always done: outlines are corrected by the pixels");
    command.add_flag("--all", all, "List also what does not look like it, as \"none\"");
    command.add_flag("--json", json, "Print one JSON object per photo, one a line");
    command.add_option("--report", report, "Write a page that shows what was found")
        ->type_name("FILE.html");
    command.add_option("IMAGE", photos, "Photos to look up")->type_name("");
  }
  ConfigArguments config;
  TalkArguments talk;
  OutputArguments outputs;
  bool all = false;
  bool json = false;
  std::string report;
  std::string region;                // empty: all of the photo
  std::vector<std::string> indexed;  // paths or numbers
  std::vector<std::string> photos;
};

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

// Answers each photo as soon as it is looked up.
class Answers {
 public:
  Answers(const Arguments& arguments, std::string database) : arguments_(arguments) {
    report_.title = "What lookalike found";
    report_.facts = {{"index", std::move(database)}};
  }

  void add(const std::string& photo, const QueryResult& result) {
    if (arguments_.json) {
      fmt::print("{}\n", json_text(query_answer(photo, result)));
    } else {
      print_text(photo, result);
    }
    if (!arguments_.report.empty()) report_.entries.push_back(entry_of(photo, result));
  }

  void add_failure(const std::string& photo, const SkippedFile& why) {
    ++failures_;
    spdlog::error("{}: {}: {}", printable(photo), why.reason, why.detail);
    if (arguments_.json) fmt::print("{}\n", json_text(failed_answer("query", photo, why)));
    report_.entries.push_back({.photo = photo, .problem = why.detail});
  }

  std::size_t failures() const { return failures_; }

  void write_report(const IndexCounts& counts, const std::string& device,
                    const ImagesOptions& limits, OutputFile& file) {
    report_.facts.emplace_back("images", fmt::format("{}", counts.images));
    report_.facts.emplace_back("device", device);
    write_whole(file, render_report(report_, limits));
  }

 private:
  const Arguments& arguments_;
  Report report_;
  std::size_t failures_ = 0;
};

std::string database_of(const RunConfig& config) {
  if (!config.store.database.empty()) return config.store.database;
  throw Error(ErrorKind::kUsage,
              "no index is named: give --database FILE, or [store] database in --config");
}

std::optional<Region> region_of(const Arguments& arguments) {
  if (arguments.region.empty()) return std::nullopt;
  return parse_region(arguments.region);
}

// Looks one thing up and answers it. What is wrong with it alone does not end the others.
template <typename Lookup>
void answer_one(const std::string& name, Answers& answers, const Lookup& look_up) {
  try {
    const std::variant<QueryResult, SkippedFile> result = look_up();
    if (const auto* skipped = std::get_if<SkippedFile>(&result)) {
      answers.add_failure(name, *skipped);
    } else {
      answers.add(name, std::get<QueryResult>(result));
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    answers.add_failure(name, SkippedFile{{.path = name}, "unusable", error.what()});
  }
}

void query_photos(const Arguments& arguments, const std::optional<Region>& region,
                  Searcher& searcher, Answers& answers) {
  for (const std::string& photo : arguments.photos) {
    answer_one(photo, answers, [&]() -> std::variant<QueryResult, SkippedFile> {
      auto loaded = searcher.load(photo, region);
      if (auto* skipped = std::get_if<SkippedFile>(&loaded)) return std::move(*skipped);
      QueryResult result = searcher.search(std::get<Query>(loaded));
      if (region) move_matches(result.matches, translation(region->x, region->y));
      return result;
    });
  }
}

void query_indexed(const Arguments& arguments, const IndexReader& index, Searcher& searcher,
                   Answers& answers) {
  for (const std::string& name : arguments.indexed) {
    answer_one(name, answers, [&]() -> std::variant<QueryResult, SkippedFile> {
      const std::optional<ImageId> id = find_image(index, name);
      if (!id) return SkippedFile{{.path = name}, "not_indexed", "is not in the index"};
      return searcher.search(*id);
    });
  }
}

int query(const Arguments& arguments) {
  RunConfig config = arguments.config.load();
  if (arguments.all) config.match.report = "all";
  arguments.talk.apply();
  if (arguments.photos.empty() && arguments.indexed.empty()) {
    throw Error(ErrorKind::kUsage, "query: nothing to look up: name photos, or --id");
  }
  if (arguments.photos.empty() && !arguments.region.empty()) {
    throw Error(ErrorKind::kUsage, "query: --region is of photos, and none is named");
  }
  const std::optional<Region> region = region_of(arguments);
  const std::string database = database_of(config);
  const IndexReader index{std::filesystem::path(database)};
  OutputGuard guard = arguments.outputs.guard(arguments.config, config, &index);
  guard.add_inputs(arguments.photos);
  std::optional<OutputFile> report = guard.open_if_named("--report", arguments.report, page_kind());
  Searcher searcher(index, config);
  Answers answers(arguments, database);
  query_indexed(arguments, index, searcher, answers);
  query_photos(arguments, region, searcher, answers);
  if (report) {
    answers.write_report(index.counts(), searcher.device().name, config.images, *report);
  }
  if (answers.failures() == 0) return kExitDone;
  const bool all_failed = answers.failures() == arguments.indexed.size() + arguments.photos.size();
  return all_failed ? exit_code(ErrorKind::kInput) : kExitSkippedItems;
}

}  // namespace

void add_query_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("query", "Find the indexed images that photos show, and where");
  command->footer(
      "Output: a table, or with --json one object a line:\n"
      "  {\"query\": path, \"found\": n, \"matches\": [{\"path\", \"paths\", \"gone\", \"score\", "
      "\"probability\", \"decision\", \"mirrored\", \"inliers\", \"correlation\", \"moved_px\", "
      "\"quad\"}, ...]}\n"
      "  {\"query\": path, \"error\": {\"kind\", \"reason\", \"message\"}} for what could not be "
      "looked "
      "up\n"
      "  found: how many matches there are, of which --top are listed\n"
      "  paths: all files of the image; gone: those where no file is any more\n"
      "  decision: \"duplicate\", \"same object\", \"part\" where only a part is shared, "
      "\"similar\" "
      "where nothing confirms it; with --all, also \"none\"\n"
      "  quad: corners of the indexed image in px of the photo, from its top-left, clockwise "
      "(anticlockwise where mirrored); null without a pose\n"
      "  moved_px: how far the pixels moved the corner that they moved most; null where they were "
      "not compared\n"
      "Example: lookalike query --database photos.db --report found.html holiday.jpg\n"
      "         lookalike query --database photos.db --region 120,40,300,200 holiday.jpg\n"
      "         lookalike query --database photos.db --id ~/photos/cat.jpg");
  const auto arguments = std::make_shared<Arguments>(*command);
  command->callback([=, &action] { action = [=] { return query(*arguments); }; });
}

}  // namespace lookalike
