#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "kernels/benchmark/benchmark.h"
#include "pipeline/answers.h"
#include "pipeline/index/run_benchmark.h"
#include "pipeline/open_session.h"
#include "tools/command_line/format.h"
#include "tools/lookalike/benchmark_json.h"
#include "tools/lookalike/commands.h"
#include "tools/report/page.h"
#include "tools/report/timeline.h"
#include "tools/scratch_folder.h"

namespace lookalike {
namespace {

struct Arguments : ComputeArguments {
  explicit Arguments(CLI::App& command) : ComputeArguments(command) {
    config.add("--device", "device.choice");
    auto* one =
        command.add_option("--kernel", kernel, "Only this kernel: assign, correlation, ...");
    auto* quickly =
        command.add_flag("--quick", quick, "Small sizes and few runs: a check that takes seconds");
    auto* runs = command
                     .add_option("--pipeline", folder,
                                 "Instead of kernels, time runs over the images of this folder")
                     ->type_name("DIR")
                     ->excludes(one)
                     ->excludes(quickly);
    command
        .add_option("--timeline", timeline,
                    "Also write a page that shows what each thread did in the second run")
        ->type_name("FILE.html")
        ->needs(runs);
    command.add_flag("--json", json, "Print one JSON object");
  }
  std::string kernel;
  std::string folder;
  std::string timeline;
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

Json run_json(const RunBenchmark& benchmark, const MeasuredRun& run) {
  Json stages = Json::array();
  for (const auto& [stage, busy_s] : run.busy_s) {
    stages.push_back({{"stage", stage},
                      {"threads", run.threads(stage)},
                      {"busy_s", busy_s},
                      {"share", run.share(stage)}});
  }
  return {{"elapsed_s", run.elapsed_s},
          {"images_s", run.images_s()},
          {"images_per_s", benchmark.rate(run.images_s())},
          {"of_decoding", benchmark.decode_s / run.images_s()},
          {"binding_stage", run.binding_stage()},
          {"stages", std::move(stages)}};
}

void print_run(const RunBenchmark& benchmark, const char* name, const MeasuredRun& run) {
  fmt::print("{:<31} {:>8.2f} s {:>8.0f} images/s  {:.2f} of decoding\n", name, run.images_s(),
             benchmark.rate(run.images_s()), benchmark.decode_s / run.images_s());
}

void print_benchmark(const RunBenchmark& benchmark) {
  const MeasuredRun& run = benchmark.with_codebook;
  fmt::print("{} images, {}\n", benchmark.images, benchmark.device);
  fmt::print("{:<31} {:>8.2f} s {:>8.0f} images/s\n", "decoding alone", benchmark.decode_s,
             benchmark.rate(benchmark.decode_s));
  print_run(benchmark, "with a codebook, no calibration", run);
  print_run(benchmark, "first run, no calibration", benchmark.first);
  fmt::print("{:<31} {:>8.2f} s {:>8.0f} images/s\n", "first run", benchmark.first.elapsed_s,
             benchmark.rate(benchmark.first.elapsed_s));
  fmt::print("\nstages of the run with a codebook; {} binds\n", run.binding_stage());
  fmt::print("{:<12} {:>8} {:>9} {:>7}\n", "stage", "threads", "busy", "share");
  for (const auto& [stage, busy_s] : run.busy_s) {
    fmt::print("{:<12} {:>8} {:>7.2f} s {:>7.2f}\n", stage, run.threads(stage), busy_s,
               run.share(stage));
  }
}

int bench_pipeline(const Arguments& arguments, RunConfig config) {
  config.images.folders = {arguments.folder};
  OutputGuard guard = arguments.outputs.guard(arguments.config, config);
  std::optional<OutputFile> page =
      guard.open_if_named("--timeline", arguments.timeline, page_kind());
  const ScratchFolder scratch;
  const RunBenchmark benchmark = benchmark_runs(config, scratch.path());
  if (arguments.json) {
    print_json(Json{{"device", benchmark.device},
                    {"images", benchmark.images},
                    {"decode_s", benchmark.decode_s},
                    {"first", run_json(benchmark, benchmark.first)},
                    {"with_codebook", run_json(benchmark, benchmark.with_codebook)}});
  } else {
    print_benchmark(benchmark);
  }
  if (page) {
    write_whole(
        *page, html_page("A run of lookalike",
                         facts_list({{"images", fmt::format("{}", benchmark.images)},
                                     {"device", benchmark.device}}) +
                             "<section>" + timeline(benchmark.with_codebook.spans) + "</section>"));
  }
  return kExitDone;
}

int bench(const Arguments& arguments) {
  arguments.verbosity.apply();
  const RunConfig config = arguments.config.load();
  if (!arguments.folder.empty()) return bench_pipeline(arguments, config);
  SessionOptions session_choice = session_options(config.device);
  session_choice.profile = true;
  OpenClSession session(session_choice);
  const auto scale = arguments.quick ? CaseScale::kQuick : CaseScale::kFull;
  const BenchmarkReport report =
      run_benchmarks(session, all_cases(session, scale), benchmark_options(arguments));
  if (arguments.json) {
    print_json(benchmark_json(report));
  } else {
    fmt::print("{}", format_table(report, text_columns()));
  }
  return kExitDone;
}

}  // namespace

void add_bench_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "bench", "Time every variant of every kernel, beside the device's ceilings",
      "Output: one table per kernel: sizes, variant (* is the one that is used), time of kernels, "
      "of transfers and on the wall, rate, and its share of the device's ceiling, which is "
      "measured in the same run. --json prints device, ceilings and results, which "
      "docs/schema/bench.json describes.\n"
      "With --pipeline: how fast a run is beside decoding alone, and which stage binds.\n"
      "Example: lookalike bench --kernel correlation",
      bench);
}

}  // namespace lookalike
