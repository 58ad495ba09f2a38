#include <cstdint>

#include <fmt/ranges.h>

#include "pipeline/answers.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct RunsArguments : ListArguments {
  explicit RunsArguments(CLI::App& command)
      : ListArguments(command, {.json = "each run's full report, one JSON object per line",
                                .columns = {"id", "command", "started", "elapsed_seconds",
                                            "outcome", "summary"}}) {
    add_number(command, "--last N", last, 1U, 1000000U, "Maximum number of runs");
  }
  std::size_t last = 20;
};

// "/disk: no such folder, 12 indexed, 3 removed", or the error that ended the run.
std::string summary(const Json& report) {
  if (report.is_null()) return {};
  if (report.contains("error")) return report["error"].get<std::string>();
  std::vector<std::string> facts;
  for (const Json& reason : report.value("incomplete", Json::array())) facts.push_back(reason);
  for (const auto& [outcome, count] : report["files"].items()) {
    if (count != 0) facts.push_back(fmt::format("{} {}", count.get<std::uint64_t>(), outcome));
  }
  return fmt::format("{}", fmt::join(facts, ", "));
}

int list_runs(const RunsArguments& arguments) {
  const IndexReader index = arguments.index.open();
  const Printer printer(arguments.format);
  for (const RunRecord& run : index.runs(arguments.last)) {
    const Json answer = run_answer(run);
    Json row = answer;
    row["summary"] = summary(answer["report"]);
    printer.print(answer, row, [&] {
      const std::string columns =
          fmt::format("{}  {:<8} {:<10} {:>8.1f} s", utc_text(run.started_ns), run.command,
                      run.outcome, run.elapsed_seconds);
      fmt::print("{}{}\n", columns, last_text(columns.size(), row["summary"]));
    });
  }
  return kExitDone;
}

}  // namespace

void add_runs_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "runs", "List the runs that wrote an index, newest first",
      "Output: one line per run: start, command, outcome (good, incomplete, failed, killed, "
      "running), elapsed time, and numbers of files.\n"
      "Example: lookalike runs -d photos.db",
      list_runs);
}

}  // namespace lookalike
