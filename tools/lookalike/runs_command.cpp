#include <memory>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "pipeline/answers.h"
#include "storage/index_reader.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/index_file.h"

namespace lookalike {
namespace {

struct Arguments {
  explicit Arguments(CLI::App& command) : index(command) {
    command.add_option("--last", last, "So many runs at most")->check(CLI::Range(1U, 1000000U));
    command.add_flag("--json", json, "Print each run's whole report, one JSON object a line");
  }
  IndexFile index;
  std::size_t last = 20;
  bool json = false;
};

// The report, or nothing where a run that did not end left none.
Json report_of(const RunRecord& run) {
  Json report = Json::parse(run.document, nullptr, false);
  return report.is_object() ? report : Json(nullptr);
}

Json to_json(const RunRecord& run) {
  return {{"id", run.id},
          {"command", run.command},
          {"started", utc_text(run.started_ns)},
          {"elapsed_seconds", run.elapsed_seconds},
          {"outcome", run.outcome},
          {"report", report_of(run)}};
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

int list(const Arguments& arguments) {
  const IndexReader index{std::filesystem::path(arguments.index.must_exist())};
  for (const RunRecord& run : index.runs(arguments.last)) {
    if (arguments.json) {
      fmt::print("{}\n", json_text(to_json(run)));
    } else {
      fmt::print("{}  {:<8} {:<8} {:>8.1f} s  {}\n", utc_text(run.started_ns), run.command,
                 run.outcome, run.elapsed_seconds, summary(report_of(run)));
    }
  }
  return kExitDone;
}

}  // namespace

void add_runs_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("runs", "List the runs that wrote an index, newest first");
  command->footer(
      "Output: one line a run: start, command, outcome (done, stopped, failed, killed, running), "
      "time taken, and what became of the files; with --json the whole report of each.\n"
      "Example: lookalike runs --database photos.db");
  const auto arguments = std::make_shared<Arguments>(*command);
  command->callback([=, &action] { action = [=] { return list(*arguments); }; });
}

}  // namespace lookalike
