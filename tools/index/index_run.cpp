#include "tools/index/index_run.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "pipeline/error.h"
#include "pipeline/printable.h"
#include "stages/command/image_batches.h"
#include "stages/store/settings.h"
#include "storage/index_reader.h"
#include "storage/index_writer.h"
#include "tools/calibrate/calibrate_index.h"
#include "tools/index/device_stages.h"
#include "tools/index/index_sink.h"
#include "tools/index/niceness.h"
#include "tools/index/run_document.h"
#include "tools/index/run_recorder.h"
#include "tools/index/spool.h"
#include "tools/index/update_plan.h"

namespace lookalike {
namespace {

// Thrown where there is nothing that could be published.
struct Stopped {};

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * 1024
                                               : 0;
}

class IndexRun {
 public:
  IndexRun(const RunConfig& config, Progress::Style style, const StopRequest& stop)
      : config_(config),
        style_(style),
        stop_(stop),
        writer_(config.store.database),
        recorder_(writer_, "index") {}

  IndexRunReport run() {
    try {
      report_.before = IndexReader(config_.store.database).counts();
      not_nice_ = be_nice(config_.run);
      until_stopped([&] { update(); });
      finish_report();
      report_.after = IndexReader(config_.store.database).counts();
      recorder_.end(report_.stopped ? "stopped" : "done", run_document(report_));
    } catch (const Error& error) {
      // What was extracted still serves once the disk has room, the device works or the settings
      // are mended.
      if (error.kind() == ErrorKind::kInput && cache_) cache_->discard();
      record_failure(error);
      throw;
    } catch (const std::exception& error) {
      record_failure(error);
      throw;
    }
    return std::move(report_);
  }

 private:
  void update() {
    ScanResult found = times_.timed(
        "scan", [&] { return scan_images(config_.images, [&] { throw_if_stopped(); }); });
    UpdatePlan plan = plan_update(found, writer_.files(), writer_.quarantine());
    std::optional<Codebook> codebook = writer_.codebook();
    if (codebook) writer_.set_codebook(*codebook, settings_of(config_.extract, *codebook));
    cache_.emplace(config_);  // which drops what was extracted under other settings
    report_.unchanged = plan.unchanged;
    until_stopped([&] {
      if (!plan.to_index.empty()) index(std::move(plan.to_index), std::move(codebook));
    });
    set_aside(plan, found.skipped);
    if (report_.stopped) return;
    cache_->discard();
    remove(plan.gone);
    report_.removed = plan.removed;
    calibrate_if_due();
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
  void record_failure(const std::exception& failure) {
    finish_report();
    recorder_.fail(failure.what(), &report_);
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

  void remove(const std::vector<std::string>& gone) {
    if (gone.empty()) return;
    writer_.remove_paths(gone);
    writer_.merge_segments(config_.store.max_segments);
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
  const Progress::Style style_;
  const StopRequest& stop_;
  IndexWriter writer_;
  RunRecorder recorder_;
  std::optional<std::string> not_nice_;  // why, where niceness could not be raised
  StageTimes times_;
  std::optional<FeatureCache> cache_;
  std::optional<DeviceStages> device_;
  KnownContents known_;
  IndexRunReport report_;
};

}  // namespace

IndexRunReport run_index(const RunConfig& config, Progress::Style style, const StopRequest& stop) {
  if (config.store.database.empty()) {
    throw Error(ErrorKind::kUsage, "store.database: name the index, with --database");
  }
  return IndexRun(config, style, stop).run();
}

}  // namespace lookalike
