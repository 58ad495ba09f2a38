#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/color.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/geometry.h"
#include "base/page_name.h"
#include "base/parallel.h"
#include "base/program.h"
#include "base/progress.h"
#include "base/scan.h"
#include "base/terminal.h"
#include "base/text.h"
#include "config/scan_rules.h"
#include "pipeline/answers.h"
#include "pipeline/groups/rejections.h"
#include "pipeline/kernel_build_process.h"
#include "pipeline/searcher.h"
#include "stages/decode/decode.h"
#include "stages/decode/decoders.h"
#include "stages/match/match.h"
#include "tools/command_line/format.h"
#include "tools/command_line/standard_input.h"
#include "tools/lookalike/commands.h"
#include "tools/report/report.h"

namespace lookalike {
namespace {

constexpr std::chrono::seconds kBarDelay{1};
constexpr std::chrono::seconds kLineDelay{10};

struct Arguments {
  explicit Arguments(CLI::App& command)
      : config(command),
        verbosity(command),
        outputs(command),
        format(command, "Print one JSON object per photo, one per line", true, true) {
    config.add_databases();
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
    command.add_flag("--all", all, "Also list images that do not look alike, as \"none\"");
    config.add_each("--exclude", "images.exclude")
        ->description(
            "Leave these out of the folders that are looked up; patterns as in .gitignore");
    config.add("--hidden", "images.hidden")
        ->description("Also look up hidden files of folders, and folders such as @eaDir");
    config.add("--min-probability", "match.min_probability");
    command.add_flag("--fail-if-none", fail_if_none,
                     "Exit with 6 when every photo was looked up and nothing sure was found: no "
                     "duplicate, same_object or part");
    command.add_option("--report", report, "Write an HTML page that shows what was found")
        ->type_name("FILE.html");
    command
        .add_option("--files-from", list,
                    "Also look up the photos and folders that this file names, one a line, or with "
                    "-0 ended by NUL; - for standard input")
        ->type_name("FILE");
    command
        .add_option(
            "IMAGE", photos,
            "Photos, folders, which are searched as indexed folders are, or - for one photo "
            "on standard input; of a TIFF file every page, of scan.tif[2] the second alone")
        ->type_name("");
  }
  ConfigArguments config;
  VerbosityArguments verbosity;
  OutputArguments outputs;
  FormatArgument format;
  bool all = false;
  bool fail_if_none = false;
  std::string report;
  std::string list;                  // a file of names
  std::string region;                // empty: the whole photo
  std::vector<std::string> indexed;  // paths or numbers
  std::vector<std::string> photos;
};

// "2 found", "1 found by a part", "nothing found", "nothing sure found", "12 found, 10 of 15
// listed".
std::string headline(const QueryResult& result) {
  const bool parts_alone = std::ranges::none_of(
      result.matches, [](const Match& match) { return match.decision > Decision::kPart; });
  std::string text = result.found > 0
                         ? fmt::format("{} found{}", result.found, parts_alone ? " by a part" : "")
                     : result.total > 0 ? "nothing sure found"
                                        : "nothing found";
  if (result.total > result.matches.size()) {
    text += fmt::format(", {} of {} listed", result.matches.size(), result.total);
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
  if (match.mirrored) facts.emplace_back("mirrored", "yes");
  if (match.rejected) facts.emplace_back("rejected", "yes");
  if (match.moved_px) {
    facts.emplace_back("corners moved", fmt::format("{:.2f} px", *match.moved_px));
  }
  return facts;
}

bool is_gone(const Match& match, const std::string& path) {
  return std::ranges::find(match.gone, path) != match.gone.end();
}

// The path, with a remark if the file no longer exists.
std::string path_text(const Match& match, const std::string& path) {
  return printable(path) + (is_gone(match, path) ? "  (file is gone; run `lookalike index`)" : "");
}

fmt::text_style style_of(Decision decision) {
  switch (decision) {
    case Decision::kDuplicate:
      return fmt::emphasis::bold | fg(fmt::terminal_color::green);
    case Decision::kSameObject:
      return fg(fmt::terminal_color::green);
    case Decision::kPart:
      return fg(fmt::terminal_color::cyan);
    case Decision::kSimilar:
      return fg(fmt::terminal_color::yellow);
    case Decision::kNone:
      break;
  }
  return fmt::emphasis::faint;
}

// The facts of a row of text: the same for each match.
Facts columns_of(const Match& match) {
  const bool located = match.is_located();
  const auto& correlation = match.evidence.correlation;
  return {{"probability", located ? fmt::format("{:.3f}", match.probability) : "-"},
          {"inliers", located ? fmt::format("{}", match.evidence.inliers) : "-"},
          {"correlation", correlation ? fmt::format("{:.3f}", *correlation) : "-"}};
}

void print_text(const std::string& photo, const QueryResult& result) {
  fmt::print("{}: {}\n", styled(printable(photo), fmt::emphasis::bold), headline(result));
  for (std::size_t i = 0; i < result.matches.size(); ++i) {
    const Match& match = result.matches[i];
    const std::string& path = path_of(match);
    std::string decision(to_string(match.decision));
    std::ranges::replace(decision, ' ', '_');
    print_row(i + 1, decision, style_of(match.decision), columns_of(match),
              path_text(match, path) + (match.mirrored ? "  (mirrored)" : "") +
                  (match.rejected ? "  (rejected)" : ""));
    for (const std::string& copy : match.image.paths) {
      if (copy != path) fmt::print("      also  {}\n", path_text(match, copy));
    }
  }
}

const std::vector<std::string> kColumns = {"query",   "rank",        "decision", "probability",
                                           "inliers", "correlation", "mirrored", "path",
                                           "error",   "gone"};
const std::vector<std::string> kPathColumns = {"query", "path"};

// A row per file of each match, that of path_of() first. As paths, only files that exist.
void print_rows(const std::string& photo, const QueryResult& result, const Table& table,
                bool paths_alone) {
  for (std::size_t i = 0; i < result.matches.size(); ++i) {
    const Match& match = result.matches[i];
    const auto& correlation = match.evidence.correlation;
    std::vector<std::string> paths = match.image.paths;
    std::ranges::stable_partition(paths,
                                  [&](const std::string& path) { return path == path_of(match); });
    for (const std::string& path : paths) {
      if (paths_alone && is_gone(match, path)) continue;
      table.add({{"query", text_of_path(photo)},
                 {"rank", i + 1},
                 {"decision", to_string(match.decision)},
                 {"probability", match.probability},
                 {"inliers", match.evidence.inliers},
                 {"correlation", correlation ? Json(*correlation) : Json()},
                 {"mirrored", match.mirrored},
                 {"path", text_of_path(path)},
                 {"gone", is_gone(match, path)}});
    }
  }
}

// One thing to look up.
struct Subject {
  std::string name;       // as it is answered
  std::string file{};     // to read; empty for an indexed image
  std::string problem{};  // why it cannot be looked up; empty when it can
};

// photo: the file of its picture.
ReportEntry entry_of(const Subject& subject, const std::string& photo, const QueryResult& result) {
  ReportEntry entry{.photo = photo, .name = subject.name, .verdict = headline(result)};
  entry.found = result.found > 0;
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

// The names in a file, or on standard input for "-".
std::vector<std::string> listed_names(const std::string& list, char end) {
  std::ifstream file;
  const auto unreadable = [&] {
    return Error(ErrorKind::kInput, fmt::format("{}: cannot be read: {}", printable(list),
                                                std::generic_category().message(errno)));
  };
  if (list != "-") {
    file.open(list, std::ios::binary);
    if (!file) throw unreadable();
  }
  std::istream& stream = list == "-" ? std::cin : file;
  std::vector<std::string> names;
  for (std::string name; std::getline(stream, name, end);) {
    if (!name.empty()) names.push_back(path_of_text(name));
  }
  if (stream.bad()) throw unreadable();
  return names;
}

// What a command line names, in its order: indexed images, then photos, with those in folders.
class Subjects {
 public:
  Subjects(const Arguments& arguments, const ImagesOptions& images)
      : images_(images), input_(images) {
    for (const std::string& name : arguments.indexed) all_.push_back({.name = name});
    for (const std::string& name : arguments.photos) add(name);
    if (arguments.list.empty()) return;
    if (arguments.list == "-" && input_.is_read()) {
      throw Error(ErrorKind::kUsage, "query: standard input is either a photo or a list of names");
    }
    for (const std::string& name : listed_names(arguments.list, arguments.format.path_end())) {
      add(name);
    }
  }

  const std::vector<Subject>& all() const { return all_; }
  std::vector<std::string> files() const {
    std::vector<std::string> files;
    for (const Subject& subject : all_) {
      if (!subject.file.empty()) files.push_back(subject.file);
    }
    return files;
  }

 private:
  void add(const std::string& name) {
    std::error_code error;
    if (name != "-" && std::filesystem::is_directory(name, error)) {
      add_folder(name);
    } else {
      all_.push_back({.name = name, .file = input_.file_of(name)});
    }
  }

  void add_folder(const std::string& name) {
    Omissions left_out;
    const ScanResult found = scan_folders({&name, 1}, scan_rules(images_), left_out);
    const std::string& problem = found.folders.front().problem;
    if (!problem.empty()) {
      all_.push_back({.name = name, .problem = problem});
    } else if (found.files.empty() && found.skipped.empty()) {
      all_.push_back({.name = name, .problem = "contains no images"});
    }
    for (const SourceFile& file : found.files) {
      all_.push_back({.name = file.path, .file = file.path});
    }
    for (const SkippedFile& skipped : found.skipped) {
      all_.push_back({.name = skipped.file.path, .problem = skipped.detail});
    }
  }

  const ImagesOptions& images_;
  std::vector<Subject> all_;
  StandardInput input_;
};

using LookUpResult = std::variant<QueryResult, SkippedFile>;

// Runs look_up(). Input that cannot be used is answered with its error, without the file's name
// before it.
template <typename LookUp>
LookUpResult result_of(const std::string& file, const LookUp& look_up) {
  try {
    return look_up();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    const std::string_view what = error.what();
    const std::string name = file + ": ";
    return SkippedFile{{.path = file},
                       "unusable",
                       std::string(what.substr(what.starts_with(name) ? name.size() : 0))};
  }
}

LookUpResult look_up(Searcher& searcher, const LoadedFile& photo,
                     const std::optional<Region>& region, const Rejections& rejections) {
  auto loaded = searcher.load(photo, region);
  if (auto* skipped = std::get_if<SkippedFile>(&loaded)) return std::move(*skipped);
  const Query& query = std::get<Query>(loaded);
  QueryResult result = searcher.search(query);
  if (region) move_matches(result.matches, translation(region->x, region->y));
  mark_rejected(result.matches, query.image.record.content, rejections);
  return result;
}

struct Answered {
  Subject subject;
  LookUpResult result;
};

// Looks up every page of a file, or the one that its name ends in.
std::vector<Answered> look_up_pages(Searcher& searcher, const Subject& subject,
                                    const ImagesOptions& limits,
                                    const std::optional<Region>& region,
                                    const Rejections& rejections) {
  const auto file = load_file(subject.file, limits);
  if (const auto* skipped = std::get_if<SkippedFile>(&file)) return {{subject, *skipped}};
  const auto& loaded = std::get<LoadedFile>(file);
  const auto look_up_page = [&](const LoadedFile& page) {
    return result_of(page.file.path, [&] { return look_up(searcher, page, region, rejections); });
  };
  std::vector<Answered> answered = {{subject, look_up_page(loaded)}};
  std::error_code unknown;
  const bool is_page =
      page_of(subject.file).file != subject.file && !std::filesystem::exists(subject.file, unknown);
  for (std::uint32_t number = 2; !is_page && number <= loaded.pages.size(); ++number) {
    answered.push_back({{page_name(subject.name, number), page_name(subject.file, number)},
                        look_up_page(page_of_loaded(loaded, number))});
  }
  return answered;
}

LookUpResult look_up(const Searcher& searcher, const StoredImage& image,
                     const Rejections& rejections) {
  QueryResult result = searcher.search(image.id);
  mark_rejected(result.matches, image.content, rejections);
  return result;
}

// Prints answers, and collects the report.
class Answers {
 public:
  Answers(const Arguments& arguments, const IndexReader& index, const RunConfig& config)
      : arguments_(arguments), index_(index) {
    report_ = {.title = "What lookalike found", .facts = {}, .entries = {}};
    for (const std::filesystem::path& database : searched_databases(config)) {
      report_.facts.emplace_back("index", database.native());
    }
    if (arguments.format.is_table()) table_.emplace(arguments.format, kColumns, kPathColumns);
  }

  void answer(const Subject& subject, const LookUpResult& result) {
    ++count_;
    if (const auto* skipped = std::get_if<SkippedFile>(&result)) {
      add_failure(subject, *skipped);
    } else {
      add(subject, std::get<QueryResult>(result));
    }
  }

  int exit_code() const {
    if (failures_ > 0) {
      return failures_ == count_ ? lookalike::exit_code(ErrorKind::kInput) : kExitSkippedItems;
    }
    return arguments_.fail_if_none && !found_any_ ? kExitNothingFound : kExitDone;
  }

  // Tables and paths have no place for this remark.
  void warn_of_gone_files() const {
    if (gone_ > 0 && table_) {
      spdlog::warn("{} of the matches' files are gone; run `lookalike index`", gone_);
    }
  }

  void write_report(const IndexCounts& counts, const std::string& device,
                    const ImagesOptions& limits, OutputFile& file) {
    report_.facts.emplace_back("images", fmt::format("{}", counts.images));
    report_.facts.emplace_back("device", device);
    write_whole(file, render_report(report_, limits));
  }

 private:
  void add(const Subject& subject, const QueryResult& result) {
    if (table_) {
      print_rows(subject.name, result, *table_, arguments_.format.get() == Format::kPaths);
    } else if (arguments_.format.is_json()) {
      print_json(query_answer(subject.name, result));
    } else {
      print_text(subject.name, result);
    }
    found_any_ |= result.found > 0;
    for (const Match& match : result.matches) gone_ += match.gone.size();
    if (arguments_.report.empty()) return;
    const std::string photo =
        subject.file.empty() ? file_of_image(index_, subject.name) : subject.file;
    report_.entries.push_back(entry_of(subject, photo, result));
  }

  void add_failure(const Subject& subject, const SkippedFile& why) {
    ++failures_;
    spdlog::error("{}", unusable_text(subject.name, why));
    const Json answer = failed_answer("query", subject.name, why);
    if (table_) {
      table_->add({{"query", answer["query"]}, {"error", answer["error"]["message"]}});
    } else if (arguments_.format.is_json()) {
      print_json(answer);
    }
    report_.entries.push_back({.photo = subject.name, .problem = why.detail});
  }

  const Arguments& arguments_;
  const IndexReader& index_;
  std::optional<Table> table_;
  Report report_;
  std::size_t count_ = 0;
  std::size_t failures_ = 0;
  std::size_t gone_ = 0;
  bool found_any_ = false;
};

// On a terminal the answers themselves show the progress.
Progress::Style progress_style(Progress::Style style) {
  return terminal_columns(stdout) > 0 ? Progress::Style::kQuiet : style;
}

int query(const Arguments& arguments) {
  RunConfig config = arguments.config.load();
  if (arguments.all) config.match.min_decision = "all";
  const Progress::Style style = progress_style(arguments.verbosity.apply());
  const bool has_photos = !arguments.photos.empty() || !arguments.list.empty();
  if (!has_photos && arguments.indexed.empty()) {
    throw Error(ErrorKind::kUsage, "query: nothing to look up: name photos, or --id");
  }
  if (!has_photos && !arguments.region.empty()) {
    throw Error(ErrorKind::kUsage, "query: --region applies to photos, and none is named");
  }
  std::optional<Region> region;
  if (!arguments.region.empty()) region = parse_region(arguments.region);
  const IndexReader index = arguments.config.open_searched(config);
  OutputGuard guard = arguments.outputs.guard(arguments.config, config, &index);
  const Subjects subjects(arguments, config.images);
  const std::vector<Subject>& all = subjects.all();
  guard.add_inputs(subjects.files());
  if (arguments.list != "-") guard.add_input(arguments.list);
  std::optional<OutputFile> report = guard.open_if_named("--report", arguments.report, page_kind());
  const Rejections rejections = searched_rejections(config);
  const KernelBuildProcess kernels(config.device, extract_options_of(index), config.match);
  Searcher searcher(index, config, nullptr, load_of(all.size()));
  Answers answers(arguments, index, config);
  StopSignal stop;  // so that the bar ends its line
  Progress progress("query", "photos", all.size(), style,
                    style == Progress::Style::kBar ? kBarDelay : kLineDelay);
  // Photos are looked up side by side, a few ahead of the one that is printed next.
  using Pages = std::vector<Answered>;
  OrderedParallel<Pages> results(
      all.size(), core_count(), 2 * core_count(), [&](std::size_t i) -> Pages {
        const Subject& subject = all[i];
        if (!subject.problem.empty()) {
          return {{subject, SkippedFile{{.path = subject.name}, "unusable", subject.problem}}};
        }
        if (!subject.file.empty()) {
          return look_up_pages(searcher, subject, config.images, region, rejections);
        }
        return {{subject, result_of(subject.name, [&]() -> LookUpResult {
                   if (const auto id = find_image(index, subject.name)) {
                     return look_up(searcher, index.image(*id).value(), rejections);
                   }
                   return SkippedFile{{.path = subject.name}, "not_indexed", "is not in the index"};
                 })}};
      });
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Pages pages = *results.next();
    if (stop.received() != 0) return kExitSignalled + stop.received();
    for (const auto& [subject, result] : pages) {
      if (std::holds_alternative<SkippedFile>(result)) progress.clear();
      answers.answer(subject, result);
    }
    progress.update(i + 1);
  }
  answers.warn_of_gone_files();
  if (report) {
    answers.write_report(index.counts(), searcher.device().name, config.images, *report);
  }
  return answers.exit_code();
}

}  // namespace

void add_query_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "query", "Find the indexed images that photos show, and where",
      "Output: what was found for each photo, in colour on a terminal; by --format:\n"
      "  tsv, csv: a row per file of a match: query, rank, decision, probability, inliers, "
      "correlation, mirrored, path, error, gone\n"
      "  paths: the files of the matches that exist, also those that are only similar unless "
      "--min-probability leaves them out\n"
      "  json: one object per photo, one per line:\n"
      "  {\"schema\": 1, \"query\": path, \"found\": n, \"total\": n, \"matches\": [{\"id\", "
      "\"path\", \"page\", \"paths\", \"gone\", \"score\", \"probability\", \"decision\", "
      "\"mirrored\", \"rejected\", \"inliers\", "
      "\"correlation\", \"evidence\", \"moved_px\", \"quad\"}, ...]}\n"
      "  {\"schema\": 1, \"query\": path, \"error\": {\"kind\", \"reason\", \"message\"}} for a "
      "photo that could not be looked up\n"
      "  found: number of sure matches: duplicate, same_object or part\n"
      "  total: number of matches, of which --top are listed\n"
      "  paths: all files of the image; gone: those that no longer exist\n"
      "  score: what matches are ranked by, for comparison within one answer alone\n"
      "  decision: \"duplicate\", \"same_object\", \"part\" where only a part is shared, "
      "\"similar\" without confirmation; with --all, also \"none\"\n"
      "  quad: corners of the indexed image in px of the photo, from its top-left, clockwise "
      "(anticlockwise where mirrored); null without a pose\n"
      "  rejected: whether lookalike reject rejected the pair, by the bytes of both files\n"
      "  moved_px: the largest shift of a corner by refinement; null where the pixels were not "
      "compared\n"
      "Example: lookalike query -d photos.db --report found.html holiday.jpg\n"
      "         lookalike query -d photos.db --region 120,40,300,200 holiday.jpg\n"
      "         lookalike query -d photos.db --id ~/photos/cat.jpg\n"
      "         lookalike query -d photos.db --format paths scans/ | xargs ls -l",
      query);
}

}  // namespace lookalike
