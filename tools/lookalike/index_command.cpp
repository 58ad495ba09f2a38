#include <algorithm>
#include <exception>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "pipeline/error.h"
#include "pipeline/printable.h"
#include "pipeline/stop_signal.h"
#include "stages/command/command_line.h"
#include "tools/index/index_run.h"
#include "tools/index/metrics.h"
#include "tools/index/retrain.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

// More skipped files than this are only counted.
constexpr std::size_t kMostSkippedTold = 20;

struct Arguments {
  explicit Arguments(CLI::App& command) : config(command), talk(command) {
    config.add("--images", "images.folders");
    config.add("--database", "store.database");
    config.add("--threads", "images.decode_threads");
    config.add("--device", "device.choice");
    config.add("--hessian-threshold", "extract.hessian_threshold");
    config.add("--max-features", "extract.max_features");
    config.add("--longest-side", "extract.longest_side_px");
    config.add("--descriptor-size", "extract.descriptor_size");
    config.add("--upright", "extract.upright");
    config.add("--words", "codebook.words");
    config.add("--seed", "codebook.seed");
    config.add("--min-variance", "variance.minimum");
    config.add("--metrics", "run.metrics");
    config.add("--niceness", "run.niceness");
  }
  ConfigArguments config;
  TalkArguments talk;
};

void check(const RunConfig& config) {
  if (config.images.folders.empty()) {
    throw Error(ErrorKind::kUsage,
                "no folders are named: give --images DIR, or [images] folders in --config");
  }
  if (config.store.database.empty()) {
    throw Error(ErrorKind::kUsage,
                "no index is named: give --database FILE, or [store] database in --config");
  }
}

void tell_skipped(const std::vector<SkippedFile>& skipped, const std::string& database) {
  const std::size_t told = std::min(kMostSkippedTold, skipped.size());
  for (std::size_t i = 0; i < told; ++i) {
    spdlog::warn("skipped {}: {}: {}", printable(skipped[i].file.path), skipped[i].reason,
                 skipped[i].detail);
  }
  if (told < skipped.size()) {
    spdlog::warn("and {} more; all of them: lookalike quarantine --database {}",
                 skipped.size() - told, database);
  }
}

void tell_summary(const IndexRunReport& report) {
  spdlog::info("{} indexed ({} of them blank), {} unchanged, {} removed, {} skipped, in {:.1f} s",
               report.indexed, report.blank, report.unchanged, report.removed,
               report.skipped.size(), report.elapsed_seconds);
  if (report.trained_words > 0) spdlog::info("trained {} visual words", report.trained_words);
  for (const auto& [stage, seconds] : report.busy_seconds) {
    spdlog::debug("{}: {:.2f} s busy", stage, seconds);
  }
}

using Run = IndexRunReport (*)(const RunConfig&, Progress::Style, const StopRequest&);

// Also after a run that failed, as far as the index can be read.
IndexRunReport run_with_metrics(Run run, const RunConfig& config, Progress::Style style,
                                const StopRequest& stop) {
  if (config.run.metrics.empty()) return run(config, style, stop);
  IndexRunReport report;
  try {
    report = run(config, style, stop);
  } catch (...) {
    try {
      write_metrics(config.store.database, config.run.metrics);
    } catch (const std::exception& error) {
      spdlog::warn("no metrics are written: {}", error.what());
    }
    throw;
  }
  write_metrics(config.store.database, config.run.metrics);
  return report;
}

int run_as(Run run, const Arguments& arguments) {
  StopSignal stop;  // before OpenCL starts threads
  const RunConfig config = arguments.config.load();
  check(config);
  const Progress::Style style = arguments.talk.apply();
  const IndexRunReport report =
      run_with_metrics(run, config, style, [&] { return stop.received() != 0; });
  tell_skipped(report.skipped, config.store.database);
  tell_summary(report);
  if (report.stopped) {
    spdlog::warn("stopped by {}; the next run goes on from here", signal_name(stop.received()));
    return kExitSignalled + stop.received();
  }
  return report.skipped.empty() ? kExitDone : kExitSkippedItems;
}

}  // namespace

void add_index_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "index", "Index folders of photos, or bring an index up to date with them");
  command->footer(
      "Input: the photos under the folders. Output: the index's file; what happened, on stderr.\n"
      "Exit code 1 when files were skipped; each is named with the reason. At SIGINT or SIGTERM "
      "what "
      "is being worked on is finished and published, and the exit code is 130 or 143.\n"
      "Example: lookalike index --images ~/photos --database photos.db");
  const auto arguments = std::make_shared<Arguments>(*command);
  command->callback([=, &action] { action = [=] { return run_as(run_index, *arguments); }; });
}

void add_retrain_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "retrain", "Give an index new visual words, for a collection that has grown");
  command->footer(
      "Input: the folders that are indexed, as for `lookalike index`. Output: the same index, made "
      "anew beside the old one (DATABASE.retrain) and swapped in at once; queries go on meanwhile. "
      "Settings of [extract] may be others. One that was stopped is gone on with.\n"
      "Example: lookalike retrain --images ~/photos --database photos.db");
  const auto arguments = std::make_shared<Arguments>(*command);
  command->callback([=, &action] { action = [=] { return run_as(retrain_index, *arguments); }; });
}

}  // namespace lookalike
