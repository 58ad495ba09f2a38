#include "kernels/benchmark/benchmark.h"
#include "pipeline/device/open_session.h"
#include "pipeline/index/run_benchmark.h"
#include "tools/command_line/scratch_folder.h"
#include "tools/lab/synthesize/scale_benchmark.h"
#include "tools/lookalike/benchmark_json.h"
#include "tools/lookalike/commands.h"
#include "tools/report/page.h"
#include "tools/report/timeline.h"

namespace lookalike {
namespace {

struct BenchArguments : OutputtingArguments {
  explicit BenchArguments(CLI::App& command)
      : OutputtingArguments(command),
        json(command, "Print one JSON object, as docs/schema/bench.json describes") {
    auto* const one =
        add_value(command, "--kernel NAME", kernel, "Only this kernel: assign, correlation, ...");
    auto* const quickly =
        command.add_flag("--quick", quick, "Small sizes and few runs: a check that takes seconds");
    auto* const runs = add_value(command, "--pipeline DIR", folder,
                                 "Instead of kernels, time runs over the images of this "
                                 "folder")
                           ->excludes(one)
                           ->excludes(quickly);
    add_value(command, "--timeline FILE.html", timeline,
              "Also write a page that shows the activity of each thread in the second run")
        ->needs(runs);
    add_scale(command)->excludes(one)->excludes(quickly)->excludes(runs);
    config.add("device.choice");
  }
  JsonArgument json;
  std::string kernel;
  std::string folder;
  std::string timeline;
  SynthesisOptions scale{.images = 0, .planted = 100};
  std::string sample;
  std::string scratch;
  bool quick = false;

 private:
  CLI::Option* add_scale(CLI::App& command) {
    auto* const many = add_number(command, "--scale N", scale.images, 1, 100'000'000,
                                  "Instead of kernels, measure an index of N synthetic images")
                           ->default_str("");
    add_value(command, "--sample FILE", sample,
              "Index of a few hundred existing photos; synthetic images are made of its "
              "words")
        ->needs(many);
    add_number(command, "--features N", scale.features, 1, 100'000, "Features per synthetic image")
        ->needs(many);
    add_number(command, "--queries N", scale.planted, 1, 1'000'000,
               "Photos of the sample to look up; only a near-duplicate of each is indexed")
        ->needs(many);
    add_value(command, "--scratch DIR", scratch, "Folder for the index, on the disk to measure")
        ->default_str("the system's folder for temporary files")
        ->needs(many);
    return many;
  }
};

BenchmarkOptions benchmark_options(const BenchArguments& arguments) {
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

int bench_pipeline(const BenchArguments& arguments, RunConfig config) {
  config.images.folders = {arguments.folder};
  OutputGuard guard = arguments.outputs.guard(arguments.config, config);
  std::optional<OutputFile> page =
      guard.open_if_named("--timeline", arguments.timeline, page_kind());
  const ScratchFolder scratch;
  const RunBenchmark benchmark = benchmark_runs(config, scratch.path());
  arguments.json.print({{"device", benchmark.device},
                        {"images", benchmark.images},
                        {"decode_s", benchmark.decode_s},
                        {"first", run_json(benchmark, benchmark.first)},
                        {"with_codebook", run_json(benchmark, benchmark.with_codebook)}},
                       [&] { print_benchmark(benchmark); });
  if (page) {
    write_whole(*page, html_page("A run of lookalike",
                                 facts_list({{"images", fmt::format("{}", benchmark.images)},
                                             {"device", benchmark.device}}) +
                                     "<section class=\"panel\">" +
                                     timeline(benchmark.with_codebook.spans) + "</section>"));
  }
  return kExitDone;
}

Json cost_json(const StepCost& cost) {
  return {{"wall_s", cost.wall_s},
          {"cpu_s", cost.cpu_s},
          {"written_bytes", cost.written_bytes},
          {"read_bytes", cost.read_bytes},
          {"called_bytes", cost.called_bytes},
          {"reads", cost.reads}};
}

Json query_json(const QueryFigures& figures) {
  const auto ms = [](const Percentiles& step) {
    return Json{{"p50_ms", step.p50}, {"p95_ms", step.p95}, {"p99_ms", step.p99}};
  };
  return {{"queries", figures.queries},
          {"matching", ms(figures.matching)},
          {"words", ms(figures.words)},
          {"voting", ms(figures.voting)},
          {"verification", ms(figures.verification)},
          {"rest", ms(figures.rest)},
          {"each", cost_json(figures.each)}};
}

Json scale_json(const ScaleBenchmark& scale) {
  return {{"device", scale.device},
          {"images", scale.images},
          {"words", scale.words},
          {"postings", scale.postings},
          {"segments", scale.segments},
          {"file_bytes", scale.file_bytes},
          {"largest_log_bytes", scale.largest_log_bytes},
          {"synthesis_cpu_s", scale.synthesis_cpu_s},
          {"build", cost_json(scale.build)},
          {"build_memory_bytes", scale.build_memory_bytes},
          {"start", cost_json(scale.start)},
          {"warm", query_json(scale.warm)},
          {"cold", query_json(scale.cold)},
          {"recall_at_1", scale.recall_at_1},
          {"query_memory_bytes", scale.query_memory_bytes},
          {"added", scale.added},
          {"add", cost_json(scale.add)},
          {"compared", scale.compared},
          {"graph", cost_json(scale.graph)},
          {"graph_memory_bytes", scale.graph_memory_bytes},
          {"open_writer", cost_json(scale.open_writer)},
          {"remove_one", cost_json(scale.remove_one)},
          {"removed", scale.removed},
          {"remove_many", cost_json(scale.remove_many)},
          {"merge", cost_json(scale.merge)},
          {"merge_log_bytes", scale.merge_log_bytes},
          {"store_memory_bytes", scale.store_memory_bytes}};
}

void print_cost(const std::string& name, const StepCost& cost) {
  fmt::print("{:<22}{:>11.3f} {:>11.3f} {:>12.1f} {:>12.1f}\n", name, cost.wall_s, cost.cpu_s,
             static_cast<double>(cost.written_bytes) / 1e6,
             static_cast<double>(cost.read_bytes) / 1e6);
}

void print_queries(const char* name, const QueryFigures& figures) {
  fmt::print("\n{:<22}{:>11} {:>11} {:>12}\n",
             fmt::format("{} {} queries, ms", figures.queries, name), "p50", "p95", "p99");
  const auto print_step = [](const char* step, const Percentiles& ms) {
    fmt::print("{:<22}{:>11.1f} {:>11.1f} {:>12.1f}\n", step, ms.p50, ms.p95, ms.p99);
  };
  print_step("matching", figures.matching);
  print_step("  words", figures.words);
  print_step("  voting", figures.voting);
  print_step("  verification", figures.verification);
  print_step("  rest", figures.rest);
  fmt::print("a query: {:.3f} CPU s with extraction, {:.1f} MB in {} reads, {:.1f} MB from disk\n",
             figures.each.cpu_s, static_cast<double>(figures.each.called_bytes) / 1e6,
             figures.each.reads, static_cast<double>(figures.each.read_bytes) / 1e6);
}

void print_scale(const ScaleBenchmark& scale) {
  const auto mb = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  const auto bytes = static_cast<double>(scale.file_bytes);
  fmt::print("{} images, {} postings of {} words in {} segments, {}\n", scale.images,
             scale.postings, scale.words, scale.segments, scale.device);
  fmt::print("file: {:.1f} MB, {:.0f} bytes an image, {:.1f} a posting\n", bytes / 1e6,
             bytes / static_cast<double>(scale.images),
             bytes / static_cast<double>(scale.postings));
  fmt::print("log at most: {:.1f} MB while building, {:.1f} MB while merging\n",
             mb(scale.largest_log_bytes), mb(scale.merge_log_bytes));
  fmt::print("memory: {:.0f} MB building, {:.0f} MB queries, {:.0f} MB graph, {:.0f} MB changing\n",
             mb(scale.build_memory_bytes), mb(scale.query_memory_bytes),
             mb(scale.graph_memory_bytes), mb(scale.store_memory_bytes));
  fmt::print("planted copies that come first: {:.4f}\n", scale.recall_at_1);
  fmt::print("\n{:<22}{:>11} {:>11} {:>12} {:>12}\n", "", "wall s", "CPU s", "MB written",
             "MB read");
  print_cost("build", scale.build);
  fmt::print("{:<22}{:>11} {:>11.3f}\n", "  of it synthesis", "", scale.synthesis_cpu_s);
  print_cost(fmt::format("add {} images", scale.added), scale.add);
  print_cost(fmt::format("graph of {} images", scale.compared), scale.graph);
  print_cost("open for writing", scale.open_writer);
  print_cost("remove 1 file", scale.remove_one);
  print_cost(fmt::format("remove {} files", scale.removed), scale.remove_many);
  print_cost("merge to 1 segment", scale.merge);
  print_cost("open for queries", scale.start);
  print_queries("warm", scale.warm);
  print_queries("cold", scale.cold);
}

int bench_scale(const BenchArguments& arguments, const RunConfig& config, Progress::Style style) {
  if (arguments.sample.empty()) {
    throw Error(ErrorKind::kUsage,
                "--scale needs --sample: an index of a few hundred photos, made by `lookalike "
                "index FOLDER -d sample.db`");
  }
  const ScratchFolder scratch =
      arguments.scratch.empty() ? ScratchFolder() : ScratchFolder(arguments.scratch);
  const ScaleBenchmark scale =
      benchmark_scale(arguments.sample, arguments.scale, config, scratch.path(), style);
  arguments.json.print(scale_json(scale), [&] { print_scale(scale); });
  return kExitDone;
}

int bench(const BenchArguments& arguments, const RunConfig& config, Progress::Style style) {
  if (arguments.scale.images > 0) return bench_scale(arguments, config, style);
  if (!arguments.folder.empty()) return bench_pipeline(arguments, config);
  SessionOptions session_choice = query_session_options(config.device);
  session_choice.profile = true;
  OpenClSession session(session_choice);
  const auto scale = arguments.quick ? CaseScale::kQuick : CaseScale::kFull;
  const BenchmarkReport report =
      run_benchmarks(session, all_cases(session, scale), benchmark_options(arguments));
  arguments.json.print(benchmark_json(report),
                       [&] { fmt::print("{}", format_table(report, text_columns())); });
  return kExitDone;
}

}  // namespace

void add_bench_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "bench", "Time every variant of every kernel against the device's ceilings",
      "Output: one table per kernel: sizes, variant (* marks the one in use), time of kernels, of "
      "transfers and in all, rate, and its share of the device's ceiling, which is measured in the "
      "same run.\n"
      "With --pipeline: the speed of a run compared with decoding alone, and the stage that limits "
      "it.\n"
      "With --scale: the cost of building, searching and changing a large index, which is removed "
      "afterwards. docs/measurements/performance.md explains the figures.\n"
      "Example: lookalike bench --kernel correlation",
      bench);
}

}  // namespace lookalike
