#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/page_name.h"
#include "base/path_set.h"
#include "base/text.h"
#include "pipeline/answers.h"
#include "tools/command_line/format.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct FileArguments : ListArguments {
  explicit FileArguments(CLI::App& command)
      : ListArguments(command, "Print one JSON object", true) {}
};

void print_text(const Json& folder) {
  const Json& last_scan = folder["last_scan"];
  const std::size_t withheld = folder["withheld"];
  const std::string columns =
      fmt::format("{:>9} files  {:<20}", folder["files"].get<std::size_t>(),
                  last_scan.is_null() ? "never" : last_scan.get<std::string>());
  const std::string path = printable(path_of_text(folder["path"]));
  const std::string remarks =
      (folder["present"] ? "" : "  (missing)") +
      (withheld == 0 ? std::string()
                     : fmt::format("  ({} files gone, kept until confirmed)", withheld));
  fmt::print("{}{}\n", columns, last_column(columns.size(), path + remarks));
}

int list_folders(const FileArguments& arguments) {
  const IndexReader index = arguments.index.open();
  const Json answer = folders_answer(index);
  if (arguments.format.is_json()) {
    print_json(answer);
  } else if (arguments.format.is_table()) {
    const Table table(arguments.format, {"path", "files", "withheld", "last_scan", "present"});
    for (const Json& folder : answer["folders"]) table.add(folder);
  } else {
    for (const Json& folder : answer["folders"]) print_text(folder);
    if (answer["files_without_folder"] > 0) {
      const std::string columns = fmt::format(
          "{:>9} files  {:<20}", answer["files_without_folder"].get<std::size_t>(), "-");
      fmt::print("{}{}\n", columns,
                 last_text(columns.size(), "in no folder of the index; no run removes them"));
    }
  }
  return kExitDone;
}

int list_quarantine(const FileArguments& arguments) {
  const IndexReader index = arguments.index.open();
  if (arguments.format.is_json()) {
    print_json(quarantine_answer(index.quarantine()));
  } else if (arguments.format.is_table()) {
    const Table table(arguments.format, {"path", "reason", "detail", "size_bytes"});
    const Json answer = quarantine_answer(index.quarantine());
    for (const Json& file : answer["quarantine"]) table.add(file);
  } else {
    for (const SkippedFile& file : index.quarantine()) {
      const std::string columns = fmt::format("{:<12}", file.reason);
      fmt::print("{}{}{}\n", columns, last_column(columns.size(), printable(file.file.path)),
                 below(file.detail));
    }
  }
  return kExitDone;
}

const std::vector<std::string> kStates = {"indexed", "blank", "gone", "quarantined"};

struct ContentArguments : ListArguments {
  explicit ContentArguments(CLI::App& command)
      : ListArguments(command, "Print one JSON object per page of a file, one per line", true) {
    command.add_option("PATH", paths, "Only these files, and files in these folders")
        ->type_name("");
    command.add_option("--state", state, "Only files in this state")
        ->check(CLI::IsMember(kStates).description(""))
        ->type_name(fmt::format("{}", fmt::join(kStates, "|")));
  }
  std::vector<std::string> paths;
  std::string state;  // empty: any
};

// Prints the files of an index that the command line selects.
class FileList {
 public:
  explicit FileList(const ContentArguments& arguments)
      : arguments_(arguments), is_all_(arguments.paths.empty()) {
    for (const std::string& path : arguments.paths) wanted_.insert(normal_path(path));
    if (arguments.format.is_table()) {
      table_.emplace(arguments.format,
                     std::vector<std::string>{"id", "path", "size_bytes", "features", "state"});
    }
  }

  // image: nullptr for a file in quarantine.
  void add(const SourceFile& file, const StoredImage* image, const std::string& state) {
    if (!is_wanted(file.path)) return;
    if (!arguments_.state.empty() && arguments_.state != state) return;
    if (!table_ && !arguments_.format.is_json()) {
      const std::string columns = fmt::format(
          "{:>8} {:>11} {:>8}  {:<11}", image ? fmt::format("{}", image->id) : "-", file.size_bytes,
          image ? fmt::format("{}", image->feature_count) : "-", state);
      fmt::print("{}{}\n", columns, last_column(columns.size(), printable(file.path)));
      return;
    }
    const Json row = {{"id", image ? Json(image->id) : Json()},
                      {"path", text_of_path(file.path)},
                      {"size_bytes", file.size_bytes},
                      {"features", image ? Json(image->feature_count) : Json()},
                      {"state", state}};
    if (table_) {
      table_->add(row);
    } else {
      print_json(row);
    }
  }

  // Reports the paths of the command line that name nothing of the index; returns the exit code.
  int finish() const {
    std::size_t missing = 0;
    for (const std::string& path : arguments_.paths) {
      const std::string name = normal_path(path);
      const auto is_met = [&](const std::string& met) { return is_within(met, name); };
      if (std::ranges::any_of(met_, is_met)) continue;
      ++missing;
      spdlog::error("{}: neither it nor anything below it is in the index", printable(path));
    }
    if (missing == 0) return kExitDone;
    return missing == arguments_.paths.size() ? exit_code(ErrorKind::kInput) : kExitSkippedItems;
  }

 private:
  bool is_wanted(const std::string& path) {
    if (is_all_) return true;
    const std::string* wanted = wanted_.innermost(path);
    if (wanted == nullptr) wanted = wanted_.innermost(page_of(path).file);
    if (wanted != nullptr) met_.insert(*wanted);
    return wanted != nullptr;
  }

  const ContentArguments& arguments_;
  const bool is_all_;
  PathSet wanted_;
  std::set<std::string> met_;  // those of the wanted that hold something
  std::optional<Table> table_;
};

int list_files(const ContentArguments& arguments) {
  const IndexReader index = arguments.index.open();
  PathSet gone;
  for (const IndexRoot& root : index.roots()) {
    for (const std::string& file : root.withheld) gone.insert(file);
  }
  FileList list(arguments);
  for (const SourceFile& file : index.files()) {
    const bool is_gone = gone.contains(file.path);
    std::uint32_t pages = 1;
    for (std::uint32_t number = 1; number <= pages; ++number) {
      const SourceFile page = {page_name(file.path, number), file.size_bytes, file.modified_ns};
      const std::optional<ImageId> id = index.find(page.path);
      if (!id && number > 1) continue;  // it was set aside
      const std::optional<StoredImage> image = id ? index.image(*id) : std::nullopt;
      require(image.has_value(), "list: a file without an image");
      pages = image->pages;
      list.add(page, &*image, is_gone ? "gone" : image->blank ? "blank" : "indexed");
    }
  }
  for (const SkippedFile& skipped : index.quarantine()) {
    list.add(skipped.file, nullptr, "quarantined");
  }
  return list.finish();
}

struct RunsArguments : ListArguments {
  explicit RunsArguments(CLI::App& command)
      : ListArguments(command, "Print each run's full report, one JSON object per line", false) {
    command.add_option("--last", last, "Maximum number of runs")
        ->check(CLI::Range(1U, 1000000U).description(""))
        ->type_name("N");
  }
  std::size_t last = 20;
};

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
  std::optional<Table> table;
  if (arguments.format.is_table()) {
    table.emplace(arguments.format,
                  std::vector<std::string>{"id", "command", "started", "elapsed_seconds", "outcome",
                                           "summary"});
  }
  for (const RunRecord& run : index.runs(arguments.last)) {
    Json row = run_answer(run);
    const Json report = row["report"];
    if (arguments.format.is_json()) {
      print_json(row);
    } else if (table) {
      row["summary"] = summary(report);
      table->add(row);
    } else {
      const std::string columns =
          fmt::format("{}  {:<8} {:<8} {:>8.1f} s", utc_text(run.started_ns), run.command,
                      run.outcome, run.elapsed_seconds);
      fmt::print("{}{}\n", columns, last_text(columns.size(), summary(report)));
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
              "Example: lookalike folders -d photos.db",
              list_folders);
}

void add_quarantine_command(CLI::App& app, Action& action) {
  add_command(app, action, "quarantine",
              "List the files that could not be indexed, with the reasons",
              "Output: a line per file: reason, path; below it the detail, if any. A file that is "
              "quarantined because "
              "of its content is retried only after it changes.\n"
              "Example: lookalike quarantine -d photos.db",
              list_quarantine);
}

void add_list_command(CLI::App& app, Action& action) {
  add_command(app, action, "list", "List the files of an index",
              "Output: one line per file: number of its image, bytes, features, state, path. Files "
              "with the same content have the same number. State: indexed; blank, without visible "
              "content; gone, but kept until its removal is confirmed; quarantined, as `lookalike "
              "quarantine` explains, without a number.\n"
              "Exit code 1, or 3 if it is so of each PATH, when one names nothing in the index.\n"
              "Example: lookalike list -d photos.db ~/photos/2019\n"
              "         lookalike list -d photos.db --state blank --format paths",
              list_files);
}

void add_runs_command(CLI::App& app, Action& action) {
  add_command(app, action, "runs", "List the runs that wrote an index, newest first",
              "Output: one line per run: start, command, outcome (done, stopped, failed, killed, "
              "running), elapsed time, and numbers of files; with --json the full report of each.\n"
              "Example: lookalike runs -d photos.db",
              list_runs);
}

}  // namespace lookalike
