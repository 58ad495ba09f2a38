#include "pipeline/index/index_run.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <sys/resource.h>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/path_set.h"
#include "base/scan.h"
#include "base/text.h"
#include "pipeline/calibrate/calibrate_index.h"
#include "pipeline/image_batches.h"
#include "pipeline/index/device_stages.h"
#include "pipeline/index/index_sink.h"
#include "pipeline/index/niceness.h"
#include "pipeline/index/removals.h"
#include "pipeline/index/run_document.h"
#include "pipeline/index/run_recorder.h"
#include "pipeline/index/spool.h"
#include "pipeline/index/update_plan.h"
#include "stages/store/settings.h"
#include "storage/index_reader.h"
#include "storage/index_types.h"
#include "storage/index_writer.h"

namespace lookalike {
namespace {

// A root of the index in one run.
struct RunRoot {
  IndexRoot known{};    // as the index has it; of a new root the path alone
  bool is_new = false;  // the index has not got it yet
  bool is_named = false;
  bool is_scanned = false;              // what the index has of it can be compared with the disk
  std::string problem{};                // why it could not be scanned
  std::vector<FolderDevice> devices{};  // as the scan found them
};

// The folders of an index in one run: which are scanned, and which one holds a file.
class RunRoots {
 public:
  // known: as the index has them. named: the folders that this run scans, new ones among them;
  // without any it scans all that are known. A known root below a scanned one is scanned as well.
  RunRoots(const std::vector<IndexRoot>& known, std::span<const std::string> named);

  std::vector<std::string> to_scan() const;
  // Takes over what a scan of to_scan() found. Throws Error(kInput) for a new root with a problem.
  void set_scanned(std::span<const ScannedFolder> folders);

  const std::map<std::string, RunRoot>& all() const { return roots_; }  // by path
  // The innermost root that holds a file; nullptr for a file under none.
  const RunRoot* root_of(const std::string& file) const;

 private:
  std::map<std::string, RunRoot> roots_;
  PathSet paths_;
};

RunRoots::RunRoots(const std::vector<IndexRoot>& known, std::span<const std::string> named) {
  PathSet wanted;
  for (const std::string& name : named) wanted.insert(normal_path(name));
  for (const IndexRoot& root : known) {
    const bool is_wanted = named.empty() || wanted.innermost(root.path) != nullptr;
    roots_[root.path] = {.known = root, .is_named = is_wanted};
  }
  for (const std::string& name : named) {
    const std::string path = normal_path(name);
    if (roots_.contains(path)) continue;
    roots_[path] = {.known = {.path = path}, .is_new = true, .is_named = true};
  }
  for (const auto& [path, root] : roots_) paths_.insert(path);
}

std::vector<std::string> RunRoots::to_scan() const {
  std::vector<std::string> folders;
  for (const auto& [path, root] : roots_) {
    if (root.is_named) folders.push_back(path);
  }
  return folders;
}

void RunRoots::set_scanned(std::span<const ScannedFolder> folders) {
  for (const ScannedFolder& folder : folders) {
    RunRoot& root = roots_.at(folder.path);
    if (root.is_new && !folder.problem.empty()) {
      throw Error(ErrorKind::kInput, fmt::format("{}: {}", printable(folder.path), folder.problem));
    }
    root.is_scanned = folder.problem.empty();
    root.problem = folder.problem;
    root.devices = folder.devices;
  }
}

const RunRoot* RunRoots::root_of(const std::string& file) const {
  const std::string* const path = paths_.innermost(file);
  return path == nullptr ? nullptr : &roots_.at(*path);
}

// Thrown where there is nothing that could be published.
struct Stopped {};

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * 1024
                                               : 0;
}

class IndexRun {
 public:
  IndexRun(const RunConfig& config, Progress::Style style, const StopRequest& stop,
           const IndexRunOptions& options)
      : config_(config),
        options_(options),
        style_(style),
        stop_(stop),
        is_new_(!std::filesystem::exists(config.store.database)),
        writer_(config.store.database),
        recorder_(writer_, "index") {}

  IndexRunReport run() {
    try {
      report_.before = IndexReader(config_.store.database).counts();
      not_nice_ = be_nice(config_.run);
      until_stopped([&] { update(); });
      if (report_.indexed + report_.removed + report_.moved > 0) recount_files();
      finish_report();
      report_.after = IndexReader(config_.store.database).counts();
      recorder_.end(report_.stopped ? "stopped" : "done", run_document(report_));
    } catch (const Error& error) {
      // What was extracted still serves once the disk has room, the device works or the settings
      // are mended.
      if (error.kind() == ErrorKind::kInput && cache_) cache_->discard();
      fail(error);
      throw;
    } catch (const std::exception& error) {
      fail(error);
      throw;
    }
    return std::move(report_);
  }

 private:
  void update() {
    roots_.emplace(writer_.roots(), named_folders());
    check_roots();
    ScanResult found = times_.timed("scan", [&] { return scan(); });
    std::vector<SourceFile> indexed = writer_.files();
    require_images(found);
    put_new_roots();
    std::optional<Codebook> codebook = writer_.stored_codebook();
    if (codebook) {
      refuse_retired(writer_.settings());
      writer_.set_codebook(*codebook, settings_of(config_.extract, *codebook));
    }
    cache_.emplace(config_);  // which drops what was extracted under other settings
    report_roots(indexed);
    std::erase_if(indexed, [&](const SourceFile& file) { return !is_in_scope(file.path); });
    std::vector<SkippedFile> quarantine = writer_.quarantine();
    std::erase_if(quarantine,
                  [&](const SkippedFile& file) { return !is_in_scope(file.file.path); });
    UpdatePlan plan = plan_update(found, indexed, quarantine);
    report_.unchanged = plan.unchanged;
    const std::vector<SourceFile> to_index = plan.to_index;
    until_stopped([&] {
      if (!plan.to_index.empty()) index(std::move(plan.to_index), std::move(codebook));
    });
    set_aside(plan, found.skipped);
    if (report_.stopped) return;
    cache_->discard();
    remove_gone(plan, found, to_index);
    calibrate_if_due();
  }

  // The folders that this run is told to scan; none: all that the index knows.
  std::vector<std::string> named_folders() const {
    std::vector<std::string> folders = config_.images.folders;
    if (!folders.empty()) {
      folders.insert(folders.end(), options_.confirmed_roots.begin(),
                     options_.confirmed_roots.end());
    }
    return folders;
  }

  void check_roots() const {
    if (roots_->all().empty() && options_.lone_files.empty()) {
      throw Error(ErrorKind::kUsage,
                  "no folders are named, and the index knows none: give --images DIR, or [images] "
                  "folders in --config");
    }
    for (const std::string& name : options_.confirmed_roots) {
      const auto root = roots_->all().find(normal_path(name));
      if (root != roots_->all().end() && !root->second.is_new) continue;
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: is not a folder of this index; `lookalike folders` lists them",
                              printable(name)));
    }
  }

  ScanResult scan() {
    ScanResult found =
        scan_folders(roots_->to_scan(), config_.images.extensions, [&] { throw_if_stopped(); });
    roots_->set_scanned(found.folders);
    // Of a root that could not be read to its end nothing is believed.
    std::erase_if(found.files,
                  [&](const SourceFile& file) { return !roots_->root_of(file.path)->is_scanned; });
    std::erase_if(found.skipped, [&](const SkippedFile& file) {
      return !roots_->root_of(file.file.path)->is_scanned;
    });
    for (const std::string& file : options_.lone_files) add_file(file, found);
    std::ranges::sort(found.files, {}, &SourceFile::path);
    return found;
  }

  // A first run over folders without images is a mistake in their names.
  void require_images(const ScanResult& found) const {
    if (!found.files.empty() || !found.skipped.empty() || !holds_nothing()) return;
    throw Error(ErrorKind::kInput, fmt::format("scan: no images under {} (looked for .{})",
                                               fmt::join(roots_->to_scan(), ", "),
                                               fmt::join(config_.images.extensions, ", .")));
  }

  void put_new_roots() {
    std::vector<IndexRoot> added;
    for (const auto& [path, root] : roots_->all()) {
      if (root.is_new) added.push_back({.path = path, .devices = root.devices});
    }
    if (!added.empty()) writer_.put_roots(added);
  }

  void report_roots(const std::vector<SourceFile>& indexed) {
    for (const auto& [path, root] : roots_->all()) {
      const bool is_unreachable = root.is_named && !root.is_scanned;
      report_.roots.push_back({.path = path,
                               .state = is_unreachable    ? "unreachable"
                                        : root.is_scanned ? "scanned"
                                                          : "not_scanned",
                               .problem = root.problem});
    }
    for (const SourceFile& file : indexed) count_file(file.path);
  }

  void count_file(const std::string& file) {
    const RunRoot* const root = roots_->root_of(file);
    if (root == nullptr) {
      ++report_.files_without_root;
    } else {
      ++std::ranges::find(report_.roots, root->known.path, &RootReport::path)->files;
    }
  }

  // As they are at the end of the run.
  void recount_files() {
    report_.files_without_root = 0;
    for (RootReport& root : report_.roots) root.files = 0;
    IndexReader(config_.store.database).for_each_file([&](const std::string& file) {
      count_file(file);
    });
  }

  bool is_in_scope(const std::string& file) const {
    const RunRoot* const root = roots_->root_of(file);
    return root != nullptr ? root->is_scanned : lone_files_.contains(file);
  }

  template <typename Work>
  void until_stopped(Work work) {
    try {
      work();
    } catch (const Stopped&) {
      report_.stopped = true;
    }
  }

  void finish_report() {
    report_.warnings.clear();
    if (device_) {
      report_.device = device_->device();
      report_.warnings = device_->warnings();
    }
    if (not_nice_) report_.warnings.push_back(*not_nice_);
    report_.busy_seconds = times_.seconds();
    report_.elapsed_seconds = recorder_.elapsed_seconds();
    report_.peak_memory_bytes = peak_memory_bytes();
  }

  // Does not open the index again: what stands under its name now may be why the run failed.
  void fail(const std::exception& failure) {
    finish_report();
    recorder_.fail(failure.what(), &report_);
    if (is_new_ && holds_nothing()) writer_.discard();
  }

  bool holds_nothing() const {
    try {
      return writer_.settings().empty();
    } catch (const Error&) {
      return false;
    }
  }

  void throw_if_stopped() const {
    if (stop_()) throw Stopped();
  }

  void index(std::vector<SourceFile> files, std::optional<Codebook> codebook) {
    learn_contents(files);
    if (codebook) {
      device().set_codebook(std::move(*codebook));
      IndexSink sink(device(), writer_, config_, times_);
      index_rest(files, sink);
    } else {
      index_first_time(std::move(files));
    }
  }

  // Opened where there is something to compute.
  DeviceStages& device() {
    if (!device_) device_.emplace(config_, times_);
    return *device_;
  }

  // Contents that a file points to which stays as it is until the end of this run. What only
  // changed files point to can go while it runs, but not before the file that has it still is read.
  void learn_contents(const std::vector<SourceFile>& files) {
    std::unordered_set<std::string_view> changing;
    for (const SourceFile& file : files) changing.insert(file.path);
    IndexReader(config_.store.database).for_each_image([&](const StoredImage& image) {
      for (const std::string& path : image.paths) {
        if (changing.contains(path)) {
          known_.expect(path, image.content);
        } else {
          known_.insert(image.content);
        }
      }
    });
  }

  // Extracts the training sample, trains, stores the sample, then goes on with the other files.
  void index_first_time(std::vector<SourceFile> files) {
    if (files.size() > config_.codebook.sample_images) {
      files = in_sample_order(files, config_, times_, [&] { throw_if_stopped(); });
    }
    Spool spool(*cache_);
    const std::size_t sampled = extract_sample(files, spool);
    throw_if_stopped();
    Codebook codebook = train(spool);
    writer_.set_codebook(codebook, settings_of(config_.extract, codebook));
    report_.trained_words = codebook.size();
    device().set_codebook(std::move(codebook));

    IndexSink sink(device(), writer_, config_, times_);
    spool.replay([&](std::vector<ExtractedItem> items) { sink.accept(std::move(items)); });
    files.erase(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(sampled));
    std::ranges::sort(files, {}, &SourceFile::path);
    index_rest(files, sink);
  }

  // Returns how many files, from the first on, are in the spool.
  std::size_t extract_sample(const std::vector<SourceFile>& files, Spool& spool) {
    Progress progress("extract", "images", files.size(), style_);
    ImageStream stream(files, config_, known_, *cache_, times_);
    const std::size_t sampled =
        extract_stream(stream, device(), *cache_, progress, [&](std::vector<ExtractedItem> items) {
          spool.add(std::move(items));
          return spool.images() < config_.codebook.sample_images && !stop_();
        });
    spool.finish();
    return sampled;
  }

  Codebook train(const Spool& spool) {
    if (spool.images() == 0) {
      std::string first;
      if (!spool.skipped().empty()) {
        const SkippedFile& file = spool.skipped().front();
        first = fmt::format(" (the first: {}: {}: {})", printable(file.file.path), file.reason,
                            file.detail);
      }
      throw Error(ErrorKind::kInput,
                  fmt::format("index: no image can be used: {} are blank, {} cannot be read{}",
                              spool.blank(), spool.skipped().size(), first));
    }
    const Sample sample = take_sample(spool.features(), config_.codebook, cache_->folder());
    Progress progress("codebook", "iterations", config_.codebook.max_iterations, style_);
    TrainingWatch watch;
    watch.batch = [&] { throw_if_stopped(); };
    watch.iteration = [&](std::size_t iteration, double objective) {
      progress.update(iteration,
                      fmt::format("{} words, objective {:.4f}", sample.words, objective));
    };
    return device().train(sample, watch);
  }

  void index_rest(const std::vector<SourceFile>& files, IndexSink& sink) {
    try {
      index_into(sink, files);
    } catch (...) {
      count(sink);
      throw;
    }
    count(sink);
  }

  void index_into(IndexSink& sink, const std::vector<SourceFile>& files) {
    if (!files.empty()) {
      Progress progress("index", "images", files.size(), style_);
      ImageStream stream(files, config_, known_, *cache_, times_);
      extract_stream(stream, device(), *cache_, progress, [&](std::vector<ExtractedItem> items) {
        sink.accept(std::move(items));
        report_.stopped = stop_();
        return !report_.stopped;
      });
    }
    sink.finish();
  }

  void count(const IndexSink& sink) {
    report_.indexed = sink.indexed();
    report_.blank = sink.blank();
    report_.skipped = sink.skipped();
  }

  void set_aside(const UpdatePlan& plan, const std::vector<SkippedFile>& by_scan) {
    std::vector<SkippedFile>& skipped = report_.skipped;
    std::vector<SkippedFile> aside = skipped;
    aside.insert(aside.end(), plan.to_set_aside.begin(), plan.to_set_aside.end());
    if (!aside.empty()) writer_.put_in_quarantine(aside);
    skipped.insert(skipped.end(), by_scan.begin(), by_scan.end());
    skipped.insert(skipped.end(), plan.still_skipped.begin(), plan.still_skipped.end());
    std::ranges::sort(skipped, {}, [](const SkippedFile& file) { return file.file.path; });
  }

  void remove_gone(const UpdatePlan& plan, const ScanResult& found,
                   const std::vector<SourceFile>& read) {
    Removals removals = decide_removals(gone_files(plan.gone, read), guarded_roots(found),
                                        config_.images.max_removed_share);
    std::vector<std::string> leaving = removals.moved;
    leaving.insert(leaving.end(), removals.removed.begin(), removals.removed.end());
    for (const std::string& file : plan.gone_skipped) {
      const RunRoot* const root = roots_->root_of(file);
      if (root && !removals.withheld.contains(root->known.path)) leaving.push_back(file);
    }
    if (!leaving.empty()) {
      writer_.remove_paths(leaving);
      writer_.merge_segments(config_.store.max_segments);
    }
    report_.moved = removals.moved.size();
    report_.removed = removals.removed.size();
    remember_scan(std::move(removals));
  }

  // read: the files that this run has read, which may hold what was elsewhere before.
  std::vector<GoneFile> gone_files(const std::vector<std::string>& paths,
                                   const std::vector<SourceFile>& read) const {
    std::vector<GoneFile> gone;
    if (paths.empty()) return gone;
    std::unordered_set<std::string_view> read_paths;
    for (const SourceFile& file : read) read_paths.insert(file.path);
    const IndexReader index(config_.store.database);
    for (const std::string& path : paths) {
      const RunRoot* const root = roots_->root_of(path);
      const std::optional<ImageId> image = index.find(path);
      if (root == nullptr || !image) continue;
      const std::vector<std::string> names = index.image(*image)->paths;
      const bool moved = std::ranges::any_of(
          names, [&](const std::string& name) { return read_paths.contains(name); });
      gone.push_back({path, root->known.path, moved});
    }
    return gone;
  }

  std::map<std::string, GuardedRoot> guarded_roots(const ScanResult& found) const {
    std::map<std::string, GuardedRoot> guarded;
    for (const auto& [path, root] : roots_->all()) {
      if (!root.is_scanned) continue;
      GuardedRoot& guard = guarded[path];
      guard.files = std::ranges::find(report_.roots, path, &RootReport::path)->files;
      guard.empty = true;
      guard.remounted = remounted_folder(root.known, found.folders);
    }
    for (const SourceFile& file : found.files) {
      if (const RunRoot* const root = roots_->root_of(file.path)) {
        guarded.at(root->known.path).empty = false;
      }
    }
    for (const std::string& name : options_.confirmed_roots) {
      const auto guard = guarded.find(normal_path(name));
      if (guard == guarded.end()) continue;
      const std::vector<std::string>& withheld = roots_->all().at(guard->first).known.withheld;
      guard->second.confirmed.insert(withheld.begin(), withheld.end());
    }
    return guarded;
  }

  // What the next run is to know of the roots that this one has scanned.
  void remember_scan(Removals removals) {
    std::vector<IndexRoot> scanned;
    for (const auto& [path, root] : roots_->all()) {
      if (!root.is_scanned) continue;
      IndexRoot& now = scanned.emplace_back();
      now.path = path;
      now.scanned_ns = recorder_.started_ns();
      const auto withheld = removals.withheld.find(path);
      if (withheld == removals.withheld.end()) {
        now.devices = root.devices;
        continue;
      }
      now.devices = root.known.devices;
      now.withheld = std::move(withheld->second.files);
      RootReport& report = *std::ranges::find(report_.roots, path, &RootReport::path);
      report.withheld = now.withheld.size();
      report.problem = withheld->second.reason;
      report_.withheld += report.withheld;
    }
    writer_.put_roots(scanned);
  }

  void calibrate_if_due() {
    if (!is_calibration_due(IndexReader(config_.store.database))) return;
    times_.timed("calibrate", [&] {
      device().run([&](OpenClSession& session) {
        calibrate_index(writer_, config_, session, style_, [&] { throw_if_stopped(); });
      });
    });
  }

  const RunConfig& config_;
  const IndexRunOptions& options_;
  const PathSet lone_files_{options_.lone_files};
  const Progress::Style style_;
  const StopRequest& stop_;
  const bool is_new_;  // there was no database
  IndexWriter writer_;
  RunRecorder recorder_;
  std::optional<std::string> not_nice_;  // why, where niceness could not be raised
  StageTimes times_;
  std::optional<RunRoots> roots_;
  std::optional<FeatureCache> cache_;
  std::optional<DeviceStages> device_;
  KnownContents known_;
  IndexRunReport report_;
};

}  // namespace

IndexRunReport run_index(const RunConfig& config, Progress::Style style, const StopRequest& stop,
                         const IndexRunOptions& options) {
  if (config.store.database.empty()) {
    throw Error(ErrorKind::kUsage, "store.database: name the index, with --database");
  }
  return IndexRun(config, style, stop, options).run();
}

}  // namespace lookalike
