#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fmt/color.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/page_name.h"
#include "base/path_set.h"
#include "base/program.h"
#include "base/text.h"
#include "pipeline/answers.h"
#include "pipeline/groups/collection.h"
#include "tools/command_line/format.h"
#include "tools/lookalike/commands.h"
#include "tools/report/groups_report.h"
#include "tools/report/page.h"

namespace lookalike {
namespace {

constexpr std::chrono::seconds kProgressDelay{1};

struct Arguments {
  explicit Arguments(CLI::App& command)
      : config(command),
        verbosity(command),
        outputs(command),
        format(command, "Print one JSON object per group, one per line") {
    config.add_databases();
    config.add("--device", "device.choice");
    config.add("--mirror", "match.mirror");
    const std::vector<std::string_view> names = pair_kind_names();
    command
        .add_option(
            "--kind", kinds,
            "Only pairs of these kinds, separated by commas; without it, those whose pixels "
            "agree: all but object and part")
        ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())).description(""))
        ->type_name(fmt::format("{}", fmt::join(names, "|")))
        ->delimiter(',')
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command.add_flag("--objects", objects, "Also pairs of different photos of one thing: object");
    command
        .add_option("--min-probability", min_probability,
                    "Only pairs of at least this; none below match.same_probability are found")
        ->check(CLI::Range(0.0, 1.0).description(""))
        ->type_name("X")
        ->capture_default_str();
    auto* const within_option =
        command.add_option("--within", within, "Only pairs of files in this folder")
            ->type_name("DIR")
            ->expected(1)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command
        .add_option("--between", between,
                    "Only pairs of a file in the one folder and one in the other")
        ->type_name("DIR DIR")
        ->expected(2)
        ->excludes(within_option);
    command.add_flag("--new-only", new_only,
                     "Only groups with a file that earlier runs of this command did not report");
    command.add_option("--report", report, "Write an HTML page that shows the groups")
        ->type_name("FILE.html");
  }
  ConfigArguments config;
  VerbosityArguments verbosity;
  OutputArguments outputs;
  FormatArgument format;
  std::vector<std::string> kinds;
  bool objects = false;
  double min_probability = kUsualProbability;
  std::vector<std::string> within;
  std::vector<std::string> between;
  bool new_only = false;
  std::string report;
};

void check_min_probability(double asked, double least) {
  if (asked >= std::min(least, kUsualProbability)) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("--min-probability: must be from match.same_probability = {} to 1, was "
                          "{}: less sure pairs are not found",
                          least, asked));
}

std::set<PairKind> kinds_of(const Arguments& arguments) {
  std::set<PairKind> kinds;
  for (const std::string& name : arguments.kinds) kinds.insert(pair_kind(name).value());
  if (kinds.empty()) kinds = usual_kinds();
  if (arguments.objects) kinds.insert(PairKind::kObject);
  return kinds;
}

Scope scope_of(const Arguments& arguments) {
  const auto normal = [](std::vector<std::string> paths) {
    for (std::string& path : paths) path = normal_path(path);
    return paths;
  };
  if (!arguments.within.empty()) {
    const std::vector<std::string> folders = normal(arguments.within);
    return {folders, folders};
  }
  if (arguments.between.empty()) return {};
  const std::vector<std::string> sides = normal(arguments.between);
  return {std::span(sides).first(1), std::span(sides).last(1)};
}

// A name that was mistyped would leave nothing to report.
void warn_of_unindexed(const IndexReader& index, const Arguments& arguments) {
  for (const auto* const paths : {&arguments.within, &arguments.between}) {
    for (const std::string& path : *paths) {
      const std::string folder = normal_path(path);
      bool is_indexed = false;
      index.for_each_file(
          [&](const std::string& file) { is_indexed = is_indexed || is_within(file, folder); });
      if (!is_indexed) spdlog::warn("{}: is not in the index", printable(path));
    }
  }
}

fmt::text_style style_of(Proposal proposal) {
  if (proposal == Proposal::kKeep) return fg(fmt::terminal_color::green);
  return proposal == Proposal::kGo ? fg(fmt::terminal_color::yellow) : fmt::emphasis::faint;
}

// "2.3 MB"
std::string size_text(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (bytes < 1'000'000) return fmt::format("{:.0f} kB", std::ceil(size / 1e3));
  return bytes < 1'000'000'000 ? fmt::format("{:.1f} MB", size / 1e6)
                               : fmt::format("{:.1f} GB", size / 1e9);
}

// Pages go with their file.
bool may_be_deleted(const GroupFile& file) {
  return file.proposal == Proposal::kGo && page_of(file.file.path).number == 1;
}

// What all groups together amount to.
struct Totals {
  std::size_t groups = 0;
  std::size_t files = 0;
  std::size_t needless = 0;
  std::uint64_t needless_bytes = 0;

  void add(const Group& group) {
    ++groups;
    files += group.files.size();
    for (const GroupFile& file : group.files) {
      if (!may_be_deleted(file)) continue;
      ++needless;
      needless_bytes += file.file.size_bytes;
    }
  }
};

void print_text(std::size_t number, const Group& group) {
  Totals totals;
  totals.add(group);
  fmt::print("{}, {} need not stay ({})\n",
             styled(fmt::format("group {}: {} files", number, totals.files), fmt::emphasis::bold),
             totals.needless, size_text(totals.needless_bytes));
  std::size_t in_group = 0;
  const bool all_new = std::ranges::all_of(group.files, &GroupFile::is_new);
  for (const GroupFile& file : group.files) {
    Facts facts = {
        {"kind", file.related ? std::string(to_string(file.kind)) : "-"},
        {"probability", file.related ? fmt::format("{:.3f}", file.probability) : "-"},
        {"size", fmt::format("{}x{}", file.size.width, file.size.height)},
        {"kB", fmt::format("{:.0f}", std::ceil(static_cast<double>(file.file.size_bytes) / 1e3))}};
    if (!all_new) facts.emplace_back("new", file.is_new ? "yes" : "no");
    print_row(++in_group, std::string(to_string(file.proposal)), style_of(file.proposal), facts,
              printable(file.file.path));
  }
}

const std::vector<std::string> kColumns = {"group",       "proposal", "kind",   "of",
                                           "probability", "width",    "height", "size_bytes",
                                           "modified",    "new",      "path"};
const std::vector<std::string> kPathColumns = {"of", "path"};

void print_rows(std::size_t number, const Group& group, const Table& table, bool paths_alone) {
  const Json answer = group_answer(number, group);
  for (std::size_t i = 0; i < group.files.size(); ++i) {
    if (paths_alone && !may_be_deleted(group.files[i])) continue;
    Json row = {{"group", number}};
    row.update(answer["files"][i]);
    table.add(row);
  }
}

int duplicates(const Arguments& arguments) {
  StopSignal stop;
  RunConfig config = arguments.config.load();
  const Progress::Style style = arguments.verbosity.apply();
  check_min_probability(arguments.min_probability, config.match.same_probability);
  const IndexReader index = arguments.config.open_searched(config);
  OutputGuard guard = arguments.outputs.guard(arguments.config, config, &index);
  std::optional<OutputFile> report = guard.open_if_named("--report", arguments.report, page_kind());
  warn_of_unindexed(index, arguments);
  GroupOptions options{.kinds = kinds_of(arguments),
                       .min_probability = arguments.min_probability,
                       .new_only = arguments.new_only,
                       .scope = scope_of(arguments)};
  Collection collection(index, config, options);
  const auto stopped = [&] {
    spdlog::warn("stopped by {}{}", signal_name(stop.received()),
                 collection.is_remembered() ? "; the next run resumes from here" : "");
    return kExitSignalled + stop.received();
  };
  {
    Progress progress("compare", "images", collection.pending(), style, kProgressDelay);
    const bool is_done = collection.compare([&](std::size_t done) {
      progress.update(done);
      return stop.received() == 0;
    });
    if (!is_done) {
      progress.clear();
      return stopped();
    }
  }
  const Groups groups = collection.groups();
  std::optional<Table> table;
  if (arguments.format.is_table()) table.emplace(arguments.format, kColumns, kPathColumns);
  std::optional<GroupsReport> page;
  if (report) page.emplace(*report, config.store.database, config.images);
  Totals totals;
  std::set<ImageId> reported;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (stop.received() != 0) return stopped();
    const Group group = groups.group(i);
    totals.add(group);
    if (table) {
      print_rows(i + 1, group, *table, arguments.format.get() == Format::kPaths);
    } else if (arguments.format.is_json()) {
      print_json(group_answer(i + 1, group));
    } else {
      print_text(i + 1, group);
    }
    if (page) page->add(group);
    for (const GroupFile& file : group.files) reported.insert(file.image);
  }
  if (page) page->finish();
  spdlog::info("{} groups with {} files, of which {} need not stay ({})", totals.groups,
               totals.files, totals.needless, size_text(totals.needless_bytes));
  flush_output();
  // Fewer kinds than usual leave groups unreported.
  const bool is_all = std::ranges::includes(kinds_of(arguments), usual_kinds()) &&
                      arguments.min_probability <= kUsualProbability;
  collection.mark_reported([&](ImageId image) { return is_all || reported.contains(image); });
  return kExitDone;
}

}  // namespace

void add_duplicates_command(CLI::App& app, Action& action) {
  add_command(app, action, "duplicates",
              "Group the indexed images that show the same thing, and propose which to keep",
              "Output: groups of files, the best first, with what is proposed for each: keep; go, "
              "when a file that is kept shows all that it shows; unknown, when it is gone or has "
              "changed since it was indexed. Nothing is deleted. Kinds, closest first: exact, the "
              "same bytes; copy, other sizes and encodings; turned; mirrored, with --mirror; crop; "
              "with --objects object, the same thing in another photo; with --kind part, a shared "
              "logo or band.\n"
              "The first run compares all images, later ones those that are new. With --within and "
              "--between, only their files are compared, and nothing is remembered.\n"
              "By --format:\n"
              "  tsv, csv: a row per file: group, proposal, kind, of, probability, width, height, "
              "size_bytes, modified, new, path\n"
              "  paths: the files that may go\n"
              "  json: one object per group, one per line, with the evidence of each pair\n"
              "`lookalike reject` keeps two images apart.\n"
              "Example: lookalike duplicates -d photos.db --report groups.html\n"
              "         lookalike duplicates -d photos.db --kind exact,copy --format paths\n"
              "         lookalike duplicates -d photos.db --between photos scans",
              duplicates);
}

}  // namespace lookalike
