#include "tools/lookalike/indexing.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/program.h"
#include "base/text.h"
#include "pipeline/index/metrics.h"
#include "storage/index_types.h"

namespace lookalike {
namespace {

constexpr std::size_t kMaxSkippedListed = 20;

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

// settings: as ConfigArguments::repeated_settings().
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
  const std::string links = linked_folders_text(left_out);
  if (!links.empty()) spdlog::info("{}", links);
}

void log_summary(const IndexRunReport& report) {
  spdlog::info(
      "{} indexed ({} of them blank), {} unchanged, {} removed, {} moved, {} skipped, in {:.1f} s",
      report.indexed, report.blank, report.unchanged, report.removed, report.moved,
      report.skipped.size(), report.elapsed_seconds);
  if (report.featureless > 0) {
    spdlog::warn(
        "nothing was extracted of {} of them, so no photo finds these: lookalike list --state "
        "featureless",
        report.featureless);
  }
  if (report.trained_words > 0) spdlog::info("trained {} visual words", report.trained_words);
  for (const auto& [stage, seconds] : report.busy_seconds) {
    spdlog::debug("{}: {:.2f} s busy", stage, seconds);
  }
}

// Opens the index before the run, since the metrics must not replace its files. Nothing without
// metrics or for an unreadable index, which the run itself reports.
std::optional<IndexReader> open_index(const RunConfig& config) {
  if (config.run.metrics.empty()) return std::nullopt;
  try {
    return std::optional<IndexReader>(std::filesystem::path(config.store.database));
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Checks that neither the index nor the metrics file replaces another file.
std::optional<OutputFile> open_metrics(const IndexingArguments& arguments,
                                       const RunConfig& config) {
  const std::optional<IndexReader> index = open_index(config);
  OutputGuard guard = arguments.outputs.guard(arguments.config, config, index ? &*index : nullptr);
  guard.claim_index("--database", config.store.database);
  return guard.open_if_named("--metrics (run.metrics)", config.run.metrics, metrics_kind());
}

// Writes the metrics after a failed run as well, if the index can be read.
IndexRunReport run_with_metrics(const Indexing& run, const RunConfig& config,
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

}  // namespace

IndexingArguments::IndexingArguments(CLI::App& command) : OutputtingArguments(command) {
  config.add_database();
  config.add("images.folders", "FOLDER");
  config.add_each("images.exclude");
  config.add({"images.hidden", "images.follow_links", "images.decode_threads", "device.choice",
              "extract.hessian_threshold", "extract.max_features", "extract.longest_side_px",
              "extract.descriptor_size", "extract.upright", "codebook.words", "codebook.reuse",
              "codebook.seed", "variance.blank_below", "run.metrics", "run.niceness"});
}

int run_indexing(const Indexing& run, const IndexingArguments& arguments, RunConfig config,
                 Progress::Style style) {
  StopSignal stop;
  std::optional<OutputFile> metrics = open_metrics(arguments, config);
  const IndexRunReport report =
      run_with_metrics(run, config, metrics, style, [&] { return stop.received() != 0; });
  log_skipped(report.skipped, config.store.database);
  log_folders(report, config.store.database, arguments.config.repeated_settings());
  log_left_out(report.left_out);
  log_summary(report);
  if (report.stopped) {
    spdlog::warn("stopped by {}; the next run resumes from here", signal_name(stop.received()));
    return kExitSignalled + stop.received();
  }
  return is_complete(report) ? kExitDone : kExitSkippedItems;
}

}  // namespace lookalike
