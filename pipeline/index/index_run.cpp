#include "pipeline/index/index_run.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <sys/resource.h>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/page_name.h"
#include "base/parallel.h"
#include "base/path_set.h"
#include "base/program.h"
#include "base/scan.h"
#include "base/text.h"
#include "config/scan_rules.h"
#include "pipeline/calibrate/calibrate_index.h"
#include "pipeline/flow/device_stages.h"
#include "pipeline/flow/feature_cache.h"
#include "pipeline/flow/item_stream.h"
#include "pipeline/flow/store_queue.h"
#include "pipeline/index/given_codebook.h"
#include "pipeline/index/removals.h"
#include "pipeline/index/run_record.h"
#include "pipeline/index/run_roots.h"
#include "pipeline/index/update_plan.h"
#include "pipeline/index_settings.h"
#include "storage/index_reader.h"
#include "storage/index_types.h"
#include "storage/index_writer.h"

namespace lookalike {
namespace {

// Thrown when a run is asked to stop, and caught by IndexRun::until_stopped().
struct Stopped {};

// Threads that read the cache for training, each a chunk at a time.
constexpr std::size_t kCacheReaders = 2;

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * 1024
                                               : 0;
}

std::string_view name_of(LeftOut why) {
  switch (why) {
    case LeftOut::kByEnding:
      return "images.extensions";
    case LeftOut::kHidden:
      return "images.hidden";
    case LeftOut::kByPattern:
      return "images.exclude";
    case LeftOut::kByIgnoreFile:
      return ".lookalikeignore";
    case LeftOut::kNot:
      break;
  }
  return "no rule";
}

// A remark on files that a scan of their root did not find: how many of them exist, and which rules
// leave them out.
std::string left_out_text(std::span<const std::string> files, const std::string& root,
                          const ScanRules& rules) {
  std::map<std::string_view, std::size_t> counts;
  std::size_t existing = 0;
  for (const std::string& file : files) {
    std::error_code unknown;
    if (!std::filesystem::exists(std::filesystem::symlink_status(file, unknown))) continue;
    ++existing;
    ++counts[name_of(why_left_out(file, root, rules))];
  }
  if (existing == 0) return {};
  std::vector<std::string> names;
  for (const auto& [name, count] : counts) names.push_back(fmt::format("{} ({})", name, count));
  return fmt::format("; {} of them exist, and are left out by {}", existing,
                     fmt::join(names, ", "));
}

// One run: each step is a function, in the order of update().
class IndexRun {
 public:
  // Takes the index's lock.
  IndexRun(const RunConfig& config, Progress::Style style, const StopRequest& stop,
           const IndexRunOptions& options)
      : config_(config),
        options_(options),
        style_(style),
        stop_(stop),
        is_new_(!std::filesystem::exists(config.store.database)),
        writer_(config.store.database),
        recorder_(writer_, "index"),
        times_(options.keep_spans) {}

  IndexRunReport run() {
    try {
      report_.before = writer_.counts();
      niceness_warning_ = raise_niceness(config_.run);
      until_stopped([&] { update(); });
      if (report_.indexed + report_.removed + report_.moved > 0) count_files(writer_.files());
      finish_report();
      // By its name: somebody may have removed or replaced the file during the run.
      report_.after = IndexReader(config_.store.database).counts();
      recorder_.end(report_);
    } catch (const Error& error) {
      // What was extracted is of use once the disk has room, the device works or the settings are
      // corrected, but not where the input is at fault.
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
    const ScanResult found = times_.timed("scan", [&] { return scan(); });
    std::vector<SourceFile> indexed = writer_.files();
    require_images(found);
    put_new_roots();
    std::optional<Codebook> codebook = checked_codebook();
    cache_.emplace(config_);  // drops what was extracted under other settings
    report_roots(indexed);
    const UpdatePlan plan = plan_in_scope(found, std::move(indexed));
    until_stopped([&] { index_files(plan.to_index, std::move(codebook)); });
    set_aside(plan, found.skipped);
    if (report_.stopped) return;
    cache_->discard();
    remove_gone(plan, found);
    calibrate_if_due();
  }

  // The folders that this run scans; empty for all that the index knows.
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
    ScanResult found = scan_folders(roots_->to_scan(), scan_rules(config_.images), report_.left_out,
                                    [&] { throw_if_stopped(); });
    roots_->set_scanned(found.folders);
    // Nothing that was found in a root that could not be read to its end is used.
    std::erase_if(found.files,
                  [&](const SourceFile& file) { return !roots_->root_of(file.path)->is_scanned; });
    std::erase_if(found.skipped, [&](const SkippedFile& file) {
      return !roots_->root_of(file.file.path)->is_scanned;
    });
    for (const std::string& file : options_.lone_files) add_lone_file(file, found);
    std::ranges::sort(found.files, {}, &SourceFile::path);
    return found;
  }

  static void add_lone_file(const std::string& file, ScanResult& found) {
    if (page_of(file).file == file) return add_file(file, found);
    SkippedFile& skipped = found.skipped.emplace_back();
    skipped.file.path = file;
    skipped.reason = "page_name";
    skipped.detail = "a name that ends in [NUMBER] stands for a page of a file";
  }

  // A first run over folders without images has their names wrong.
  void require_images(const ScanResult& found) const {
    if (!found.files.empty() || !found.skipped.empty() || !holds_nothing()) return;
    throw no_images(roots_->to_scan(), report_.left_out);
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
    count_files(indexed);
  }

  void count_files(const std::vector<SourceFile>& indexed) {
    report_.files_without_root = 0;
    for (RootReport& root : report_.roots) root.files = 0;
    for (const SourceFile& file : indexed) {
      const RunRoot* const root = roots_->root_of(file.path);
      ++(root ? report_of(root->known.path).files : report_.files_without_root);
    }
  }

  RootReport& report_of(const std::string& root) {
    return *std::ranges::find(report_.roots, root, &RootReport::path);
  }

  // The codebook that the index has, or is given; nothing if it is to train one. Throws when its
  // settings are not this run's.
  std::optional<Codebook> checked_codebook() {
    std::optional<Codebook> codebook = writer_.stored_codebook();
    const std::string& from = config_.codebook.reuse;
    if (!codebook && !from.empty()) {
      keep_earlier_of(from, settings_of_given(from));
      codebook = given_codebook(from, config_.extract);
      writer_.set_codebook(*codebook, settings_of(config_.extract, *codebook));
      logger()->info("codebook: the {} words of {}", codebook->size(), printable(from));
      warn_of_words(*codebook, "codebook.reuse has {} words");
    } else if (codebook) {
      keep_earlier_of(config_.store.database, writer_.settings());
      const Settings settings = settings_of(config_.extract, *codebook);
      writer_.set_codebook(*codebook, settings);
      if (!from.empty() && codebook_hash_in(settings) != hash_or_nothing(from)) {
        warn(
            fmt::format("codebook.reuse = {} has no effect: the index has other words; `lookalike "
                        "retrain` moves it to these",
                        printable(from)));
      } else {
        warn_of_words(*codebook, "the index has {} words; `lookalike retrain` trains new ones");
      }
    }
    return codebook;
  }

  void keep_earlier_of(const std::string& index, const Settings& settings) {
    if (!options_.keep_earlier) return;
    for (const std::string& name : keep_earlier(config_.extract, settings)) {
      logger()->info("{} is {}, as {} was made; `lookalike retrain` without it applies the default",
                     name, settings.at(name), printable(index));
    }
  }

  // Of as many cells as are wanted, a codebook may have fewer.
  void warn_of_words(const Codebook& codebook, fmt::format_string<std::size_t> why) {
    const auto warn_of = [&](const char* key, std::size_t wanted) {
      warn(fmt::format("codebook.{} = {} has no effect: {}", key, wanted,
                       fmt::format(why, codebook.size())));
    };
    const CodebookOptions& wanted = config_.codebook;
    if (wanted.words != 0 && wanted.words != codebook.size()) {
      warn_of("words", wanted.words);
    } else if (wanted.cells != 0 && (wanted.cells > 1) == codebook.cells.empty()) {
      warn_of("cells", wanted.cells);
    }
  }

  void warn(const std::string& warning) {
    words_warning_ = warning;
    logger()->warn(warning);
  }

  // A run that needs no words does not depend on the file.
  static std::string hash_or_nothing(const std::string& from) {
    try {
      return given_codebook_hash(from);
    } catch (const Error&) {
      return "";
    }
  }

  UpdatePlan plan_in_scope(const ScanResult& found, std::vector<SourceFile> indexed) {
    const auto is_out_of_scope = [&](const std::string& file) {
      const RunRoot* const root = roots_->root_of(file);
      return root != nullptr ? !root->is_scanned : !lone_files_.contains(page_of(file).file);
    };
    std::erase_if(indexed, [&](const SourceFile& file) { return is_out_of_scope(file.path); });
    std::vector<SkippedFile> quarantine = writer_.quarantine();
    std::erase_if(quarantine,
                  [&](const SkippedFile& file) { return is_out_of_scope(file.file.path); });
    UpdatePlan plan = plan_update(found, indexed, quarantine);
    report_.unchanged = plan.unchanged;
    return plan;
  }

  void index_files(std::vector<SourceFile> files, std::optional<Codebook> codebook) {
    if (files.empty()) return;
    learn_contents(files);
    std::vector<Item> sample;
    if (codebook) {
      device().set_codebook(*std::move(codebook));
    } else {
      if (files.size() > config_.codebook.sample_images) {
        files = in_sample_order(files, config_, times_, [&] { throw_if_stopped(); });
      }
      sample = extract_sample(files);
      throw_if_stopped();
      return_freed_memory();
      train(sample);
      return_freed_memory();
      files = files_left(files, sample);
    }
    StoreQueue queue(writer_, config_.store, times_);
    store_sample(sample, queue);
    return_freed_memory();
    until_stopped([&] {
      constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
      process("index", files, ItemStream::Pages::kAll, kAll, [&](std::vector<Item> batch) {
        store(std::move(batch), queue);
        return kAll;
      });
    });
    queue.finish();
  }

  // The files behind the sample, and those in it that have further pages.
  static std::vector<SourceFile> files_left(std::span<const SourceFile> files,
                                            std::span<const Item> sample) {
    std::unordered_set<std::string_view> with_pages;
    for (const Item& item : sample) {
      if (item.pages > 1 && !item.is<SkippedFile>()) with_pages.insert(item.file.path);
    }
    std::vector<SourceFile> left;
    std::ranges::copy_if(files.first(sample.size()), std::back_inserter(left),
                         [&](const SourceFile& file) { return with_pages.contains(file.path); });
    std::ranges::copy(files.subspan(sample.size()), std::back_inserter(left));
    std::ranges::sort(left, {}, &SourceFile::path);
    return left;
  }

  // Contents of files that stay as they are until the end of this run are known. Content that only
  // changing files point to may disappear during the run, but not before its own file is read.
  void learn_contents(const std::vector<SourceFile>& files) {
    known_.emplace(*cache_);
    std::unordered_set<std::string_view> changing;
    for (const SourceFile& file : files) changing.insert(file.path);
    writer_.for_each_image([&](const StoredImage& image) {
      for (const std::string& path : image.paths) {
        if (changing.contains(page_of(path).file)) {
          known_->expect(path, image.content);
        } else {
          known_->insert(image.content);
        }
      }
    });
  }

  // Takes files through decoding, or from the cache, and the device, and hands each batch on, in
  // the order of the files: SkippedFile, KnownContent, and ImageWords where there is a codebook,
  // else ImageFeatures. `accept` returns how many more images it wants: no more are begun, since
  // the contents of all that were begun count as known.
  template <typename Accept>
  void process(const char* label, const std::vector<SourceFile>& files, ItemStream::Pages pages,
               std::size_t wanted, Accept accept) {
    if (files.empty()) return;
    Progress progress(label, "images", files.size(), style_);
    ItemStream stream(files, config_, times_, &*known_, pages);
    DeviceStages& stages = device();  // opens while the first files are decoded
    using Batch = std::vector<Item>;
    std::size_t done = 0;
    while (wanted > 0 && done < files.size()) {
      std::size_t to_begin = wanted;
      OrderedParallel<Batch, Batch> processed(
          [&]() -> std::optional<Batch> {
            Batch batch = stream.next_batch(std::min(to_begin, stages.batch_images()));
            if (batch.empty()) return std::nullopt;
            to_begin -= static_cast<std::size_t>(std::ranges::count_if(batch, &has_image));
            load_cached(batch);
            return batch;
          },
          stages.lanes(), stages.lanes() + 1,
          [&](Batch batch, std::size_t lane) {
            stages.process(batch, lane);
            return batch;
          });
      while (std::optional<Batch> batch = processed.next()) {
        done += static_cast<std::size_t>(std::ranges::count_if(*batch, &Item::ends_file));
        wanted = accept(*std::move(batch));
        progress.update(done);
        throw_if_stopped();
      }
    }
  }

  void load_cached(std::span<Item> items) {
    if (std::ranges::none_of(items, &Item::is<CachedFeatures>)) return;
    times_.timed("cache", [&] { cache_->load(items); });
  }

  static bool has_image(const Item& item) {
    return item.is<DecodedImage>() || item.is<CachedFeatures>();
  }

  // Extracts the first pages of files until the sample is full, or to the next stop, and keeps
  // features in the cache. Returns their items: CachedFeatures in order, then blank images, copies
  // and skipped files.
  std::vector<Item> extract_sample(const std::vector<SourceFile>& files) {
    std::vector<Item> sample;
    std::size_t wanted = config_.codebook.sample_images;
    until_stopped([&] {
      process("extract", files, ItemStream::Pages::kFirst, wanted, [&](std::vector<Item> batch) {
        for (Item& item : batch) {
          if (item.is<ImageFeatures>()) times_.timed("cache", [&] { cache_->add(item); });
          wanted -= item.is<CachedFeatures>() ? 1 : 0;
          sample.push_back(std::move(item));
        }
        return wanted;
      });
    });
    times_.timed("cache", [&] { cache_->flush(); });
    std::ranges::stable_partition(sample, &Item::is<CachedFeatures>);
    return sample;
  }

  // Parts of the sample that are loaded at once: items whose features lie in one chunk of the
  // cache, and then all that have none.
  std::vector<std::span<Item>> parts_of(std::span<Item> sample) const {
    const auto chunk_of = [&](const Item& item) {
      return item.is<CachedFeatures>() ? std::optional(cache_->place_of(item).chunk) : std::nullopt;
    };
    std::vector<std::span<Item>> parts;
    for (std::size_t first = 0, end = 0; first < sample.size(); first = end) {
      while (end < sample.size() && chunk_of(sample[end]) == chunk_of(sample[first])) ++end;
      parts.push_back(sample.subspan(first, end - first));
    }
    return parts;
  }

  std::vector<Item> loaded_copy(std::span<const Item> part) {
    std::vector<Item> batch(part.begin(), part.end());
    load_cached(batch);
    return batch;
  }

  // Gives the index a codebook.
  void train(std::span<Item> sample) {
    require_features(sample);
    std::vector<SampleImage> images;
    for (const Item& item : sample) {
      if (!item.is<CachedFeatures>()) continue;
      images.push_back({item.content, cache_->place_of(item).features});
    }
    const FeatureSource features = [&](const auto& visit) {
      const std::vector<std::span<Item>> parts = parts_of(sample.first(images.size()));
      OrderedParallel<std::vector<Item>> loaded(
          parts.size(), kCacheReaders, kCacheReaders,
          [&](std::size_t i) { return loaded_copy(parts[i]); });
      while (const auto batch = loaded.next()) {
        for (const Item& item : *batch) visit(std::get<ImageFeatures>(item.state));
      }
    };
    const Sample taken = times_.timed("sample", [&] {
      return take_sample(images, features, config_.codebook, cache_->folder());
    });
    Progress progress("codebook", "steps", training_steps(taken.words, config_.codebook), style_);
    TrainingWatch watch;
    watch.batch = [&] { throw_if_stopped(); };
    watch.step = [&](std::size_t step, double objective) {
      progress.update(step, fmt::format("{} words, objective {:.4f}", taken.words, objective));
    };
    Codebook codebook = device().train(taken, watch);
    progress.finish();
    writer_.set_codebook(codebook, settings_of(config_.extract, codebook));
    report_.trained_words = codebook.size();
    device().set_codebook(std::move(codebook));
  }

  static void require_features(std::span<const Item> sample) {
    if (std::ranges::any_of(sample, &Item::is<CachedFeatures>)) return;
    const auto is_skipped = [](const Item& item) { return item.is<SkippedFile>(); };
    std::string first;
    if (const auto item = std::ranges::find_if(sample, is_skipped); item != sample.end()) {
      const SkippedFile& file = std::get<SkippedFile>(item->state);
      first = fmt::format(" (the first: {}: {}: {})", printable(file.file.path), file.reason,
                          file.detail);
    }
    throw Error(ErrorKind::kInput,
                fmt::format("index: no image can be used: {} are blank, {} cannot be read{}",
                            std::ranges::count_if(sample, &Item::blank),
                            std::ranges::count_if(sample, is_skipped), first));
  }

  // Images first, so that the copies of them find them in the index.
  void store_sample(std::span<Item> sample, StoreQueue& queue) {
    const std::vector<std::span<Item>> parts = parts_of(sample);
    DeviceStages& stages = device();
    using Batch = std::vector<Item>;
    OrderedParallel<Batch> loaded(parts.size(), 1, 1,
                                  [&](std::size_t i) { return loaded_copy(parts[i]); });
    OrderedParallel<Batch, Batch> processed([&] { return loaded.next(); }, stages.lanes(),
                                            stages.lanes(),
                                            [&](Batch batch, std::size_t lane) {
                                              stages.process(batch, lane);
                                              return batch;
                                            });
    while (std::optional<Batch> batch = processed.next()) store(*std::move(batch), queue);
  }

  // Queues the items that were not skipped.
  void store(std::vector<Item> batch, StoreQueue& queue) {
    for (Item& item : batch) {
      if (auto* skipped = std::get_if<SkippedFile>(&item.state)) {
        report_.skipped.push_back(std::move(*skipped));
        continue;
      }
      report_.indexed += item.ends_file && item.file.modified_ns != kUnfinished ? 1 : 0;
      report_.blank += item.blank ? 1 : 0;
      queue.push(std::move(item));
    }
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

  void remove_gone(const UpdatePlan& plan, const ScanResult& found) {
    Removals removals =
        decide_removals(gone_files(plan), guarded_roots(found), config_.images.max_removed_share);
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

  // A file has moved where a file that this run has read has its content.
  std::vector<GoneFile> gone_files(const UpdatePlan& plan) const {
    std::vector<GoneFile> gone;
    if (plan.gone.empty()) return gone;
    std::unordered_set<std::string_view> read;
    for (const SourceFile& file : plan.to_index) read.insert(file.path);
    for (const std::string& path : plan.gone) {
      const RunRoot* const root = roots_->root_of(path);
      const std::optional<ImageId> image = writer_.find(path);
      if (root == nullptr || !image) continue;
      const bool moved =
          std::ranges::any_of(writer_.image(*image)->paths,
                              [&](const std::string& name) { return read.contains(name); });
      gone.push_back({path, root->known.path, moved});
    }
    return gone;
  }

  std::map<std::string, GuardedRoot> guarded_roots(const ScanResult& found) {
    std::map<std::string, GuardedRoot> guarded;
    for (const auto& [path, root] : roots_->all()) {
      if (!root.is_scanned) continue;
      GuardedRoot& guard = guarded[path];
      guard.files = report_of(path).files;
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

  // Stores what the next run needs to know of the roots that this one has scanned.
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
      RootReport& report = report_of(path);
      report.withheld = now.withheld.size();
      report.problem =
          withheld->second.reason + left_out_text(now.withheld, path, scan_rules(config_.images));
      report_.withheld += report.withheld;
    }
    writer_.put_roots(scanned);
  }

  void calibrate_if_due() {
    if (!is_calibration_due(writer_)) return;
    return_freed_memory();
    times_.timed("calibrate", [&] {
      device().run([&](OpenClSession& session) {
        const IndexReader index{std::filesystem::path(config_.store.database)};
        calibrate_index(writer_, index, config_, session, style_, [&] { throw_if_stopped(); });
      });
    });
  }

  void finish_report() {
    report_.warnings.clear();
    if (device_) {
      report_.device = device_->device();
      report_.warnings = device_->warnings();
    }
    if (niceness_warning_) report_.warnings.push_back(*niceness_warning_);
    if (words_warning_) report_.warnings.push_back(*words_warning_);
    report_.busy_seconds = times_.seconds();
    report_.spans = times_.spans();
    report_.elapsed_seconds = recorder_.elapsed_seconds();
    report_.peak_memory_bytes = peak_memory_bytes();
  }

  // Does not open the index again, since what has its name now may be why the run failed.
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
    if (report_.stopped || stop_()) throw Stopped();
  }

  template <typename Work>
  void until_stopped(Work work) {
    try {
      work();
    } catch (const Stopped&) {
      report_.stopped = true;
    }
  }

  // Opened when first used: many runs have nothing to compute.
  DeviceStages& device() {
    if (!device_) device_.emplace(config_, times_);
    return *device_;
  }

  RunConfig config_;
  const IndexRunOptions& options_;
  const PathSet lone_files_{options_.lone_files};
  const Progress::Style style_;
  const StopRequest& stop_;
  const bool is_new_;  // there was no database
  IndexWriter writer_;
  RunRecorder recorder_;
  std::optional<std::string> niceness_warning_;
  std::optional<std::string> words_warning_;
  StageTimes times_;
  std::optional<RunRoots> roots_;
  std::optional<FeatureCache> cache_;
  std::optional<DeviceStages> device_;
  std::optional<KnownContents> known_;
  IndexRunReport report_;
};

}  // namespace

std::optional<std::string> raise_niceness(const RunOptions& options) {
  if (options.niceness == 0) return std::nullopt;
  const int now = ::getpriority(PRIO_PROCESS, 0);
  const int wanted = static_cast<int>(options.niceness);
  const bool lower = wanted < now;  // root may
  if (!lower && ::setpriority(PRIO_PROCESS, 0, wanted) == 0) return std::nullopt;
  const std::string cause = lower ? "it is never lowered" : std::generic_category().message(errno);
  std::string warning =
      fmt::format("run.niceness: stays {}, {} was asked for: {}", now, wanted, cause);
  logger()->warn(warning);
  return warning;
}

IndexRunReport run_index(const RunConfig& config, Progress::Style style, const StopRequest& stop,
                         const IndexRunOptions& options) {
  if (config.store.database.empty()) {
    throw Error(ErrorKind::kUsage, "store.database: name the index, with --database");
  }
  return IndexRun(config, style, stop, options).run();
}

}  // namespace lookalike
