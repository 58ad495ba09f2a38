#include "pipeline/index/index_run.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <filesystem>
#include <set>
#include <string_view>
#include <sys/resource.h>
#include <system_error>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/files.h"
#include "base/page_name.h"
#include "base/path_set.h"
#include "base/program.h"
#include "base/text.h"
#include "config/scan_rules.h"
#include "pipeline/calibrate/calibrate_index.h"
#include "pipeline/graph/build_graph.h"
#include "pipeline/index/run_codebook.h"
#include "pipeline/index/run_phases.h"
#include "pipeline/stored_calibration.h"
#include "storage/index_reader.h"

namespace lookalike {
namespace {

constexpr std::chrono::seconds kShortScan{1};  // shows no progress

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * 1024
                                               : 0;
}

// Returns the folders to scan; empty for all roots of the index.
std::vector<std::string> named_folders(const RunContext& run) {
  std::vector<std::string> folders = run.config.images.folders;
  const std::vector<std::string>& confirmed = run.options.confirmed_roots;
  if (!folders.empty()) folders.insert(folders.end(), confirmed.begin(), confirmed.end());
  return folders;
}

void check_folders(const std::vector<IndexRoot>& known, const RunContext& run) {
  if (known.empty() && run.config.images.folders.empty() && run.options.lone_files.empty()) {
    throw Error(ErrorKind::kUsage,
                "no folders are named, and the index has none: give --images DIR, or [images] "
                "folders in --config");
  }
  for (const std::string& name : run.options.confirmed_roots) {
    if (std::ranges::find(known, normal_path(name), &IndexRoot::path) != known.end()) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: is not a folder of this index; `lookalike folders` lists them",
                            printable(name)));
  }
}

void add_lone_file(const std::string& file, ScanResult& found) {
  if (page_of(file).file == file) return add_file(file, found);
  SkippedFile& skipped = found.skipped.emplace_back();
  skipped.file.path = file;
  skipped.reason = "page_name";
  skipped.detail = "a name that ends in [NUMBER] stands for a page of a file";
}

// Drops files of roots that could not be scanned completely, and adds the lone files.
ScanResult usable(ScanResult found, const RunRoots& roots, const IndexRunOptions& options) {
  std::erase_if(found.files, [&](const SourceFile& file) { return !roots.is_scanned(file.path); });
  std::erase_if(found.skipped,
                [&](const SkippedFile& skip) { return !roots.is_scanned(skip.file.path); });
  for (const std::string& file : options.lone_files) add_lone_file(file, found);
  std::ranges::sort(found.files, {}, &SourceFile::path);
  return found;
}

bool holds_nothing(const IndexReader& index) {
  try {
    return index.settings().empty();
  } catch (const Error&) {
    return false;
  }
}

// Takes the index's own files, which lie in a scanned folder, out of the other files.
void forget_own_files(const std::string& database, const RunRoots& roots, Omissions& left_out) {
  for (const char* const ending : {"", "-wal", "-shm", ".lock", ".pairs", ".rejected"}) {
    const std::string file = database + ending;
    std::error_code error;
    const RunRoot* const root = roots.root_of(file);
    if (root == nullptr || !root->is_scanned || !std::filesystem::exists(file, error)) continue;
    const std::string type = std::filesystem::path(file).extension();
    const auto counted =
        left_out.other_types.find(type.substr(std::min<std::size_t>(1, type.size())));
    if (counted != left_out.other_types.end() && --counted->second == 0) {
      left_out.other_types.erase(counted);
    }
  }
}

void put_new_roots(IndexWriter& writer, const RunRoots& roots) {
  std::vector<IndexRoot> added;
  for (const auto& [path, root] : roots.all()) {
    if (root.is_new) added.push_back({.path = path, .devices = root.devices});
  }
  if (!added.empty()) writer.put_roots(added);
}

std::vector<RootReport> reports_of(const RunRoots& roots) {
  std::vector<RootReport> reports;
  for (const auto& [path, root] : roots.all()) {
    const char* const state = !root.problem.empty() ? kUnreachable
                              : root.is_scanned     ? "scanned"
                                                    : "not_scanned";
    reports.push_back({.path = path, .state = state, .problem = root.problem});
  }
  return reports;
}

void count_files(const std::vector<SourceFile>& indexed, const RunRoots& roots, RunContext& run) {
  run.report.files_without_root = 0;
  for (RootReport& root : run.report.roots) root.files = 0;
  for (const SourceFile& file : indexed) {
    const RunRoot* const root = roots.root_of(file.path);
    ++(root ? run.report_of(root->known.path).files : run.report.files_without_root);
  }
}

// Plans the update of the files in this run's scope: those of scanned roots, and the lone files.
UpdatePlan plan_run(const RunContext& run, const RunRoots& roots, const ScanResult& found,
                    std::vector<SourceFile> indexed, std::vector<SkippedFile> quarantine) {
  const PathSet lone_files(run.options.lone_files);
  const auto is_out_of_scope = [&](const std::string& file) {
    const RunRoot* const root = roots.root_of(file);
    return root != nullptr ? !root->is_scanned : !lone_files.contains(page_of(file).file);
  };
  std::erase_if(indexed, [&](const SourceFile& file) { return is_out_of_scope(file.path); });
  std::erase_if(quarantine,
                [&](const SkippedFile& skip) { return is_out_of_scope(skip.file.path); });
  return plan_update(found, indexed, quarantine, run.config.images.trust_times);
}

// Puts the files that this run could not use in quarantine, except indexed ones, of which
// remove_gone_files() decides.
//   known  the quarantine before the run
void set_aside(RunContext& run, const UpdatePlan& plan, const std::vector<SkippedFile>& by_scan,
               const std::vector<SkippedFile>& known) {
  std::vector<SkippedFile>& skipped = run.report.skipped;
  skipped.insert(skipped.end(), by_scan.begin(), by_scan.end());
  std::vector<SkippedFile> aside;
  std::ranges::copy_if(skipped, std::back_inserter(aside),
                       [&](const SkippedFile& file) { return !run.writer.find(file.file.path); });
  if (!aside.empty()) run.writer.put_in_quarantine(aside);
  skipped.insert(skipped.end(), plan.still_skipped.begin(), plan.still_skipped.end());
  std::ranges::sort(skipped, {}, [](const SkippedFile& file) { return file.file.path; });
  run.report.newly_skipped = newly_skipped(skipped, known);
}

// Reports the indexed files that could not be read or decoded, and the folders with indexed files
// that could not be read to their end.
void report_lost(const std::vector<SourceFile>& indexed, IndexRunReport& report) {
  if (report.skipped.empty()) return;
  const OutOfSight out_of_sight(report.skipped);
  std::unordered_set<std::string_view> unusable;
  for (const SkippedFile& skip : report.skipped) unusable.insert(skip.file.path);
  std::set<std::string> folders;
  for (const SourceFile& file : indexed) {
    const SkippedFile* const covering = out_of_sight.covering(file.path);
    if (unusable.contains(file.path)) {
      ++report.lost;
    } else if (covering != nullptr) {
      folders.insert(fmt::format("{}: {}", printable(covering->file.path), covering->detail));
    }
  }
  report.unread_folders.assign(folders.begin(), folders.end());
}

// Gives unchanged files the state that they have now, so that later runs find it.
void restate(RunContext& run, const std::vector<SourceFile>& files) {
  if (files.empty()) return;
  std::vector<MovedFile> moved;
  moved.reserve(files.size());
  for (const SourceFile& file : files) moved.push_back({.from = file.path, .to = file});
  run.writer.move_files(moved);
}

void calibrate_if_due(RunContext& run) {
  if (!is_calibration_due(run.writer)) return;
  return_freed_memory();
  run.times.timed("calibrate", [&] {
    run.device.stages().run([&](OpenClSession& session) {
      const IndexReader index{std::filesystem::path(run.config.store.database)};
      calibrate_index(
          run.writer, index, run.config, session, run.style, [&] { run.throw_if_stopped(); },
          run.next_step("calibrate"));
    });
  });
}

void complete_graph_if_due(RunContext& run) {
  if (!run.config.graph.enabled || run.writer.images_to_compare().empty()) return;
  return_freed_memory();
  run.times.timed("neighbours", [&] {
    run.device.stages().run([&](OpenClSession& session) {
      complete_graph(
          run.writer, run.config, session, run.style, [&] { run.throw_if_stopped(); },
          run.next_step("neighbours"));
    });
  });
}

std::size_t expected_steps(const RunContext& run, const UpdatePlan& plan, bool has_codebook) {
  constexpr std::size_t kOfTraining = 2;
  const bool has_new = !plan.to_index.empty();
  const bool calibrates = is_calibration_due(run.writer, plan.to_index.size());
  const bool compares =
      run.config.graph.enabled && (has_new || !run.writer.images_to_compare().empty());
  return (has_codebook || !has_new ? 0 : kOfTraining) + (has_new ? 1 : 0) + (calibrates ? 1 : 0) +
         (compares ? 1 : 0);
}

// Chooses the codebook of a run, whose settings it adopts.
std::optional<Codebook> adopt_codebook(RunContext& run) {
  RunCodebook chosen = choose_codebook(run.writer, run.config, run.options.keep_settings);
  if (!chosen.warning.empty()) {
    run.report.warnings.push_back(chosen.warning);
    logger()->warn("{}", chosen.warning);
  }
  run.config.extract = chosen.extract;
  return std::move(chosen.codebook);
}

// Scans, plans, indexes images, removes files that are gone, calibrates, and compares new images.
void update(RunContext& run) {
  const std::vector<IndexRoot> known = run.writer.roots();
  check_folders(known, run);
  const std::vector<std::string> folders = roots_to_scan(known, named_folders(run));
  ScanResult scanned = run.times.timed("scan", [&] {
    Progress progress("scan", "files", 0, run.style, kShortScan);
    std::size_t files = 0;
    return scan_folders(folders, scan_rules(run.config.images), run.report.left_out, [&] {
      run.throw_if_stopped();
      progress.update(++files);
    });
  });
  const RunRoots roots(known, scanned.folders);
  forget_own_files(run.config.store.database, roots, run.report.left_out);
  const ScanResult found = usable(std::move(scanned), roots, run.options);
  const std::vector<SourceFile> indexed = run.writer.files();
  // In a first run the names of the folders are probably wrong.
  if (found.files.empty() && found.skipped.empty() && holds_nothing(run.writer)) {
    throw no_images(folders, run.report.left_out);
  }
  run.has_begun = true;
  put_new_roots(run.writer, roots);
  run.report.roots = reports_of(roots);
  count_files(indexed, roots, run);

  std::optional<Codebook> codebook = adopt_codebook(run);
  const std::vector<SkippedFile> quarantine = run.writer.quarantine();
  const UpdatePlan plan = plan_run(run, roots, found, indexed, quarantine);
  restate(run, plan.restated);
  run.report.unchanged = plan.unchanged;
  run.steps = expected_steps(run, plan, codebook.has_value());
  run.until_stopped([&] { index_images(run, plan.to_index, std::move(codebook)); });
  run.report.read_again = reasons_to_read(run.as_before, indexed, found.files);
  set_aside(run, plan, found.skipped, quarantine);
  report_lost(indexed, run.report);
  if (!run.report.stopped) remove_gone_files(run, roots, plan, found);
  if (run.report.indexed + run.report.removed + run.report.moved > 0) {
    count_files(run.writer.files(), roots, run);
  }
  if (!run.report.stopped) calibrate_if_due(run);
  if (!run.report.stopped) complete_graph_if_due(run);
}

// Throws Error(kUsage) for a name that add_images() refuses.
void check_name(const std::string& name) {
  const auto refuse = [&](const char* why) {
    throw Error(ErrorKind::kUsage, fmt::format("name \"{}\": {}", printable(name), why));
  };
  if (name.empty()) refuse("is empty");
  if (is_path(name)) refuse("begins with a slash, as paths of files do");
  if (page_of(name).file != name) refuse("ends in [NUMBER], as names of pages do");
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  if (std::ranges::any_of(name, is_control)) refuse("has a control character");
}

// Indexes the images of names, calibrates, and compares new images.
void add(RunContext& run, std::vector<std::string> names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  UpdatePlan plan;
  for (std::string& name : names) plan.to_index.push_back({.path = std::move(name)});
  std::optional<Codebook> codebook = adopt_codebook(run);
  run.steps = expected_steps(run, plan, codebook.has_value());
  run.until_stopped([&] { index_images(run, plan.to_index, std::move(codebook)); });
  if (!run.report.stopped) calibrate_if_due(run);
  if (!run.report.stopped) complete_graph_if_due(run);
}

// Returns the report so far with the times, the device and the memory of the run.
IndexRunReport finished(const RunContext& run) {
  IndexRunReport report = run.report;
  if (const DeviceStages* const stages = run.device.stages_if_open()) {
    report.device = stages->device();
    std::ranges::copy(stages->warnings(), std::back_inserter(report.warnings));
  }
  report.busy_seconds = run.times.seconds();
  report.spans = run.times.spans();
  report.elapsed_seconds = run.recorder.elapsed_seconds();
  report.peak_memory_bytes = peak_memory_bytes();
  return report;
}

// Records the failure, unless the folders were at fault before anything began, and removes a new
// index that is empty. Does not open the index again: the file under its name may be why the run
// failed.
void record_failure(RunContext& run, const std::exception& failure, bool is_new) {
  const auto* const error = dynamic_cast<const Error*>(&failure);
  const bool is_asked_wrongly = error != nullptr && (error->kind() == ErrorKind::kUsage ||
                                                     error->kind() == ErrorKind::kInput);
  if (is_asked_wrongly && !run.has_begun) {
    run.recorder.discard();
  } else {
    const IndexRunReport report = finished(run);
    run.recorder.fail(failure.what(), &report);
  }
  if (is_new && holds_nothing(run.writer)) run.writer.discard();
}

// Opens the index, does the work of a run, and records the run.
IndexRunReport run_over(const RunConfig& config, Progress::Style style, const StopRequest& stop,
                        const IndexRunOptions& options,
                        const std::function<void(RunContext&)>& work) {
  if (config.store.database.empty()) {
    throw Error(ErrorKind::kUsage, "store.database: name the index, with --database");
  }
  const bool is_new = !std::filesystem::exists(config.store.database);
  RunContext run(config, style, stop, options);  // creates a new index
  remove_left_behind(config.store.database);
  try {
    run.report.before = run.writer.counts();
    if (auto warning = raise_niceness(config.run)) run.report.warnings.push_back(*warning);
    run.until_stopped([&] { work(run); });
    IndexRunReport report = finished(run);
    report.after = run.writer.counts();
    run.recorder.end(report);
    return report;
  } catch (const std::exception& error) {
    record_failure(run, error, is_new);
    throw;
  }
}

}  // namespace

std::optional<std::string> raise_niceness(const RunOptions& options) {
  if (options.niceness == 0) return std::nullopt;
  const int now = ::getpriority(PRIO_PROCESS, 0);
  const int wanted = static_cast<int>(options.niceness);
  const bool lower = wanted < now;  // root may
  if (!lower && ::setpriority(PRIO_PROCESS, 0, wanted) == 0) return std::nullopt;
  const std::string cause = lower ? "it is never lowered" : std::generic_category().message(errno);
  std::string warning = fmt::format("run.niceness: stays {} instead of {}: {}", now, wanted, cause);
  logger()->warn(warning);
  return warning;
}

IndexRunReport run_index(const RunConfig& config, Progress::Style style, const StopRequest& stop,
                         const IndexRunOptions& options) {
  return run_over(config, style, stop, options, update);
}

IndexRunReport add_images(const RunConfig& config, std::vector<std::string> names,
                          const ImageLoader& load, Progress::Style style, const StopRequest& stop) {
  std::ranges::for_each(names, check_name);
  if (names.empty()) return {};
  const IndexRunOptions options{.command = nullptr, .load = load};
  return run_over(config, style, stop, options,
                  [&](RunContext& run) { add(run, std::move(names)); });
}

}  // namespace lookalike
