#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include <fmt/color.h>
#include <fmt/ranges.h>

#include "base/path_set.h"
#include "base/program.h"
#include "base/size_text.h"
#include "base/text.h"
#include "pipeline/answers.h"
#include "pipeline/duplicates/collection.h"
#include "pipeline/duplicates/totals.h"
#include "pipeline/searcher.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/duplicates_actions.h"
#include "tools/report/report.h"

namespace lookalike {
namespace {

constexpr std::chrono::seconds kProgressDelay{1};

struct DuplicatesArguments : OutputtingArguments {
  explicit DuplicatesArguments(CLI::App& command)
      : OutputtingArguments(command),
        format(command, {.json = "one JSON object per group, one per line",
                         .columns = {"group", "proposal", "kind", "of", "probability", "width",
                                     "height", "size_bytes", "modified", "new", "reason", "path"},
                         .paths = {"of", "path"}}),
        actions(command) {
    config.add_databases();
    add_selection(command);
    config.add("match.mirror");
    config.add_each("duplicates.prefer");
    command.add_flag("--new-only", new_only,
                     "Only groups with a file that earlier runs of this command did not report");
    add_value(command, "--report FILE.html", report, "Write an HTML page that shows the groups");
    config.add("device.choice");
  }
  FormatArgument format;
  ActionArguments actions;
  std::vector<std::string> kinds;
  bool objects = false;
  double min_probability = kUsualProbability;
  std::vector<std::string> within;
  std::vector<std::string> between;
  bool new_only = false;
  std::string report;

 private:
  // Adds the options that select pairs.
  void add_selection(CLI::App& command) {
    const std::vector<std::string_view> names = pair_kind_names();
    command.add_option("--kind", kinds, "Only pairs of these kinds, separated by commas")
        ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())).description(""))
        ->type_name(fmt::format("{}", fmt::join(names, "|")))
        ->default_str("those whose pixels agree: all but variant, object and part")
        ->delimiter(',')
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command.add_flag("--objects", objects, "Also pairs of different photos of one thing: object");
    add_number(command, "--min-probability X", min_probability, 0.0, 1.0,
               "Only pairs of at least this probability, from match.same_probability to 1");
    auto* const within_option =
        add_each(command, "--within DIR", within, "Only pairs of files in this folder");
    add_value(command, "--between DIR DIR", between,
              "Only pairs with a file in each of two folders")
        ->expected(2)
        ->excludes(within_option);
  }
};

void check_min_probability(double asked, double least) {
  if (asked >= std::min(least, kUsualProbability)) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("--min-probability: must be from match.same_probability = {} to 1, was "
                          "{}: pairs of lower probability are not found",
                          least, asked));
}

std::set<PairKind> kinds_of(const DuplicatesArguments& arguments) {
  std::set<PairKind> kinds;
  for (const std::string& name : arguments.kinds) kinds.insert(pair_kind(name).value());
  if (kinds.empty()) kinds = usual_kinds();
  if (arguments.objects) kinds.insert(PairKind::kObject);
  return kinds;
}

Scope scope_of(const DuplicatesArguments& arguments) {
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

// Warns of folders without indexed files, which may be mistyped.
void warn_of_unindexed(const IndexReader& index, const DuplicatesArguments& arguments,
                       const RunConfig& config) {
  for (const auto* const paths :
       {&arguments.within, &arguments.between, &config.duplicates.prefer}) {
    for (const std::string& path : *paths) {
      const std::string folder = normal_path(path);
      bool is_indexed = false;
      index.for_each_file([&](const std::string& file, std::int64_t) {
        is_indexed = is_indexed || is_within(file, folder);
      });
      if (!is_indexed) spdlog::warn("{}: is not in the index", printable(path));
    }
  }
}

fmt::text_style style_of(Proposal proposal) {
  if (proposal == Proposal::kKeep) return fg(fmt::terminal_color::green);
  return proposal == Proposal::kGo ? fg(fmt::terminal_color::yellow) : fmt::emphasis::faint;
}

void print_duplicates(std::size_t number, const Group& group) {
  GroupTotals totals;
  totals.add(group);
  fmt::print("{}, {} can go ({})\n",
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
    if (!file.reason.empty()) facts.emplace_back("because", file.reason);
    print_row(++in_group, std::string(to_string(file.proposal)), style_of(file.proposal), facts,
              printable(file.file.path));
  }
  for (const GroupPair& pair : group.pairs) {
    if (!pair.is_joint) continue;
    fmt::print("   two parts joined by {} and {}: kind {}  probability {:.3f}\n", pair.first + 1,
               pair.second + 1, to_string(pair.relation.kind), pair.relation.probability);
  }
}

// Returns a row per file.
Json duplicates_rows(std::size_t number, const Group& group, const Json& answer) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < group.files.size(); ++i) {
    Json& row = rows.emplace_back(Json{{"group", number}});
    row.update(answer["files"][i]);
  }
  return rows;
}

// Compares all pending images. Returns false when stopped.
bool compare(Collection& collection, StopSignal& stop, Progress::Style style) {
  Progress progress("compare", "images", collection.pending(), style, kProgressDelay);
  const bool is_done = collection.compare([&](std::size_t done) {
    progress.update(done);
    return stop.received() == 0;
  });
  if (!is_done) progress.clear();
  return is_done;
}

struct Reported {
  GroupTotals totals;
  std::size_t images_of_prints = 0;
  std::vector<Group> groups;  // in their order, if a page is wanted
  std::set<ImageId> images;
  std::vector<Needless> needless;
  std::vector<std::string> unknown;  // paths of files with that proposal
};

// Prints the groups, except where paths alone are wanted or files are acted on. Nothing when
// stopped.
std::optional<Reported> report(const Groups& groups, const IndexReader& index,
                               const Printer* printer, bool keeps_groups, StopSignal& stop) {
  Reported reported;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (stop.received() != 0) return std::nullopt;
    Group group = groups.group(i);
    reported.totals.add(group);
    if (printer != nullptr) {
      const Json answer = group_answer(i + 1, group);
      printer->print(answer, duplicates_rows(i + 1, group, answer),
                     [&] { print_duplicates(i + 1, group); });
    }
    std::ranges::move(needless_files(group, index), std::back_inserter(reported.needless));
    for (const GroupFile& file : group.files) {
      reported.images.insert(file.image);
      if (file.proposal == Proposal::kUnknown) reported.unknown.push_back(file.file.path);
    }
    if (keeps_groups) reported.groups.push_back(std::move(group));
  }
  reported.images_of_prints = groups.images_of_prints();
  return reported;
}

// Returns a group and small pictures of its images, so that a thousand groups open quickly.
ReportItem report_item(std::size_t number, const Group& group) {
  constexpr std::size_t kMostFiles = 40;  // as many as the report shows
  constexpr int kSidePx = 192;
  constexpr int kJpegQuality = 60;
  ReportItem item{group_answer(number, group), {}};
  std::set<ImageId> images;
  const std::size_t shown = std::min(kMostFiles, group.files.size());
  for (const GroupFile& file : std::span(group.files).first(shown)) {
    if (!images.insert(file.image).second) continue;
    item.pictures.push_back({fmt::format("{}", file.image), file.file.path, kSidePx, kJpegQuality});
  }
  return item;
}

// Writes the page of the groups, the largest savings first. Returns false when stopped.
bool write_page(OutputFile& file, const Reported& reported, const RunConfig& config,
                StopSignal& stop) {
  std::vector<std::size_t> numbers(reported.groups.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::ranges::stable_sort(numbers, std::ranges::greater(), [&](std::size_t number) {
    return needless_bytes(reported.groups[number]);
  });
  const GroupTotals& totals = reported.totals;
  ReportWriter page(file, "Groups of pictures", {{"index", config.store.database}}, config.images,
                    {{"total", totals.groups},
                     {"files", totals.files},
                     {"needless", totals.needless},
                     {"needless_bytes", totals.needless_bytes}});
  for (const std::size_t number : numbers) {
    if (stop.received() != 0) return false;
    page.add(report_item(number + 1, reported.groups[number]));
  }
  page.finish();
  return true;
}

// Looks at the files that may go once more, and prints the paths of those that are as they were.
void print_paths(const Reported& reported, const Printer& printer) {
  std::vector<std::string> left;
  for (const std::string& path : reported.unknown) {
    left.push_back(path + ": is gone or has changed since it was indexed");
  }
  Json rows = Json::array();
  for (const Needless& one : reported.needless) {
    if (const auto objection = objection_to(one)) {
      left.push_back(fmt::format("{}: {}", one.file.path, *objection));
    } else {
      rows.push_back({{"path", text_of_path(one.file.path)}});
    }
  }
  printer.print(Json(), rows, [] {});
  warn_of_left(left);
}

int duplicates(const DuplicatesArguments& arguments, RunConfig config, Progress::Style style) {
  if (!arguments.actions.undo.empty()) {
    return undo_actions(arguments.actions.undo,
                        arguments.config.names_database() ? searched_databases(config)
                                                          : std::vector<std::filesystem::path>(),
                        config);
  }
  if (!arguments.actions.carry_out.empty()) {
    return carry_out_script(arguments.actions.carry_out, config);
  }
  StopSignal stop;
  check_min_probability(arguments.min_probability, config.match.same_probability);
  const IndexReader index = arguments.config.open_searched(config);
  OutputGuard guard = arguments.outputs.guard(arguments.config, config, &index);
  std::optional<OutputFile> file = guard.open_if_named("--report", arguments.report, page_kind());
  std::optional<OutputFile> script = open_script(arguments.actions, guard);
  check_actions(arguments.actions, index, config);
  warn_of_unindexed(index, arguments, config);
  const std::set<PairKind> kinds = kinds_of(arguments);
  Collection collection(index, config,
                        {.kinds = kinds,
                         .min_probability = arguments.min_probability,
                         .new_only = arguments.new_only,
                         .scope = scope_of(arguments)});
  const bool acts = arguments.actions.is_given();
  const bool are_paths = !acts && arguments.format.get() == Format::kPaths;
  std::optional<Reported> reported;
  if (compare(collection, stop, style)) {
    const Groups groups = collection.groups();
    std::optional<Printer> printer;
    if (!acts && !are_paths) printer.emplace(arguments.format);
    reported = report(groups, index, printer ? &*printer : nullptr, file.has_value(), stop);
    if (file && reported && !write_page(*file, *reported, config, stop)) reported.reset();
  }
  if (!reported) {
    spdlog::warn("stopped by {}{}", signal_name(stop.received()),
                 collection.is_remembered() ? "; the next run resumes from here" : "");
    return kExitSignalled + stop.received();
  }
  const GroupTotals& totals = reported->totals;
  spdlog::info("{} with {}, of which {} can go ({})", counted(totals.groups, "group"),
               counted(totals.files, "file"), totals.needless, size_text(totals.needless_bytes));
  if (reported->images_of_prints > 0) {
    spdlog::info("{} like others in form but not in content: none goes for another",
                 counted(reported->images_of_prints, "image"));
  }
  if (are_paths) print_paths(*reported, Printer(arguments.format));
  flush_output();
  // Fewer kinds than usual leave groups unreported.
  const bool is_all =
      std::ranges::includes(kinds, usual_kinds()) && arguments.min_probability <= kUsualProbability;
  collection.mark_reported(
      [&](ImageId image) { return is_all || reported->images.contains(image); });
  if (!acts) return kExitDone;
  return act_on(std::move(reported->needless), arguments.actions, index, config, script, stop);
}

}  // namespace

void add_duplicates_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "duplicates",
      "Group the indexed images that show the same thing, and propose which to keep",
      "Output: groups of files, the best first, with a proposal for each file and the reason: "
      "keep; "
      "go, when a file to keep shows and holds all that it does; unknown, when it is gone or has "
      "changed since it was indexed. A table has a row per file; paths are the files that may go. "
      "--move-to and --hardlink compare each file again before they act on it, take along what "
      "belongs to it, such as an XMP file, write a log beside the moved files or the index, and "
      "print the command that undoes it; exit code 1 if files "
      "were left as they are. Nothing is deleted. `lookalike reject` keeps two images apart.\n"
      "Kinds, closest first: exact, the same bytes; copy, other sizes and encodings; "
      "turned; mirrored, with --mirror; crop; with --kind variant, edited, censored, recoloured "
      "and "
      "grey versions; with --objects object, the same thing in "
      "another photo; with --kind part, a shared logo or band.\n"
      "The first run compares all images, later runs only new ones. With --within and "
      "--between, only their files are compared, and nothing is remembered.\n"
      "Example: lookalike duplicates -d photos.db --report groups.html\n"
      "         lookalike duplicates -d photos.db --kind exact,copy --format paths\n"
      "         lookalike duplicates -d photos.db --prefer archive --prefer phone\n"
      "         lookalike duplicates -d photos.db --between photos scans\n"
      "         lookalike duplicates -d photos.db --kind exact --move-to to-delete",
      duplicates);
}

}  // namespace lookalike
