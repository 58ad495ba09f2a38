#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/program.h"
#include "base/text.h"
#include "pipeline/index/index_run.h"
#include "pipeline/index/metrics.h"
#include "pipeline/index/retrain.h"
#include "storage/index_types.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

constexpr std::size_t kMaxSkippedListed = 20;

struct Arguments : ComputeArguments {
  explicit Arguments(CLI::App& command) : ComputeArguments(command) {
    config.add("FOLDER,--images", "images.folders");
    config.add_each("--exclude", "images.exclude");
    config.add("--hidden", "images.hidden");
    config.add_database();
    config.add("--threads", "images.decode_threads");
    config.add("--device", "device.choice");
    config.add("--hessian-threshold", "extract.hessian_threshold");
    config.add("--max-features", "extract.max_features");
    config.add("--longest-side", "extract.longest_side_px");
    config.add("--descriptor-size", "extract.descriptor_size");
    config.add("--upright", "extract.upright");
    config.add("--words", "codebook.words");
    config.add("--codebook", "codebook.reuse");
    config.add("--seed", "codebook.seed");
    config.add("--min-variance", "variance.blank_below");
    config.add("--metrics", "run.metrics");
    config.add("--niceness", "run.niceness");
  }
};

void log_skipped(const std::vector<SkippedFile>& skipped, const std::string& database) {
  const std::size_t listed = std::min(kMaxSkippedListed, skipped.size());
  for (std::size_t i = 0; i < listed; ++i) {
    spdlog::warn("skipped {}: {}: {}", printable(skipped[i].file.path), skipped[i].reason,
                 skipped[i].detail);
  }
  if (listed < skipped.size()) {
    spdlog::warn("and {} more; lookalike quarantine --database {} lists them all",
                 skipped.size() - listed, database);
  }
}

// settings: the options of the run, for a command that repeats it.
void log_folders(const IndexRunReport& report, const std::string& database,
                 const std::string& settings) {
  for (const RootReport& root : report.roots) {
    const std::string path = printable(root.path);
    if (root.state == "not_scanned") {
      spdlog::info("{}: not scanned by this run; its {} files stay", path, root.files);
    } else if (root.state == "unreachable") {
      spdlog::warn(
          "{}: {}; its {} files stay. If it is gone for good: lookalike remove --database {} {}",
          path, root.problem, root.files, database, path);
    } else if (root.withheld > 0) {
      const std::string folder = shell_word(text_of_path(root.path));
      spdlog::warn(
          "{}: the removal of {} of {} files is withheld: {}. To remove them: lookalike index {} "
          "--database {}{} --confirm-removals {}",
          path, root.withheld, root.files, root.problem, folder, shell_word(text_of_path(database)),
          settings, folder);
    } else if (root.files == 0 && !report.stopped) {
      spdlog::warn("{}: contains no images", path);
    }
  }
  if (report.files_without_root > 0) {
    spdlog::info("{} files lie in no folder of the index, and stay", report.files_without_root);
  }
}

void log_left_out(const Omissions& left_out) {
  const std::string others = other_types_text(left_out);
  if (!others.empty()) spdlog::info("{}", others);
  if (left_out.hidden > 0) spdlog::info("{} hidden files and folders left out", left_out.hidden);
  if (left_out.excluded > 0) {
    spdlog::info("{} excluded files and folders left out", left_out.excluded);
  }
}

void log_summary(const IndexRunReport& report) {
  spdlog::info(
      "{} indexed ({} of them blank), {} unchanged, {} removed, {} moved, {} skipped, in {:.1f} s",
      report.indexed, report.blank, report.unchanged, report.removed, report.moved,
      report.skipped.size(), report.elapsed_seconds);
  if (report.trained_words > 0) spdlog::info("trained {} visual words", report.trained_words);
  for (const auto& [stage, seconds] : report.busy_seconds) {
    spdlog::debug("{}: {:.2f} s busy", stage, seconds);
  }
}

using Run = std::function<IndexRunReport(const RunConfig&, Progress::Style, const StopRequest&)>;

// The index before the run, whose files the metrics must not replace. Nothing without metrics, or
// if the index cannot be read, which the run itself reports.
std::optional<IndexReader> open_index(const RunConfig& config) {
  if (config.run.metrics.empty()) return std::nullopt;
  try {
    return std::optional<IndexReader>(std::filesystem::path(config.store.database));
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Checks that neither the index nor the metrics file replaces another file.
std::optional<OutputFile> open_metrics(const Arguments& arguments, const RunConfig& config) {
  const std::optional<IndexReader> index = open_index(config);
  OutputGuard guard = arguments.outputs.guard(arguments.config, config, index ? &*index : nullptr);
  guard.claim_index("--database", config.store.database);
  return guard.open_if_named("--metrics (run.metrics)", config.run.metrics, metrics_kind());
}

// Writes the metrics after a failed run as well, if the index can be read.
IndexRunReport run_with_metrics(const Run& run, const RunConfig& config,
                                std::optional<OutputFile>& metrics, Progress::Style style,
                                const StopRequest& stop) {
  if (!metrics) return run(config, style, stop);
  IndexRunReport report;
  try {
    report = run(config, style, stop);
  } catch (...) {
    try {
      write_metrics(config.store.database, *metrics);
    } catch (const std::exception& error) {
      spdlog::warn("metrics were not written: {}", error.what());
    }
    throw;
  }
  write_metrics(config.store.database, *metrics);
  return report;
}

bool is_complete(const IndexRunReport& report) {
  return report.skipped.empty() && report.withheld == 0 &&
         std::ranges::none_of(report.roots,
                              [](const RootReport& root) { return root.state == "unreachable"; });
}

using ChooseDatabase = const std::string& (ConfigArguments::*)(RunConfig&) const;

int run_as(const Run& run, const Arguments& arguments, ChooseDatabase choose_database) {
  StopSignal stop;
  RunConfig config = arguments.config.load();
  const Progress::Style style = arguments.verbosity.apply();
  const std::string& database = (arguments.config.*choose_database)(config);
  std::optional<OutputFile> metrics = open_metrics(arguments, config);
  const IndexRunReport report =
      run_with_metrics(run, config, metrics, style, [&] { return stop.received() != 0; });
  log_skipped(report.skipped, database);
  log_folders(report, database, arguments.config.settings_again());
  log_left_out(report.left_out);
  log_summary(report);
  if (report.stopped) {
    spdlog::warn("stopped by {}; the next run resumes from here", signal_name(stop.received()));
    return kExitSignalled + stop.received();
  }
  return is_complete(report) ? kExitDone : kExitSkippedItems;
}

struct IndexArguments : Arguments {
  explicit IndexArguments(CLI::App& command) : Arguments(command) {
    command
        .add_option("--confirm-removals", confirmed_roots,
                    "Remove the files of this folder whose removal the last run withheld")
        ->type_name("DIR")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  std::vector<std::string> confirmed_roots;
};

int index_folders(const IndexArguments& arguments) {
  const auto run = [&](const RunConfig& config, Progress::Style style, const StopRequest& stop) {
    try {
      return run_index(config, style, stop, {.confirmed_roots = arguments.confirmed_roots});
    } catch (const OtherSettings& error) {
      throw OtherSettings(fmt::format("{}: lookalike retrain --database {}{}", error.what(),
                                      shell_word(text_of_path(config.store.database)),
                                      arguments.config.settings_again()));
    }
  };
  return run_as(run, arguments, &ConfigArguments::choose_database);
}

int retrain(const Arguments& arguments) {
  return run_as(retrain_index, arguments, &ConfigArguments::existing_database);
}

}  // namespace

void add_index_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "index", "Index folders of photos, or update an existing index",
      "Input: the photos in the folders. The index remembers its folders: those named are added, "
      "and without any all of them are scanned. Hidden files, what a NAS keeps for itself, and "
      "what --exclude or a file .lookalikeignore in a folder names are left out. An indexed file "
      "that is left out now counts as removed. --exclude holds for one run: for every run, put "
      "patterns in images.exclude or in .lookalikeignore. A run without an option of [extract] "
      "keeps the index's value.\n"
      "Output: the index file; a summary on stderr.\n"
      "Exit code 1 when files were skipped, each reported with the reason, when a folder could not "
      "be scanned, or when removals were withheld. On SIGINT or SIGTERM the current batch is "
      "finished and published, and the exit code is 130 or 143.\n"
      "Example: lookalike index ~/photos -d photos.db",
      index_folders);
}

void add_retrain_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "retrain", "Train new visual words for an index whose collection has grown",
      "Input: all folders and files of the index, and any new --images. Output: the same index, "
      "rebuilt beside the old one (DATABASE.retrain) and swapped in at once; queries work "
      "meanwhile. Settings of [extract] are those given here, not the old index's. No image is "
      "lost: if a "
      "folder or file of the index cannot be read, the index stays unchanged and the exit code is "
      "3. The next run resumes one that was stopped.\n"
      "Example: lookalike retrain -d photos.db",
      retrain);
}

}  // namespace lookalike
