// `lookalike bench` and `lookalike tune` for machines that have nothing but OpenCL: every variant
// of every kernel, with kernel and transfer times and the share of what the device can do.
//   kernels_benchmark [--device D] [--kernel NAME] [--quick] [--tsv] [--launches] [--tune FOLDER]
// Each row is printed as soon as it is measured, with --launches the parts of its kernel time below
// it. With --tune, the device's tuning file is written to that folder first and then decides what
// is marked as kAuto's choice. --tsv prints what was run as lines of kernel, sizes, variant, *
// where it is the choice, ms of kernels and ms on the wall, with tabs between. Ends with 4, the
// code of device errors, when a variant failed.

#include <cstdio>
#include <string>

#include "kernels/tuning/tuning_store.h"
#include "kernels/workload/benchmark.h"
#include "kernels/workload/tune.h"

namespace lookalike {
namespace {

struct Options {
  std::string device{};
  std::string kernel{};
  std::string tuning_folder{};
  bool quick = false;
  bool tsv = false;
  bool launches = false;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    bool* flag = argument == "--quick"      ? &options.quick
                 : argument == "--tsv"      ? &options.tsv
                 : argument == "--launches" ? &options.launches
                                            : nullptr;
    if (flag != nullptr) {
      *flag = true;
      continue;
    }
    std::string* value = argument == "--device"   ? &options.device
                         : argument == "--kernel" ? &options.kernel
                         : argument == "--tune"   ? &options.tuning_folder
                                                  : nullptr;
    if (value == nullptr || i + 1 == argc) {
      throw Error(ErrorKind::kUsage, "unknown option, or one without its value: " + argument);
    }
    *value = argv[++i];
  }
  return options;
}

void say(const std::string& line) {
  std::fprintf(stderr, "%s\n", line.c_str());
}

void tune_into(const Options& options) {
  OpenClSession session({.device = options.device, .profile = true});
  const TuneOutcome outcome =
      tune(all_workloads(session, WorkloadScale::kTuning), measure_on(session), {});
  for (const std::string& line : outcome.left_out) say(line);
  say(store_tuning(options.tuning_folder, {session.tuning_target(), outcome.measurements})
          .string());
}

void print_tabbed(const BenchmarkRow& row) {
  if (!row.note.empty()) return;
  std::printf("%s\t%s\t%s\t%s\t%.6g\t%.6g\n", row.kernel.c_str(), to_string(row.sizes).c_str(),
              row.variant.c_str(), row.chosen ? "*" : "", row.timing.kernel_ms, row.timing.wall_ms);
}

void print_launches(const BenchmarkRow& row) {
  for (const auto& [label, ms] : row.timing.launch_ms) {
    std::printf("    %-28s %10.4f\n", label.c_str(), ms);
  }
}

// Throws Error(kDevice) when a variant failed.
void run(const Options& options) {
  if (!options.tuning_folder.empty()) tune_into(options);
  OpenClSession session({.device = options.device,
                         .tuning_folder = options.tuning_folder,
                         .profile = true,
                         .warn = say});
  const auto scale = options.quick ? WorkloadScale::kQuick : WorkloadScale::kFull;
  const auto print = [&](const BenchmarkReport& report, std::size_t row) {
    if (options.tsv) {
      print_tabbed(report.rows[row]);
    } else {
      std::fputs(format_row(report, row).c_str(), stdout);
    }
    if (options.launches) print_launches(report.rows[row]);
    std::fflush(stdout);
  };
  const auto report =
      run_benchmarks(session, all_workloads(session, scale),
                     {.kernel = options.kernel, .progress = say, .measured = print});
  for (const BenchmarkRow& row : report.rows) {
    if (row.failed)
      throw Error(ErrorKind::kDevice, row.kernel + ' ' + row.variant + ": " + row.note);
  }
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  try {
    lookalike::run(lookalike::parse(argc, argv));
  } catch (const lookalike::Error& error) {
    std::fprintf(stderr, "kernels_benchmark: %s\n", error.what());
    return lookalike::exit_code(error.kind());
  }
}
