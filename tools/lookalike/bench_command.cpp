#include <string>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "kernels/benchmark/benchmark.h"
#include "pipeline/open_session.h"
#include "tools/lookalike/benchmark_json.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct Arguments {
  explicit Arguments(CLI::App& command) : config(command), verbosity(command) {
    config.add("--device", "device.choice");
    command.add_option("--kernel", kernel, "Only this kernel: assign, correlation, ...");
    command.add_flag("--quick", quick, "Small sizes and few runs: a check that takes seconds");
    command.add_flag("--json", json, "Print one JSON object");
  }
  ConfigArguments config;
  VerbosityArguments verbosity;
  std::string kernel;
  bool quick = false;
  bool json = false;
};

BenchmarkOptions benchmark_options(const Arguments& arguments) {
  BenchmarkOptions options;
  options.kernel = arguments.kernel;
  options.progress = [](const std::string& what) { spdlog::info("bench: {}", what); };
  if (arguments.quick) {
    options.limits = {.budget_ms = 10, .min_runs = 1};
    options.ceiling_bytes = std::size_t{1} << 24U;
  }
  return options;
}

int bench(const Arguments& arguments) {
  arguments.verbosity.apply();
  SessionOptions session_choice = session_options(arguments.config.load().device);
  session_choice.profile = true;
  OpenClSession session(session_choice);
  const auto scale = arguments.quick ? CaseScale::kQuick : CaseScale::kFull;
  const BenchmarkReport report =
      run_benchmarks(session, all_cases(session, scale), benchmark_options(arguments));
  if (arguments.json) {
    print_json(benchmark_json(report));
  } else {
    fmt::print("{}", format_table(report));
  }
  return kExitDone;
}

}  // namespace

void add_bench_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "bench", "Time every variant of every kernel, beside the device's ceilings",
      "Output: one table per kernel: sizes, variant (* is the one that is used), time of kernels, "
      "of\n"
      "transfers and on the wall, rate, and its share of the device's ceiling, which is measured "
      "in\n"
      "the same run. --json prints device, ceilings and results; README.md lists the fields.\n"
      "Example: lookalike bench --kernel correlation",
      bench);
}

}  // namespace lookalike
