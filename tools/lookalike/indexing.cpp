#include "tools/lookalike/indexing.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <opencv2/core/utility.hpp>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/program.h"
#include "base/text.h"
#include "pipeline/device/open_session.h"
#include "pipeline/index/metrics.h"
#include "pipeline/index/run_record.h"
#include "storage/index_types.h"
#include "tools/lookalike/notify.h"

namespace lookalike {
namespace {

// Warns of files by text(file): of the first ones, or of all. Returns the number of the others.
template <typename Text>
std::size_t warn_of(const std::vector<SkippedFile>& files, bool all, const Text& text) {
  constexpr std::size_t kMaxListed = 20;
  const std::size_t listed = all ? files.size() : std::min(kMaxListed, files.size());
  for (std::size_t i = 0; i < listed; ++i) spdlog::warn("{}", text(files[i]));
  return files.size() - listed;
}

// Warns of the files that this run could not use and the last one could, or of all.
void log_skipped(const IndexRunReport& report, bool all, const std::string& database) {
  const std::vector<SkippedFile>& skipped = all ? report.skipped : report.newly_skipped;
  const std::size_t others = warn_of(skipped, all, [](const SkippedFile& one) {
    return fmt::format("skipped {}: {}: {}", printable(one.file.path), one.reason, one.detail);
  });
  if (others > 0) {
    spdlog::warn("and {} more; lookalike quarantine --database {} lists those that are not indexed",
                 others, database);
  }
}

// Warns of the damaged files that this run indexed. Later runs do not decode them again.
void log_damaged(const IndexRunReport& report, bool all) {
  const std::size_t others = warn_of(report.damaged, all, [](const SkippedFile& one) {
    return fmt::format("damaged {}: indexed as far as it can be read: {}", printable(one.file.path),
                       one.detail);
  });
  if (others > 0) {
    spdlog::warn("and {} more are damaged: --all-warnings names all, but only when they are read",
                 others);
  }
}

bool is_unreachable(const RootReport& root) {
  return root.state == kUnreachable;
}

// Returns "1 file stays" or "3 files stay".
std::string staying(std::size_t files) {
  return counted(files, "file") + (files == 1 ? " stays" : " stay");
}

// settings: as ConfigArguments::repeated_settings().
void log_folders(const IndexRunReport& report, const std::string& database,
                 const std::string& settings) {
  for (const RootReport& root : report.roots) {
    const std::string path = printable(root.path);
    if (root.state == "not_scanned") {
      spdlog::info("{}: not scanned by this run; its {}", path, staying(root.files));
    } else if (is_unreachable(root)) {
      spdlog::warn("{}: {}; its {}. If it is gone for good: lookalike remove --database {} {}",
                   path, root.problem, staying(root.files), database, path);
    } else if (root.withheld > 0) {
      const std::string folder = shell_word(text_of_path(root.path));
      spdlog::warn(
          "{}: the removal of {} of {} is withheld: {}. To remove them: lookalike index {} "
          "--database {}{} --confirm-removals {}",
          path, root.withheld, counted(root.files, "file"), root.problem, folder,
          shell_word(text_of_path(database)), settings, folder);
    } else if (root.files == 0 && !report.stopped) {
      spdlog::warn("{}: contains no images", path);
    }
  }
  if (report.files_without_root > 0) {
    spdlog::info("{}, in no folder of the index", staying(report.files_without_root));
  }
}

void log_left_out(const Omissions& left_out) {
  if (left_out.hidden > 0) spdlog::info("hidden files and folders left out: {}", left_out.hidden);
  if (left_out.system_folders > 0) {
    spdlog::info("recycle bins and other system folders left out: {}", left_out.system_folders);
  }
  if (left_out.excluded > 0) {
    spdlog::info("excluded files and folders left out: {}", left_out.excluded);
  }
  const std::string links = linked_folders_text(left_out);
  if (!links.empty()) spdlog::info("{}", links);
}

// Returns " (12 read again: 10 for another status time, 2 for another inode)"; empty for none.
std::string read_again_text(const IndexRunReport& report) {
  std::size_t files = 0;
  std::vector<std::string> reasons;
  for (const auto& [reason, count] : report.read_again) {
    files += count;
    std::string& text = reasons.emplace_back(fmt::format("{} for another {}", count, reason));
    std::ranges::replace(text, '_', ' ');
  }
  return files == 0 ? "" : fmt::format(" ({} read again: {})", files, fmt::join(reasons, ", "));
}

// Returns the result of a run in a line: "good: 3 indexed, 96 unchanged, ..., in 2.1 s".
std::string summary_of(const IndexRunReport& report) {
  std::string text = fmt::format("{}: ", outcome_of(report));
  if (report.stopped) text += "stopped, ";
  text += fmt::format("{} indexed", report.indexed);
  if (report.blank > 0) text += fmt::format(" ({} of them blank)", report.blank);
  if (!report.damaged.empty()) text += fmt::format(" ({} damaged)", report.damaged.size());
  text += fmt::format(", {} unchanged{}, {} removed, {} moved, {} skipped", report.unchanged,
                      read_again_text(report), report.removed, report.moved, report.skipped.size());
  if (!report.skipped.empty())
    text += fmt::format(" ({} of them new)", report.newly_skipped.size());
  if (report.withheld > 0) text += fmt::format(", {} withheld", report.withheld);
  if (const auto count = std::ranges::count_if(report.roots, is_unreachable); count > 0) {
    text += fmt::format(", {} unreachable {}", count, count == 1 ? "folder" : "folders");
  }
  const std::string others = other_types_text(report.left_out);
  if (!others.empty()) text += ", " + others;
  return text + fmt::format(", in {:.1f} s", report.elapsed_seconds);
}

void log_details(const IndexRunReport& report) {
  if (report.featureless > 0) {
    spdlog::warn(
        "nothing was extracted of {} of them, so no photo finds these: lookalike list --state "
        "featureless",
        report.featureless);
  }
  if (report.read_again.contains("status_time")) {
    spdlog::info(
        "--trust-times (images.trust_times) does not read files for their status time alone");
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

// Runs, and writes the metrics if that fails and the index can be read; the caller writes them
// otherwise.
IndexRunReport run_with_metrics(const Indexing& run, const RunConfig& config,
                                std::optional<OutputFile>& metrics, Progress::Style style,
                                const StopRequest& stop) {
  try {
    return run(config, style, stop);
  } catch (...) {
    if (metrics) try {
        write_metrics(config.store.database, *metrics);
      } catch (const std::exception& error) {
        spdlog::warn("metrics were not written: {}", error.what());
      }
    throw;
  }
}

}  // namespace

IndexingArguments::IndexingArguments(CLI::App& command) : OutputtingArguments(command) {
  config.add_database();
  config.add("images.folders", "FOLDER");
  config.add_each("images.exclude");
  config.add({"images.hidden", "images.follow_links", "images.trust_times", "images.decode_threads",
              "device.choice", "extract.hessian_threshold", "extract.max_features",
              "extract.longest_side_px", "extract.descriptor_size", "extract.upright",
              "codebook.words", "codebook.reuse", "codebook.seed", "variance.blank_below",
              "run.metrics", "run.niceness"});
  command.add_flag("--all-warnings", all_warnings,
                   "Warn of every file that cannot be used, not only of those that are new");
}

int run_indexing(const char* command, const Indexing& run, const IndexingArguments& arguments,
                 const RunConfig& config, Progress::Style style) {
  cv::setNumThreads(1);  // images are decoded and compared on all cores at the same time
  StopSignal stop;
  const LastWords last_words([&] {
    spdlog::error("{}", driver_ended_text());
    notify_of_failure(config, command, driver_ended_text());
  });
  std::optional<OutputFile> metrics;
  IndexRunReport report;
  try {
    metrics = open_metrics(arguments, config);
    report = run_with_metrics(run, config, metrics, style, [&] { return stop.received() != 0; });
  } catch (const std::exception& error) {
    notify_of_failure(config, command, error.what());
    throw;
  }
  const std::string summary = summary_of(report);
  log_skipped(report, arguments.all_warnings, config.store.database);
  log_damaged(report, arguments.all_warnings);
  log_folders(report, config.store.database, arguments.config.repeated_settings());
  log_left_out(report.left_out);
  log_result(summary);
  log_details(report);
  notify_of_run(config, command, summary, report);
  if (metrics) write_metrics(config.store.database, *metrics);
  if (report.stopped) {
    spdlog::warn("stopped by {}; the next run resumes from here", signal_name(stop.received()));
    return kExitSignalled + stop.received();
  }
  if (!incomplete_because(report).empty()) return kExitIncomplete;
  return report.skipped.empty() ? kExitDone : kExitSkippedItems;
}

}  // namespace lookalike
