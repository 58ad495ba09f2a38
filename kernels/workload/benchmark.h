#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/tuning/tuning_file.h"
#include "kernels/workload/ceilings.h"
#include "kernels/workload/timing.h"
#include "kernels/workload/workload.h"

namespace lookalike {

// How long one variant of a kernel took over one workload.
struct BenchmarkRow {
  std::string kernel;
  TuningSizes sizes{};
  std::string variant;
  bool chosen = false;  // what kAuto would take
  Timing timing{};
  WorkUnit unit = WorkUnit::kOperations;
  double amount = 0;
  std::string note{};   // why it was not run; empty when it was
  bool failed = false;  // it was to run, and the device could not

  // Work a second of kernel time, in unit_name(unit).
  double rate() const;
};

struct BenchmarkReport {
  TuningTarget device{};
  Ceilings ceilings{};
  std::vector<BenchmarkRow> rows{};
};

// "GFLOP/s", "GB/s" or "Mpixel/s".
std::string unit_name(WorkUnit unit);

// The row's rate as a part of what the device did at best; nothing for rows that were not run,
// and for pixels.
std::optional<double> share_of_ceiling(const BenchmarkRow& row, const Ceilings& ceilings);

struct BenchmarkOptions {
  std::string kernel{};  // only this one; empty: all
  TimingLimits limits{};
  std::size_t ceiling_bytes = std::size_t{1} << 28U;  // see measure_ceilings
  double longest_run_ms = 20'000;  // what would take longer, judged by smaller sizes, is not run
  std::function<void(const std::string&)> progress{};  // told what runs next; empty: nobody
  // Told of each row once it is measured, in a report that has the later ones without their times;
  // empty: nobody.
  std::function<void(const BenchmarkReport& report, std::size_t row)> measured{};
};

// Runs every variant of the workloads. The session must have profile on. A variant that fails
// becomes a row with a note. Throws Error(kUsage) when no workload is of options.kernel.
BenchmarkReport run_benchmarks(OpenClSession& session, const std::vector<Workload>& workloads,
                               const BenchmarkOptions& options);

// One table per kernel as text, below a line on the device and its ceilings; kAuto's choice is
// marked *.
std::string format_table(const BenchmarkReport& report);
// A row's part of it: its line, and what stands above the first row of all and of each kernel.
std::string format_row(const BenchmarkReport& report, std::size_t row);

}  // namespace lookalike
