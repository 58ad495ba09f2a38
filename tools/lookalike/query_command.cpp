#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <poll.h>
#include <set>
#include <span>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <variant>

#include <fmt/color.h>
#include <fmt/ranges.h>

#include "base/geometry.h"
#include "base/page_name.h"
#include "base/parallel.h"
#include "base/program.h"
#include "base/progress.h"
#include "base/scan.h"
#include "base/terminal.h"
#include "config/scan_rules.h"
#include "pipeline/answers.h"
#include "pipeline/device/kernel_build_process.h"
#include "pipeline/duplicates/rejections.h"
#include "pipeline/searcher.h"
#include "stages/decode/decode.h"
#include "stages/decode/pixels.h"
#include "stages/match/decide/places.h"
#include "stages/match/match.h"
#include "tools/command_line/standard_input.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/cut_places.h"
#include "tools/report/report.h"

namespace lookalike {
namespace {

constexpr std::chrono::seconds kBarDelay{1};
constexpr std::chrono::seconds kLineDelay{10};

struct QueryArguments : OutputtingArguments {
  explicit QueryArguments(CLI::App& command)
      : OutputtingArguments(command),
        format(command, {.json = "one JSON object per photo, one per line",
                         .columns = {"query", "rank", "place", "decision", "probability", "inliers",
                                     "correlation", "mirrored", "path", "error", "gone"},
                         .paths = {"query", "path"},
                         .reads_names = true}) {
    add_value(command, "IMAGE", photos,
              "Photos; folders, with the same files as indexed folders; or - for one photo "
              "on standard input. All pages of a TIFF file, or one: scan.tif[2]");
    config.add_databases();
    config.add("match.top");
    auto* mirror = config.add("match.mirror");
    config.add("match.min_probability");
    command.add_flag("--all", all, "Also list images that do not look alike, as \"none\"");
    command.add_flag("--unfold", unfold, "Print every match of a place as text, not only the best");
    add_value(command, "--region X,Y,WIDTH,HEIGHT", region,
              "Look up only this part of each photo, in px");
    add_each(command, "--id PATH|NUMBER", indexed,
             "Look up an image of the index, without extracting its features again")
        ->excludes(mirror);
    add_value(command, "--report FILE.html", report,
              "Write an HTML page that shows what was found");
    add_value(command, "--cut FOLDER", cut,
              "Write what each place shows, rectified, as PHOTO-place-N.png into this folder");
    config.add_each("images.exclude")
        ->description("Leave these out of the folders to look up; patterns as in .gitignore");
    config.add("images.hidden")->description("Also look up hidden files of folders");
    command.add_flag("--fail-if-none", fail_if_none,
                     "Exit with 6 when every photo was looked up and nothing sure was found: no "
                     "duplicate, variant, same_object or part");
    add_value(command, "--files-from FILE", list,
              "Also look up the photos and folders that this file names, one a line, or with "
              "-0 ended by NUL; - for standard input");
    config.add("device.choice");
  }
  bool names_photos() const { return !photos.empty() || !list.empty(); }
  // True if names are answered as they arrive. A page needs all of them before the first answer, so
  // that it replaces none of the photos.
  bool reads_as_they_arrive() const { return list == "-" && report.empty(); }

  FormatArgument format;
  bool all = false;
  bool unfold = false;
  bool fail_if_none = false;
  std::string report;
  std::string cut;
  std::string list;                  // a file of names
  std::string region;                // empty: the whole photo
  std::vector<std::string> indexed;  // paths or numbers
  std::vector<std::string> photos;
};

// The matches of one place, best first.
using Place = std::vector<const Match*>;

std::vector<Place> places_of(const QueryResult& result) {
  std::map<std::size_t, Place> places;
  for (const Match& match : result.matches) places[match.place].push_back(&match);
  std::vector<Place> in_order;
  for (auto& [number, place] : places) in_order.push_back(std::move(place));
  return in_order;
}

// Returns the images that lead to a related one: "a.jpg, b.jpg".
std::string via_text(const Match& match) {
  std::vector<std::string> names;
  for (const StoredImage& image : match.via) names.push_back(printable(image.paths.front()));
  return fmt::format("{}", fmt::join(names, ", "));
}

bool has_probability(const Match& match) {
  return match.has_pose() && !is_guess(match);
}

bool is_gone(const Match& match, const std::string& path) {
  return std::ranges::find(match.gone, path) != match.gone.end();
}

// Returns the path, with a remark if the file no longer exists.
std::string path_text(const Match& match, const std::string& path) {
  return printable(path) + (is_gone(match, path) ? "  (file is gone; run `lookalike index`)" : "");
}

fmt::text_style style_of(Decision decision) {
  switch (decision) {
    case Decision::kDuplicate:
      return fmt::emphasis::bold | fg(fmt::terminal_color::green);
    case Decision::kVariant:
    case Decision::kSameObject:
      return fg(fmt::terminal_color::green);
    case Decision::kPart:
      return fg(fmt::terminal_color::cyan);
    case Decision::kSimilar:
      return fg(fmt::terminal_color::yellow);
    case Decision::kRelated:
    case Decision::kNone:
      break;
  }
  return fmt::emphasis::faint;
}

// Returns the facts of a row of text, the same for each match.
Facts columns_of(const Match& match) {
  const bool located = has_probability(match);
  const auto& correlation = match.evidence.correlation;
  return {{"probability", located ? fmt::format("{:.3f}", match.probability) : "-"},
          {"inliers", located ? fmt::format("{}", match.evidence.inliers) : "-"},
          {"correlation", correlation ? fmt::format("{:.3f}", *correlation) : "-"}};
}

void print_match(const Match& match) {
  const std::string& path = path_of(match);
  print_row(match.place, std::string(to_string(match.decision)), style_of(match.decision),
            columns_of(match),
            path_text(match, path) +
                (match.via.empty() ? "" : fmt::format("  (through {})", via_text(match))) +
                (match.pose.mirrored ? "  (mirrored)" : "") +
                (match.rejected ? "  (rejected)" : ""));
  for (const std::string& copy : match.image.paths) {
    if (copy != path) fmt::print("      also  {}\n", path_text(match, copy));
  }
}

// headline: of the answer.
void print_query(const std::string& photo, const std::string& headline, const QueryResult& result,
                 bool unfold) {
  fmt::print("{}: {}\n", styled(printable(photo), fmt::emphasis::bold), headline);
  if (may_be_mirrored(result)) {
    fmt::print("      {}\n", styled("perhaps mirrored: try --mirror", fmt::emphasis::faint));
  }
  for (const Place& place : places_of(result)) {
    print_match(*place.front());
    const std::span others(std::next(place.begin()), place.end());
    if (unfold) {
      for (const Match* match : others) print_match(*match);
    } else if (!others.empty()) {
      const std::string more =
          fmt::format("{} more here: {}", others.size(), decision_counts(others));
      fmt::print("      {}\n", styled(more, fmt::emphasis::faint));
    }
  }
}

// Returns a row per file of each match, path_of() first.
// paths_alone: leave out files that no longer exist.
Json query_rows(const std::string& photo, const QueryResult& result, bool paths_alone) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < result.matches.size(); ++i) {
    const Match& match = result.matches[i];
    const auto& correlation = match.evidence.correlation;
    std::vector<std::string> paths = match.image.paths;
    std::stable_partition(paths.begin(), paths.end(),
                          [&](const std::string& path) { return path == path_of(match); });
    for (const std::string& path : paths) {
      if (paths_alone && is_gone(match, path)) continue;
      rows.push_back({{"query", text_of_path(photo)},
                      {"rank", i + 1},
                      {"place", match.place},
                      {"decision", to_string(match.decision)},
                      {"probability", match.probability},
                      {"inliers", match.evidence.inliers},
                      {"correlation", correlation ? Json(*correlation) : Json()},
                      {"mirrored", match.pose.mirrored},
                      {"path", text_of_path(path)},
                      {"gone", is_gone(match, path)}});
    }
  }
  return rows;
}

// One thing to look up.
struct Subject {
  std::string name;       // in the answer
  std::string file{};     // to read; empty for an indexed image
  std::string problem{};  // why it cannot be looked up; empty if it can

  Asked asked() const { return file.empty() ? Asked::kIndexedImage : Asked::kPhoto; }
};

// Returns the answer with the places of features that agree, and its pictures.
//   photo  the file of the subject's picture
ReportItem report_item(const Subject& subject, const std::string& photo, Json answer,
                       const QueryResult& result) {
  ReportItem item{std::move(answer), {photo_picture(subject.name, photo)}};
  std::set<std::size_t> places;
  for (std::size_t i = 0; i < result.matches.size(); ++i) {
    const Match& match = result.matches[i];
    Json& pairs = item.answer["matches"][i]["pairs"];
    for (const auto& [object, scene] : match.pose.inlier_pairs)
      pairs.push_back(pair_answer({{object, scene}, true}));
    const bool is_best = places.insert(match.place).second;
    item.pictures.push_back({fmt::format("{}", match.image.id), path_of(match),
                             is_best ? kMatchSidePx : kMatchSidePx / 2});
  }
  return item;
}

// Reads the names in a file, or on standard input for "-".
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

// Names on standard input, each ended by `end`.
class ArrivingNames {
 public:
  explicit ArrivingNames(char end) : end_(end) {}

  // Waits for at least one name, and returns those that have arrived; none at the end of the input
  // or when stopped. Throws Error(kInput) if the input cannot be read.
  std::vector<std::string> next(StopSignal& stop) {
    std::vector<std::string> names;
    while (names.empty() && !is_over_ && stop.received() == 0) {
      pollfd input{STDIN_FILENO, POLLIN, 0};
      if (::poll(&input, 1, kStopCheckMs) <= 0) continue;
      std::array<char, 1 << 14> bytes{};
      const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count < 0) {
        throw Error(ErrorKind::kInput, fmt::format("standard input: cannot be read: {}",
                                                   std::generic_category().message(errno)));
      }
      is_over_ = count == 0;
      if (is_over_ && !rest_.empty()) rest_ += end_;
      rest_.append(bytes.data(), static_cast<std::size_t>(count));
      take_names(names);
    }
    return names;
  }

 private:
  static constexpr int kStopCheckMs = 100;

  void take_names(std::vector<std::string>& names) {
    std::size_t start = 0;
    for (std::size_t at = 0; (at = rest_.find(end_, start)) != rest_.npos; start = at + 1) {
      if (at > start) names.push_back(path_of_text(rest_.substr(start, at - start)));
    }
    rest_.erase(0, start);
  }

  const char end_;
  std::string rest_;  // begins a name whose end has not arrived
  bool is_over_ = false;
};

// Lists what a command line names, in its order: indexed images, then photos, including the photos
// in folders.
class Subjects {
 public:
  Subjects(const QueryArguments& arguments, const ImagesOptions& images)
      : images_(images), input_(images) {
    for (const std::string& name : arguments.indexed) all_.push_back({.name = name});
    for (const std::string& name : arguments.photos) add(name);
    if (arguments.list.empty()) return;
    if (arguments.list == "-" && input_.is_read()) {
      throw Error(ErrorKind::kUsage, "query: standard input is either a photo or a list of names");
    }
    if (arguments.reads_as_they_arrive()) return;
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
  // Replaces all subjects by those that further names name.
  void replace(const std::vector<std::string>& names) {
    all_.clear();
    for (const std::string& name : names) add(name);
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

struct Answered {
  Subject subject;
  LookUpResult result;
};

// Calls look_up(). For input that cannot be used, returns the error without the file's name in
// front.
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

// Looks subjects up, also from several threads at the same time.
class LookUp {
 public:
  LookUp(const IndexReader& index, Searcher& searcher, const RunConfig& config,
         const std::optional<Region>& region)
      : index_(index),
        searcher_(searcher),
        limits_(config.images),
        rejections_(searched_rejections(config)),
        region_(region) {}

  // Returns one answer, or one per page of a file.
  std::vector<Answered> answers(const Subject& subject) const {
    if (!subject.problem.empty()) {
      return {{subject, SkippedFile{{.path = subject.name}, "unusable", subject.problem}}};
    }
    if (!subject.file.empty()) return of_pages(subject);
    return {{subject, result_of(subject.name, [&] { return of_indexed(subject.name); })}};
  }

 private:
  // Looks up every page of a file, or only the page that its name gives.
  std::vector<Answered> of_pages(const Subject& subject) const {
    const auto file = load_file(subject.file, limits_);
    if (const auto* skipped = std::get_if<SkippedFile>(&file)) return {{subject, *skipped}};
    const auto& loaded = std::get<LoadedFile>(file);
    const auto of_page = [&](const LoadedFile& page) {
      return result_of(page.file.path, [&] { return of_photo(page); });
    };
    std::vector<Answered> answered = {{subject, of_page(loaded)}};
    std::error_code unknown;
    const bool is_page = page_of(subject.file).file != subject.file &&
                         !std::filesystem::exists(subject.file, unknown);
    for (std::uint32_t number = 2; !is_page && number <= loaded.pages.size(); ++number) {
      answered.push_back({{page_name(subject.name, number), page_name(subject.file, number)},
                          of_page(page_of_loaded(loaded, number))});
    }
    return answered;
  }

  LookUpResult of_photo(const LoadedFile& photo) const {
    auto loaded = searcher_.load(photo, region_);
    if (auto* skipped = std::get_if<SkippedFile>(&loaded)) return std::move(*skipped);
    const Query& query = std::get<Query>(loaded);
    QueryResult result = searcher_.search(query);
    if (region_) move_matches(result.matches, translation(region_->x, region_->y));
    mark_rejected(result.matches, query.image.record.content, rejections_);
    return result;
  }

  LookUpResult of_indexed(const std::string& name) const {
    const auto id = find_image(index_, name);
    if (!id) return SkippedFile{{.path = name}, "not_indexed", "is not in the index"};
    QueryResult result = searcher_.search(*id);
    mark_rejected(result.matches, index_.image(*id).value().content, rejections_);
    return result;
  }

  const IndexReader& index_;
  Searcher& searcher_;
  const ImagesOptions& limits_;
  const Rejections rejections_;
  const std::optional<Region> region_;
};

// Prints answers and collects the report.
class Answers {
 public:
  Answers(const QueryArguments& arguments, const IndexReader& index, const RunConfig& config)
      : arguments_(arguments), index_(index), printer_(arguments.format) {
    if (!arguments.cut.empty()) {
      cutter_.emplace(arguments.cut, config.images);
    }
    for (const std::filesystem::path& database : searched_databases(config)) {
      report_.facts.emplace_back("index", database.native());
    }
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
    if (!is_cut_) return kExitSkippedItems;
    if (failures_ > 0) {
      return failures_ == count_ ? lookalike::exit_code(ErrorKind::kInput) : kExitSkippedItems;
    }
    return arguments_.fail_if_none && !found_any_ ? kExitNothingFound : kExitDone;
  }

  // For tables and paths, which have no such remark.
  void warn_of_gone_files() const {
    const bool has_remarks =
        printer_.format() == Format::kText || printer_.format() == Format::kJson;
    if (gone_ > 0 && !has_remarks) {
      spdlog::warn("{} of the matches' files are gone; run `lookalike index`", gone_);
    }
  }

  void write_report(const IndexCounts& counts, const std::string& device,
                    const ImagesOptions& limits, OutputFile& file) {
    report_.facts.emplace_back("images", fmt::format("{}", counts.images));
    report_.facts.emplace_back("device", device);
    lookalike::write_report(file, report_, limits);
  }

 private:
  void add(const Subject& subject, const QueryResult& result) {
    const std::string words = headline(result, subject.asked());
    Json answer = query_answer(subject.name, result, subject.asked());
    printer_.print(answer, query_rows(subject.name, result, printer_.format() == Format::kPaths),
                   [&] { print_query(subject.name, words, result, arguments_.unfold); });
    found_any_ |= result.found > 0;
    for (const Match& match : result.matches) gone_ += match.gone.size();
    if (arguments_.report.empty() && !cutter_) return;
    const std::string photo =
        subject.file.empty() ? file_of_image(index_, subject.name) : subject.file;
    if (cutter_ && !cutter_->write(photo, result)) is_cut_ = false;
    if (arguments_.report.empty()) return;
    report_.items.push_back(report_item(subject, photo, std::move(answer), result));
  }

  void add_failure(const Subject& subject, const SkippedFile& why) {
    ++failures_;
    spdlog::error("{}", unusable_text(subject.name, why));
    const Json answer = failed_answer("query", subject.name, why);
    printer_.print(answer, {{"query", answer["query"]}, {"error", answer["error"]["message"]}},
                   [] {});
    report_.items.push_back({answer, {}});
  }

  const QueryArguments& arguments_;
  const IndexReader& index_;
  const Printer printer_;
  Report report_{.title = "What lookalike found", .facts = {}, .items = {}};
  std::size_t count_ = 0;
  std::size_t failures_ = 0;
  std::size_t gone_ = 0;
  bool found_any_ = false;
  std::optional<PlaceCutter> cutter_;
  bool is_cut_ = true;  // each place of each photo is written
};

// Returns the style of progress beside the answers: on a terminal these show it themselves.
Progress::Style progress_style(Progress::Style style) {
  return terminal_columns(stdout) > 0 ? Progress::Style::kQuiet : style;
}

// Returns the region to look up. Throws Error(kUsage) if it is invalid, if nothing is to be looked
// up, and for options that have no effect.
std::optional<Region> checked_region(const QueryArguments& arguments) {
  if (!arguments.names_photos() && arguments.indexed.empty()) {
    throw Error(ErrorKind::kUsage, "query: nothing to look up: name photos, or --id");
  }
  if (arguments.format.path_end() == '\0' && arguments.list.empty() &&
      arguments.format.get() != Format::kPaths) {
    throw Error(ErrorKind::kUsage, "query: -0 applies to --format paths and --files-from");
  }
  if (!arguments.names_photos() && !arguments.region.empty()) {
    throw Error(ErrorKind::kUsage, "query: --region applies to photos, and none is named");
  }
  return arguments.region.empty() ? std::nullopt : std::optional(parse_region(arguments.region));
}

// Looks the subjects up side by side, a few ahead of the next one to be printed, and prints them in
// order. Returns false when stopped.
bool answer_all(const std::vector<Subject>& subjects, const LookUp& look_up, Answers& answers,
                StopSignal& stop, Progress::Style style) {
  Progress progress("query", "photos", subjects.size(), style,
                    style == Progress::Style::kBar ? kBarDelay : kLineDelay);
  OrderedParallel<std::vector<Answered>> results(
      subjects.size(), core_count(), 2 * core_count(),
      [&](std::size_t i) { return look_up.answers(subjects[i]); });
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const std::vector<Answered> pages = *results.next();
    if (stop.received() != 0) return false;
    for (const auto& [subject, result] : pages) {
      if (std::holds_alternative<SkippedFile>(result)) progress.clear();
      answers.answer(subject, result);
    }
    progress.update(i + 1);
  }
  return true;
}

// Answers names on standard input as they arrive. Returns false when stopped.
bool answer_arriving(const QueryArguments& arguments, Subjects& subjects, const LookUp& look_up,
                     Answers& answers, StopSignal& stop) {
  flush_output();
  ArrivingNames names(arguments.format.path_end());
  for (;;) {
    subjects.replace(names.next(stop));
    if (stop.received() != 0) return false;
    if (subjects.all().empty()) return true;
    if (!answer_all(subjects.all(), look_up, answers, stop, Progress::Style::kQuiet)) return false;
    flush_output();
  }
}

int query(const QueryArguments& arguments, RunConfig config, Progress::Style style) {
  const std::optional<Region> region = checked_region(arguments);
  if (arguments.all) config.match.min_decision = "all";
  const IndexReader index = arguments.config.open_searched(config);
  OutputGuard guard = arguments.outputs.guard(arguments.config, config, &index);
  Subjects subjects(arguments, config.images);
  guard.add_inputs(subjects.files());
  if (arguments.list != "-") guard.add_input(arguments.list);
  std::optional<OutputFile> report = guard.open_if_named("--report", arguments.report, page_kind());
  const KernelBuildProcess kernels(config.device, extract_options_of(index), config.match);
  Searcher searcher(index, config, nullptr, load_of(subjects.all().size()));
  const LookUp look_up(index, searcher, config, region);
  Answers answers(arguments, index, config);
  StopSignal stop;  // so that the bar ends its line
  if (!answer_all(subjects.all(), look_up, answers, stop, progress_style(style)) ||
      (arguments.reads_as_they_arrive() &&
       !answer_arriving(arguments, subjects, look_up, answers, stop))) {
    return kExitSignalled + stop.received();
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
      "Output: what was found for each photo, by places of the photo, in colour on a terminal. "
      "Text shows the best match of each place. A table has a row per file of every match; paths "
      "are the existing files of the matches, including those that are only similar or related "
      "unless --min-probability leaves them out.\n"
      "Decisions: duplicate; variant, the same picture with a visible difference; same_object; "
      "part, where only a part or the print is shared; similar, without confirmation; related, "
      "which shows what a sure match shows; with --all, also none.\n"
      "Example: lookalike query -d photos.db --report found.html holiday.jpg\n"
      "         lookalike query -d photos.db --region 120,40,300,200 holiday.jpg\n"
      "         lookalike query -d photos.db --id ~/photos/cat.jpg\n"
      "         lookalike query -d photos.db --format paths scans/ | xargs ls -l",
      query);
}

}  // namespace lookalike
