#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/path_set.h"
#include "base/text.h"
#include "pipeline/answers.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

bool is_folder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

Json to_json(const IndexRoot& root, std::size_t files) {
  return {{"path", text_of_path(root.path)},
          {"files", files},
          {"withheld", root.withheld.size()},
          {"last_scan", root.scanned_ns > 0 ? Json(utc_text(root.scanned_ns)) : Json()},
          {"present", is_folder(root.path)}};
}

void print_text(const IndexRoot& root, std::size_t files) {
  fmt::print("{:>9} files  {:<20}  {}{}{}\n", files,
             root.scanned_ns > 0 ? utc_text(root.scanned_ns) : "never scanned",
             printable(root.path), is_folder(root.path) ? "" : "  (missing)",
             root.withheld.empty()
                 ? ""
                 : fmt::format("  ({} files gone, kept until confirmed)", root.withheld.size()));
}

int list_folders(const ListArguments& arguments) {
  const IndexReader index = arguments.index.open();
  const std::vector<IndexRoot> roots = index.roots();
  PathSet paths;
  for (const IndexRoot& root : roots) paths.insert(root.path);
  std::map<std::string, std::size_t> files;  // by folder; "" for files outside all of them
  index.for_each_file([&](const std::string& file) {
    const std::string* const root = paths.innermost(file);
    ++files[root == nullptr ? std::string() : *root];
  });
  if (arguments.json) {
    Json folders = Json::array();
    for (const IndexRoot& root : roots) folders.push_back(to_json(root, files[root.path]));
    print_json({{"folders", folders}, {"files_without_folder", files[""]}});
    return kExitDone;
  }
  for (const IndexRoot& root : roots) print_text(root, files[root.path]);
  if (files[""] > 0) {
    fmt::print("{:>9} files  {:<20}  in no folder of the index; no run removes them\n", files[""],
               "");
  }
  return kExitDone;
}

int list_quarantine(const ListArguments& arguments) {
  const IndexReader index = arguments.index.open();
  Json files = Json::array();
  for (const SkippedFile& file : index.quarantine()) {
    if (!arguments.json) {
      fmt::print("{}: {}: {}\n", printable(file.file.path), file.reason, file.detail);
      continue;
    }
    files.push_back({{"path", text_of_path(file.file.path)},
                     {"reason", file.reason},
                     {"detail", file.detail},
                     {"size_bytes", file.file.size_bytes}});
  }
  if (arguments.json) print_json({{"quarantine", files}});
  return kExitDone;
}

struct RunsArguments {
  explicit RunsArguments(CLI::App& command) : index(command) {
    command.add_option("--last", last, "Maximum number of runs")->check(CLI::Range(1U, 1000000U));
    command.add_flag("--json", json, "Print each run's full report, one JSON object per line");
  }
  IndexArgument index;
  std::size_t last = 20;
  bool json = false;
};

// The run's report; null if the run did not end and so left none.
Json report_of(const RunRecord& run) {
  Json report = Json::parse(run.document, nullptr, false);
  return report.is_object() ? report : Json(nullptr);
}

// "12 indexed, 3 removed", or the error that ended the run.
std::string summary(const Json& report) {
  if (report.is_null()) return {};
  if (report.contains("error")) return report["error"].get<std::string>();
  std::string text;
  for (const auto& [outcome, count] : report["files"].items()) {
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count.get<std::uint64_t>(), outcome);
  }
  return text;
}

int list_runs(const RunsArguments& arguments) {
  const IndexReader index = arguments.index.open();
  for (const RunRecord& run : index.runs(arguments.last)) {
    if (arguments.json) {
      print_json({{"id", run.id},
                  {"command", run.command},
                  {"started", utc_text(run.started_ns)},
                  {"elapsed_seconds", run.elapsed_seconds},
                  {"outcome", run.outcome},
                  {"report", report_of(run)}});
    } else {
      fmt::print("{}  {:<8} {:<8} {:>8.1f} s  {}\n", utc_text(run.started_ns), run.command,
                 run.outcome, run.elapsed_seconds, summary(report_of(run)));
    }
  }
  return kExitDone;
}

}  // namespace

void add_folders_command(CLI::App& app, Action& action) {
  add_command(app, action, "folders", "List the folders that an index covers",
              "Output: one line per folder: indexed files, start of the last run that scanned it, "
              "path. A file in nested folders counts towards the innermost.\n"
              "`lookalike index` adds folders, `lookalike remove` removes them, `lookalike move` "
              "records a folder's new name.\n"
              "Example: lookalike folders --database photos.db",
              list_folders);
}

void add_quarantine_command(CLI::App& app, Action& action) {
  add_command(app, action, "quarantine",
              "List the files that could not be indexed, with the reasons",
              "Output: one line per file: path, reason, detail. A file that is quarantined because "
              "of its content is retried only after it changes.\n"
              "Example: lookalike quarantine --database photos.db",
              list_quarantine);
}

void add_runs_command(CLI::App& app, Action& action) {
  add_command(app, action, "runs", "List the runs that wrote an index, newest first",
              "Output: one line per run: start, command, outcome (done, stopped, failed, killed, "
              "running), elapsed time, and numbers of files; with --json the full report of each.\n"
              "Example: lookalike runs --database photos.db",
              list_runs);
}

}  // namespace lookalike
