#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "pipeline/flow/device_stages.h"
#include "pipeline/index/index_run.h"
#include "pipeline/index/run_record.h"
#include "pipeline/index/run_roots.h"
#include "pipeline/index/update_plan.h"
#include "storage/index_writer.h"

// The phases of run_index() in index_images.cpp and moved_and_removed.cpp, and what all phases
// share.
namespace lookalike {

// Thrown when a run is asked to stop, and caught by RunContext::until_stopped().
struct Stopped {};

// The device of a run, opened on first use: many runs have nothing to compute. The constructor's
// arguments must outlive it.
class RunDevice {
 public:
  RunDevice(const RunConfig& config, StageTimes& times) : config_(config), times_(times) {}

  DeviceStages& stages() { return stages_ ? *stages_ : stages_.emplace(config_, times_); }
  const DeviceStages* stages_if_open() const { return stages_ ? &*stages_ : nullptr; }

 private:
  const RunConfig& config_;
  StageTimes& times_;
  std::optional<DeviceStages> stages_;
};

// What the phases of a run share.
struct RunContext {
  // Takes the index's lock. The references must stay valid during the run.
  RunContext(const RunConfig& asked, Progress::Style progress, const StopRequest& stop_request,
             const IndexRunOptions& run_options)
      : config(asked),
        options(run_options),
        style(progress),
        stop(stop_request),
        writer(asked.store.database),
        recorder(writer, run_options.command),
        times(run_options.keep_spans),
        device(config, times) {}

  // Returns the report of a root of the index.
  RootReport& report_of(const std::string& root) {
    return *std::ranges::find(report.roots, root, &RootReport::path);
  }
  void throw_if_stopped() const {
    if (report.stopped || stop()) throw Stopped();
  }
  // Returns the label of the next step with progress: "index (step 3 of 5)".
  std::string next_step(const char* name) {
    steps = std::max(steps, ++step);
    return steps == 1 ? name : fmt::format("{} (step {} of {})", name, step, steps);
  }
  template <typename Work>
  void until_stopped(Work work) {
    try {
      work();
    } catch (const Stopped&) {
      report.stopped = true;
    }
  }

  RunConfig config;  // a copy, which adopts [extract] of the index once its codebook is chosen
  const IndexRunOptions& options;
  const Progress::Style style;
  const StopRequest& stop;
  IndexWriter writer;
  RunRecorder recorder;
  StageTimes times;
  RunDevice device;
  IndexRunReport report;               // of the work done so far
  std::vector<std::string> as_before;  // files that were read again and have the same content
  bool has_begun = false;              // the folders to scan are in order
  std::size_t steps = 0;               // expected ones with progress
  std::size_t step = 0;                // the present one
};

// Takes files into the index: decodes them, extracts features, turns these into words and stores
// them, in the order of the files. Without a codebook it first trains one on a sample of them.
// Counts files in run.report once they are queued for storing. A stop publishes finished images
// and, before there is a codebook, throws Stopped. After a stop or failure the features extracted
// for training stay in the cache for the next run, unless the input is at fault.
void index_images(RunContext& run, std::vector<SourceFile> files, std::optional<Codebook> codebook);

// Removes indexed files from the index that are gone or no images any more, as decide_removals()
// allows; the latter go to quarantine. Stores what the next run needs to know of the scanned roots.
// Call it after index_images(), which gives the content of moved files its new names.
void remove_gone_files(RunContext& run, const RunRoots& roots, const UpdatePlan& plan,
                       const ScanResult& found);

}  // namespace lookalike
