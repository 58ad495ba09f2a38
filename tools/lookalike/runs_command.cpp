#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  explicit Arguments(CLI::App& command) : index(command) {
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

int list_runs(const Arguments& arguments) {
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

void add_runs_command(CLI::App& app, Action& action) {
  add_command(app, action, "runs", "List the runs that wrote an index, newest first",
              "Output: one line per run: start, command, outcome (done, stopped, failed, killed, "
              "running), elapsed time, and numbers of files; with --json the full report of each.\n"
              "Example: lookalike runs --database photos.db",
              list_runs);
}

}  // namespace lookalike
