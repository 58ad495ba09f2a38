#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  const std::string columns = fmt::format(
      "{:>9} files  {:<20}", files, root.scanned_ns > 0 ? utc_text(root.scanned_ns) : "never");
  const std::string remarks =
      (is_folder(root.path) ? "" : "  (missing)") +
      (root.withheld.empty()
           ? std::string()
           : fmt::format("  ({} files gone, kept until confirmed)", root.withheld.size()));
  fmt::print("{}{}\n", columns, last_column(columns.size(), printable(root.path) + remarks));
}

int list_folders(const FileArguments& arguments) {
  const IndexReader index = arguments.index.open();
  const std::vector<IndexRoot> roots = index.roots();
  PathSet paths;
  for (const IndexRoot& root : roots) paths.insert(root.path);
  std::map<std::string, std::size_t> files;  // by folder; "" for files outside all of them
  index.for_each_file([&](const std::string& file) {
    const std::string* const root = paths.innermost(file);
    ++files[root == nullptr ? std::string() : *root];
  });
  Json folders = Json::array();
  for (const IndexRoot& root : roots) folders.push_back(to_json(root, files[root.path]));
  if (arguments.format.is_json()) {
    print_json({{"folders", folders}, {"files_without_folder", files[""]}});
  } else if (arguments.format.is_table()) {
    const Table table(arguments.format, {"path", "files", "withheld", "last_scan", "present"});
    for (const Json& folder : folders) table.add(folder);
  } else {
    for (const IndexRoot& root : roots) print_text(root, files[root.path]);
    if (files[""] > 0) {
      const std::string columns = fmt::format("{:>9} files  {:<20}", files[""], "-");
      fmt::print("{}{}\n", columns,
                 last_text(columns.size(), "in no folder of the index; no run removes them"));
    }
  }
  return kExitDone;
}

int list_quarantine(const FileArguments& arguments) {
  const IndexReader index = arguments.index.open();
  const std::vector<SkippedFile> quarantine = index.quarantine();
  Json files = Json::array();
  for (const SkippedFile& file : quarantine) {
    files.push_back({{"path", text_of_path(file.file.path)},
                     {"reason", file.reason},
                     {"detail", file.detail},
                     {"size_bytes", file.file.size_bytes}});
  }
  if (arguments.format.is_json()) {
    print_json({{"quarantine", files}});
  } else if (arguments.format.is_table()) {
    const Table table(arguments.format, {"path", "reason", "detail", "size_bytes"});
    for (const Json& file : files) table.add(file);
  } else {
    for (const SkippedFile& file : quarantine) {
      const std::string columns = fmt::format("{:<12}", file.reason);
      const std::string path = last_column(columns.size(), printable(file.file.path));
      fmt::print("{}{}{}\n", columns, path, last_text(columns.size() + path.size(), file.detail));
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
  void add(const SourceFile& file, const StoredImage* image, const std::string& state) const {
    if (!arguments_.state.empty() && arguments_.state != state) return;
    if (!is_all_ && wanted_.innermost(page_of(file.path).file) == nullptr &&
        wanted_.innermost(file.path) == nullptr) {
      return;
    }
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

 private:
  const ContentArguments& arguments_;
  const bool is_all_;
  PathSet wanted_;
  std::optional<Table> table_;
};

int list_files(const ContentArguments& arguments) {
  const IndexReader index = arguments.index.open();
  PathSet gone;
  for (const IndexRoot& root : index.roots()) {
    for (const std::string& file : root.withheld) gone.insert(file);
  }
  const FileList list(arguments);
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
  return kExitDone;
}

struct RunsArguments : ListArguments {
  explicit RunsArguments(CLI::App& command)
      : ListArguments(command, "Print each run's full report, one JSON object per line", false) {
    command.add_option("--last", last, "Maximum number of runs")->check(CLI::Range(1U, 1000000U));
  }
  std::size_t last = 20;
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
  std::optional<Table> table;
  if (arguments.format.is_table()) {
    table.emplace(arguments.format,
                  std::vector<std::string>{"id", "command", "started", "elapsed_seconds", "outcome",
                                           "summary"});
  }
  for (const RunRecord& run : index.runs(arguments.last)) {
    const Json report = report_of(run);
    Json row = {{"id", run.id},
                {"command", run.command},
                {"started", utc_text(run.started_ns)},
                {"elapsed_seconds", run.elapsed_seconds},
                {"outcome", run.outcome}};
    if (arguments.format.is_json()) {
      row["report"] = report;
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
              "Output: one line per file: reason, path, detail. A file that is quarantined because "
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
