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

// The minimum of several runs, of each number separately.
struct Timing {
  double kernel_ms = 0;    // on the device, from profiling events
  double transfer_ms = 0;  // of copies between host and device, likewise
  double wall_ms = 0;      // from call to return
  int runs = 0;
  // By label, of the run with the least kernel_ms, of which these are the parts.
  std::map<std::string, double> launch_ms{};
};

// Of the runs of both.
Timing least_of(Timing a, Timing b);

struct TimingLimits {
  double budget_ms = 300;  // of wall time, after the first run, which warms up
  int min_runs = 3;
  // A first run that takes longer is the only one.
  double abandon_ms = std::numeric_limits<double>::infinity();
};

// Runs until the budget is spent. The session must have profile on; its earlier profile is dropped.
// Throws what `run` throws.
Timing time_runs(OpenClSession& session, const std::function<void()>& run,
                 const TimingLimits& limits);

// The highest rates that the device reached, measured by kernels that do nothing else.
struct Ceilings {
  double multiply_add_gflops = 0;  // float32; a multiply-add counts as two operations
  double copy_gbs = 0;             // bytes read and written, in 1e9 per second
  double read_gbs = 0;             // bytes read
};

// Measures memory on two buffers of `bytes` bytes, a power of two from 2^20, halved where memory is
// scarce; they should be larger than the caches. The session must have profile on. Throws
// Error(kDevice) when a launch fails.
Ceilings measure_ceilings(OpenClSession& session, std::size_t bytes);

// How long one variant of a kernel took for one case.
struct BenchmarkRow {
  std::string kernel;
  TuningSizes sizes{};
  std::string variant;
  bool chosen = false;  // what kAuto would take
  Timing timing{};
  WorkUnit unit = WorkUnit::kOperations;
  double amount = 0;
  std::string note{};   // why it has no timing; empty when it has
  bool failed = false;  // it was run, and the device could not

  // Work per second of kernel time, in unit_name(unit).
  double rate() const;
};

// "GFLOP/s", "GB/s" or "Mpixel/s".
std::string unit_name(WorkUnit unit);

// The row's rate as a part of the device's ceiling; nothing for rows without timing, and for
// pixels.
std::optional<double> share_of_ceiling(const BenchmarkRow& row, const Ceilings& ceilings);

struct BenchmarkReport {
  TuningTarget device{};
  Ceilings ceilings{};
  std::vector<BenchmarkRow> rows{};
};

struct BenchmarkOptions {
  std::string kernel{};  // only this one; empty: all
  bool check = false;    // compare each variant's last result with the reference
  TimingLimits limits{};
  std::size_t ceiling_bytes = std::size_t{1} << 28U;  // see measure_ceilings
  double longest_run_ms =
      20'000;  // variants expected to take longer, by smaller sizes, are not run
  std::function<void(const std::string&)> progress{};  // receives what runs next; optional
  // Receives each row once it is measured, in a report whose later rows have no times yet;
  // optional.
  std::function<void(const BenchmarkReport& report, std::size_t row)> measured{};
};

// Times every variant of the cases. The session must have profile on. A variant that fails becomes
// a row with a note. Throws Error(kUsage) when no case is of options.kernel.
BenchmarkReport run_benchmarks(OpenClSession& session, const std::vector<KernelCase>& cases,
                               const BenchmarkOptions& options);

inline constexpr std::size_t kAnyWidth = 1U << 20U;

// One table per kernel as text, below a line on the device and its ceilings; kAuto's choice is
// marked *. In tables wider than `columns`, sizes stand on lines of their own; if that is not
// enough, the times of transfers and on the wall are left out.
std::string format_table(const BenchmarkReport& report, std::size_t columns = kAnyWidth);
// A row's part of it: its line, preceded by what stands above the first row of all and of each
// kernel.
std::string format_row(const BenchmarkReport& report, std::size_t row,
                       std::size_t columns = kAnyWidth);

// Times a variant of a case. Throws Error(kDevice) when the variant does not run.
using MeasureVariant = std::function<Timing(const KernelCase& problem, const std::string& variant,
                                            const TimingLimits& limits)>;

// Measures on a session with profile on. `check`: throws Error(kDevice) when the last result is not
// the reference's.
MeasureVariant measure_on(OpenClSession& session, bool check = false);

struct TuneLimits {
  double longest_run_ms = 1500;  // as in BenchmarkOptions
  // True once there is no time left; the remaining variants are then not run.
  std::function<bool()> out_of_time = [] { return false; };
};

struct TuneOutcome {
  std::vector<Measurement> measurements{};
  std::vector<std::string> left_out{};  // a line for each missing measurement, with the reason
};

// Measures every variant of the cases that have a choice, in their order.
TuneOutcome tune(const std::vector<KernelCase>& cases, const MeasureVariant& measure,
                 const TuneLimits& limits);

}  // namespace lookalike
