// `lookalike bench` and `lookalike tune` for machines that have nothing but OpenCL: every variant
// of every kernel, with kernel and transfer times and its share of the device's ceiling.
//   kernels_benchmark [--device D] [--kernel NAME] [--quick] [--check] [--tsv] [--launches]
//                     [--tune FOLDER]
// Prints each row as soon as it is measured; --launches adds the parts of its kernel time. --check
// compares each variant's last result with the reference. --tune first writes the device's tuning
// file to that folder, by which it then marks kAuto's choice. --tsv prints a line per variant,
// separated by tabs: kernel, sizes, variant, * for the choice, ms of kernels and ms on the wall.
// The exit code is 4, as for device errors, when a variant failed.

#include <cstdio>
#include <map>
#include <string>

#include "base/error.h"
#include "kernels/benchmark/benchmark.h"
#include "kernels/cases.h"
#include "kernels/tuning/tuning.h"

namespace lookalike {
namespace {

struct Options {
  std::map<std::string, std::string> values = {{"--device", ""}, {"--kernel", ""}, {"--tune", ""}};
  std::map<std::string, bool> flags = {
      {"--quick", false}, {"--check", false}, {"--tsv", false}, {"--launches", false}};
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (options.flags.contains(name)) {
      options.flags[name] = true;
    } else if (options.values.contains(name) && i + 1 < argc) {
      options.values[name] = argv[++i];
    } else {
      throw Error(ErrorKind::kUsage, "unknown option, or one without its value: " + name);
    }
  }
  return options;
}

void log(const std::string& line) {
  std::fprintf(stderr, "%s\n", line.c_str());
}

void tune_into(const std::string& folder, const std::string& device) {
  OpenClSession session({.device = device, .profile = true});
  const TuneOutcome outcome = tune(all_cases(session, CaseScale::kTuning), measure_on(session), {});
  for (const std::string& line : outcome.left_out) log(line);
  log(store_tuning(folder, {session.tuning_target(), outcome.measurements}).string());
}

void print_tabbed(const BenchmarkRow& row) {
  if (!row.note.empty()) return;
  std::printf("%s\t%s\t%s\t%s\t%.6g\t%.6g\n", row.kernel.c_str(), to_string(row.sizes).c_str(),
              row.variant.c_str(), row.chosen ? "*" : "", row.timing.kernel_ms, row.timing.wall_ms);
}

// Throws Error(kDevice) when a variant failed.
void run(Options options) {
  const std::string folder = options.values["--tune"];
  const std::string device = options.values["--device"];
  if (!folder.empty()) tune_into(folder, device);
  OpenClSession session({.device = device, .tuning_folder = folder, .profile = true, .warn = log});
  const auto print = [&](const BenchmarkReport& report, std::size_t index) {
    const BenchmarkRow& row = report.rows[index];
    if (options.flags["--tsv"]) {
      print_tabbed(row);
    } else {
      std::fputs(format_row(report, index).c_str(), stdout);
    }
    if (options.flags["--launches"]) {
      for (const auto& [label, ms] : row.timing.launch_ms) {
        std::printf("    %-28s %10.4f\n", label.c_str(), ms);
      }
    }
    std::fflush(stdout);
  };
  const auto scale = options.flags["--quick"] ? CaseScale::kQuick : CaseScale::kFull;
  const auto report = run_benchmarks(session, all_cases(session, scale),
                                     {.kernel = options.values["--kernel"],
                                      .check = options.flags["--check"],
                                      .progress = log,
                                      .measured = print});
  for (const BenchmarkRow& row : report.rows) {
    if (row.failed) {
      throw Error(ErrorKind::kDevice, row.kernel + ' ' + row.variant + ": " + row.note);
    }
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
