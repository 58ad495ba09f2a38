#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cases.h"
#include "kernels/session/session.h"
#include "kernels/tuning/tuning_file.h"

namespace lookalike {

// The minimum of several runs, for each number separately.
struct Timing {
  double kernel_ms = 0;    // on the device, from profiling events
  double transfer_ms = 0;  // copies between host and device, likewise
  double wall_ms = 0;      // from call to return
  int runs = 0;
  // Parts of kernel_ms by label, in the run with the least.
  std::map<std::string, double> launch_ms{};
};

// Returns the timing of the runs of both.
Timing least_of(Timing a, Timing b);

struct TimingLimits {
  double budget_ms = 300;  // wall time, after the first run, which warms up
  int min_runs = 3;
  // A first run that takes longer is the only one.
  double abandon_ms = std::numeric_limits<double>::infinity();
};

// Runs until the budget is spent. The session must have profile on; its earlier profile is dropped.
// Throws what `run` throws.
Timing time_runs(OpenClSession& session, const std::function<void()>& run,
                 const TimingLimits& limits);

// The highest rates of the device, measured by kernels that do nothing else.
struct Ceilings {
  double multiply_add_gflops = 0;  // float32; a multiply-add counts as two operations
  double copy_gbs = 0;             // bytes read and written, in 1e9 per second
  double read_gbs = 0;             // bytes read
};

// Measures memory on two buffers of `bytes` bytes, a power of two from 2^20, halved where memory is
// scarce; they should be larger than the caches. The session must have profile on. Throws
// Error(kDevice) when a launch fails.
Ceilings measure_ceilings(OpenClSession& session, std::size_t bytes);

// The timing of a variant of a kernel for a case.
struct BenchmarkRow {
  std::string kernel;
  TuningSizes sizes{};
  std::string variant;
  bool chosen = false;  // kAuto would take it
  Timing timing{};
  WorkUnit unit = WorkUnit::kOperations;
  double amount = 0;
  std::string note{};   // why there is no timing
  bool failed = false;  // the device could not run it

  // Returns the work per second of kernel time, in unit_name(unit).
  double rate() const;
};

// Returns "GFLOP/s", "GB/s" or "Mpixel/s".
std::string unit_name(WorkUnit unit);

// Returns the row's rate as a share of the device's ceiling; nothing for rows without timing, and
// for pixels.
std::optional<double> share_of_ceiling(const BenchmarkRow& row, const Ceilings& ceilings);

struct BenchmarkReport {
  TuningTarget device{};
  Ceilings ceilings{};
  std::vector<BenchmarkRow> rows{};
};

struct BenchmarkOptions {
  std::string kernel{};  // empty: all
  bool check = false;    // compare each variant's last result with the reference
  TimingLimits limits{};
  std::size_t ceiling_bytes = std::size_t{1} << 28U;  // see measure_ceilings
  double longest_run_ms = 20'000;  // a variant is not run when smaller sizes predict more
  // Optional; receives the name of the next run.
  std::function<void(const std::string&)> progress{};
  // Optional; receives each measured row, in a report whose later rows have no times yet.
  std::function<void(const BenchmarkReport& report, std::size_t row)> measured{};
};

// Times every variant of the cases. The session must have profile on. A variant that fails becomes
// a row with a note. Throws Error(kUsage) when options.kernel has no case.
BenchmarkReport run_benchmarks(OpenClSession& session, const std::vector<KernelCase>& cases,
                               const BenchmarkOptions& options);

inline constexpr std::size_t kAnyWidth = 1U << 20U;

// Returns a table per kernel as text, below a line on the device and its ceilings; * marks kAuto's
// choice. In tables wider than `columns`, sizes stand on lines of their own, and the times of
// transfers and on the wall are left out if that is not enough.
std::string format_table(const BenchmarkReport& report, std::size_t columns = kAnyWidth);
// Returns a row's part of the table: its line, after the lines above the first row of all and of
// each kernel.
std::string format_row(const BenchmarkReport& report, std::size_t row,
                       std::size_t columns = kAnyWidth);

// Times a variant of a case. Throws Error(kDevice) when the variant does not run.
using MeasureVariant = std::function<Timing(const KernelCase& problem, const std::string& variant,
                                            const TimingLimits& limits)>;

// Returns a function that measures on a session with profile on. With `check` it throws
// Error(kDevice) when the last result differs from the reference.
MeasureVariant measure_on(OpenClSession& session, bool check = false);

struct TuneLimits {
  double longest_run_ms = 1500;  // as in BenchmarkOptions
  // True once there is no time left; the remaining variants are then not run.
  std::function<bool()> out_of_time = [] { return false; };
};

struct TuneOutcome {
  std::vector<Measurement> measurements{};
  std::vector<std::string> left_out{};  // a line with the reason for each missing measurement
};

// Measures every variant of the cases that have a choice, in their order.
TuneOutcome tune(const std::vector<KernelCase>& cases, const MeasureVariant& measure,
                 const TuneLimits& limits);

}  // namespace lookalike
