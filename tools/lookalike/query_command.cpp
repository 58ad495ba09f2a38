#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "pipeline/error.h"
#include "pipeline/printable.h"
#include "stages/command/command_line.h"
#include "stages/command/open_session.h"
#include "stages/match/answers.h"
#include "stages/match/move.h"
#include "stages/match/pose_geometry.h"
#include "stages/store/settings.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/findings.h"
#include "tools/lookalike/indexed_image.h"
#include "tools/lookalike/photo.h"

namespace lookalike {
namespace {

struct Arguments {
  explicit Arguments(CLI::App& command) : config(command), talk(command) {
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
    command.add_flag("--refine", refine,
                     "Correct every outline by the pixels, and say how far that moved its corners");
    command.add_flag("--all", all, "List also what does not look like it, as \"none\"");
    command.add_flag("--json", json, "Print one JSON object per photo, one a line");
    command.add_option("--report", report, "Write a page that shows what was found")
        ->type_name("FILE.html");
    command.add_option("IMAGE", photos, "Photos to look up")->type_name("");
  }
  ConfigArguments config;
  TalkArguments talk;
  bool all = false;
  bool json = false;
  bool refine = false;
  std::string report;
  std::string region;                // empty: all of the photo
  std::vector<std::string> indexed;  // paths or numbers
  std::vector<std::string> photos;
};

void print_text(const std::string& photo, const std::vector<Match>& matches, bool refined) {
  const auto found = std::count_if(matches.begin(), matches.end(), [](const Match& match) {
    return match.decision >= Decision::kSameObject;
  });
  fmt::print("{}: {} found\n", printable(photo),
             found > 0         ? fmt::format("{}", found)
             : matches.empty() ? "nothing"
                               : "nothing sure");
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const Match& match = matches[i];
    const std::optional<double>& correlation = match.evidence.correlation;
    fmt::print(
        "{:>4}  {:<11}  probability {}  {:>4} inliers  correlation {}  {}{}{}\n", i + 1,
        to_string(match.decision),
        match.is_located() ? fmt::format("{:5.3f}", match.probability) : "  -  ",
        match.evidence.inliers, correlation ? fmt::format("{:5.3f}", *correlation) : "  -  ",
        printable(match.image.paths.front()), match.mirrored ? "  (mirrored)" : "",
        refined && match.moved_px ? fmt::format("  (moved {:.2f} px)", *match.moved_px) : "");
  }
}

// Answers each photo as soon as it is looked up.
class Answers {
 public:
  Answers(const Arguments& arguments, std::string database) : arguments_(arguments) {
    report_.title = "What lookalike found";
    report_.facts = {{"index", std::move(database)}};
  }

  void found(const std::string& photo, const std::vector<Match>& matches) {
    if (arguments_.json) {
      fmt::print("{}\n", json_text(query_answer(photo, matches)));
    } else {
      print_text(photo, matches, arguments_.refine);
    }
    if (arguments_.report.empty()) return;
    ReportEntry& entry = report_.entries.emplace_back();
    entry.photo = photo;
    for (const Match& match : matches) {
      if (match.is_located()) entry.findings.push_back(finding_of(match));
    }
  }

  void skipped(const std::string& photo, const SkippedFile& file) {
    spdlog::error("{}: {}: {}", photo, file.reason, file.detail);
    report_.entries.push_back({.photo = photo, .findings = {}, .problem = file.detail});
  }

  void finish(const IndexCounts& counts, const std::string& device, const ImagesOptions& limits) {
    if (arguments_.report.empty()) return;
    report_.facts.emplace_back("images", fmt::format("{}", counts.images));
    report_.facts.emplace_back("device", device);
    write_report(report_, limits, arguments_.report);
  }

 private:
  const Arguments& arguments_;
  Report report_;
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

// Looks up photos and answers each; returns how many could not be.
std::size_t query_photos(const Arguments& arguments, const RunConfig& config,
                         const std::optional<Region>& region, const ExtractOptions& options,
                         OpenClSession& session, Matcher& matcher, Answers& answers) {
  if (arguments.photos.empty()) return 0;
  ExtractStage extract(session, options);
  std::size_t skipped = 0;
  for (const std::string& photo : arguments.photos) {
    auto loaded = load_photo(extract, photo, options, config.images, region);
    if (const auto* file = std::get_if<SkippedFile>(&loaded)) {
      answers.skipped(photo, *file);
      ++skipped;
      continue;
    }
    std::vector<Match> matches = matcher.match(std::get<Query>(loaded));
    if (region) move_matches(matches, translation(region->x, region->y));
    answers.found(photo, matches);
  }
  return skipped;
}

void query_indexed(const Arguments& arguments, const IndexReader& index, Matcher& matcher,
                   Answers& answers) {
  for (const std::string& name : arguments.indexed) {
    const ImageId id = must_find(index, name);
    answers.found(index.image(id)->paths.front(), matcher.match_indexed(id));
  }
}

int query(const Arguments& arguments) {
  RunConfig config = arguments.config.load();
  MatchOptions& options = config.match;
  if (arguments.all) options.report = "all";
  if (arguments.refine) {
    options.locate_candidates = std::max(options.locate_candidates, options.top);
  }
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
  OpenClSession session(session_options(config.device));
  Matcher matcher(session, index, options, config.images);
  Answers answers(arguments, database);
  query_indexed(arguments, index, matcher, answers);
  const std::size_t skipped = query_photos(
      arguments, config, region, extract_options_from(index.settings()), session, matcher, answers);
  answers.finish(index.counts(), session.device().name, config.images);
  if (skipped == 0) return kExitDone;
  const bool nothing = arguments.indexed.empty() && skipped == arguments.photos.size();
  return nothing ? exit_code(ErrorKind::kInput) : kExitSkippedItems;
}

}  // namespace

void add_query_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("query", "Find the indexed images that photos show, and where");
  command->footer(
      "Output: a table, or with --json one object a line:\n"
      "  {\"query\": path, \"matches\": [{\"path\", \"score\", \"probability\", "
      "\"decision\", \"mirrored\", \"inliers\", \"correlation\", \"moved_px\", \"quad\"}, ...]}\n"
      "  decision: \"duplicate\", \"same object\", \"similar\" where geometry does not confirm it; "
      "with --all, also \"none\"\n"
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
