#include "kernels/benchmark/benchmark.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace lookalike {
namespace {

constexpr TimingLimits kTuneLimits = {.budget_ms = 100, .min_runs = 3};
// A variant whose first run takes this many times as long as the best has no second one.
constexpr double kAbandonRatio = 3;
// Sizes that are further apart than this, by octaves_between, are not near: a factor of 32 where
// one differs, of 11 each where two do.
constexpr double kNearOctaves = 5;

Timing time_once(OpenClSession& session, const std::function<void()>& run) {
  session.drain_profile();
  session.drain_transfers();
  const auto start = std::chrono::steady_clock::now();
  run();
  session.finish();
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
  Timing timing{
      .transfer_ms = session.drain_transfers().total_ms, .wall_ms = wall.count(), .runs = 1};
  for (const auto& [label, time] : session.drain_profile()) {
    timing.kernel_ms += time.total_ms;
    timing.launch_ms[label] = time.total_ms;
  }
  return timing;
}

// How fast variants were at the sizes measured so far, which tells how long they will take.
class Pace {
 public:
  void record(const KernelCase& problem, const std::string& variant, double ms) {
    if (ms <= 0) return;
    records_.push_back({problem.kernel, variant, problem.all_sizes(), ms / problem.amount});
  }

  // From the variant's pace at the nearest size. Nothing where no size is near: the cost of many
  // tiny images does not tell that of a large one.
  std::optional<double> predict_ms(const KernelCase& problem, const std::string& variant) const {
    double nearest = kNearOctaves;
    std::optional<double> ms;
    for (const Record& record : records_) {
      if (record.kernel != problem.kernel || record.variant != variant) continue;
      const double octaves = octaves_between(record.sizes, problem.all_sizes());
      if (octaves > nearest) continue;
      nearest = octaves;
      ms = record.ms_per_work * problem.amount;
    }
    return ms;
  }

 private:
  struct Record {
    std::string kernel;
    std::string variant;
    TuningSizes sizes;
    double ms_per_work;
  };
  std::vector<Record> records_;
};

std::string about(double ms) {
  return "about " + (ms < 10'000 ? std::to_string(std::lround(ms)) + " ms"
                                 : std::to_string(std::lround(ms / 1000)) + " s");
}

// Measures variants from small sizes to large and leaves out those that would take too long.
class Measurer {
 public:
  Measurer(MeasureVariant measure, double longest_run_ms)
      : measure_(std::move(measure)), longest_run_ms_(longest_run_ms) {}

  // Whether the variant would take too long; row.note then says so.
  bool leaves_out(const KernelCase& problem, BenchmarkRow& row) {
    const auto expected_ms = pace_.predict_ms(problem, row.variant);
    if (!expected_ms || *expected_ms <= longest_run_ms_) return false;
    pace_.record(problem, row.variant, *expected_ms);
    row.note = "not run: " + about(*expected_ms);
    return true;
  }

  // Sets row.timing, or row.note where the variant fails.
  void measure(const KernelCase& problem, const TimingLimits& limits, BenchmarkRow& row) {
    try {
      row.timing = measure_(problem, row.variant, limits);
      pace_.record(problem, row.variant, row.timing.kernel_ms);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kDevice) throw;
      row.failed = true;
      row.note = std::string("failed: ") + error.what();
    }
  }

 private:
  MeasureVariant measure_;
  double longest_run_ms_;
  Pace pace_;
};

BenchmarkRow row_of(const KernelCase& problem, const std::string& variant) {
  return {.kernel = problem.kernel,
          .sizes = problem.all_sizes(),
          .variant = variant,
          .unit = problem.unit,
          .amount = problem.amount};
}

std::string name_of(const BenchmarkRow& row) {
  return row.kernel + ' ' + to_string(row.sizes) + ' ' + row.variant;
}

std::vector<const KernelCase*> cases_of(const std::vector<KernelCase>& cases,
                                        const std::string& kernel) {
  std::vector<const KernelCase*> found;
  std::string known;
  for (const KernelCase& problem : cases) {
    if (kernel.empty() || problem.kernel == kernel) found.push_back(&problem);
    if (!known.ends_with(problem.kernel)) known += (known.empty() ? "" : ", ") + problem.kernel;
  }
  if (!found.empty()) return found;
  throw Error(ErrorKind::kUsage,
              "bench: kernel must be one of " + known + ", was '" + kernel + "'");
}

}  // namespace

Timing least_of(Timing a, Timing b) {
  return {.kernel_ms = std::min(a.kernel_ms, b.kernel_ms),
          .transfer_ms = std::min(a.transfer_ms, b.transfer_ms),
          .wall_ms = std::min(a.wall_ms, b.wall_ms),
          .runs = a.runs + b.runs,
          .launch_ms = std::move(a.kernel_ms <= b.kernel_ms ? a.launch_ms : b.launch_ms)};
}

Timing time_runs(OpenClSession& session, const std::function<void()>& run,
                 const TimingLimits& limits) {
  const Timing first = time_once(session, run);
  if (first.kernel_ms > limits.abandon_ms) return first;
  Timing best = time_once(session, run);
  double spent_ms = best.wall_ms;
  while (best.runs < limits.min_runs || spent_ms < limits.budget_ms) {
    Timing timing = time_once(session, run);
    spent_ms += timing.wall_ms;
    best = least_of(std::move(best), std::move(timing));
  }
  return best;
}

double BenchmarkRow::rate() const {
  const double scale = unit == WorkUnit::kPixels ? 1e6 : 1e9;
  return timing.kernel_ms > 0 ? amount / timing.kernel_ms * 1e3 / scale : 0;
}

std::string unit_name(WorkUnit unit) {
  switch (unit) {
    case WorkUnit::kOperations:
      return "GFLOP/s";
    case WorkUnit::kCopiedBytes:
    case WorkUnit::kReadBytes:
      return "GB/s";
    case WorkUnit::kPixels:
      break;
  }
  return "Mpixel/s";
}

std::optional<double> share_of_ceiling(const BenchmarkRow& row, const Ceilings& ceilings) {
  if (!row.note.empty()) return std::nullopt;
  switch (row.unit) {
    case WorkUnit::kOperations:
      return row.rate() / ceilings.multiply_add_gflops;
    case WorkUnit::kCopiedBytes:
      return row.rate() / ceilings.copy_gbs;
    case WorkUnit::kReadBytes:
      return row.rate() / ceilings.read_gbs;
    case WorkUnit::kPixels:
      break;
  }
  return std::nullopt;
}

BenchmarkReport run_benchmarks(OpenClSession& session, const std::vector<KernelCase>& cases,
                               const BenchmarkOptions& options) {
  BenchmarkReport report;
  std::vector<const KernelCase*> problem_of_row;
  for (const KernelCase* const problem : cases_of(cases, options.kernel)) {
    const std::string chosen = chosen_variant(session, *problem);
    for (const std::string& variant : problem->variants) {
      report.rows.push_back(row_of(*problem, variant));
      report.rows.back().chosen = variant == chosen;
      problem_of_row.push_back(problem);
    }
  }
  report.device = session.tuning_target();
  report.ceilings = measure_ceilings(session, options.ceiling_bytes);
  Measurer measurer(measure_on(session), options.longest_run_ms);
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    BenchmarkRow& row = report.rows[i];
    if (!measurer.leaves_out(*problem_of_row[i], row)) {
      if (options.progress) options.progress(name_of(row));
      measurer.measure(*problem_of_row[i], options.limits, row);
    }
    if (options.measured) options.measured(report, i);
  }
  return report;
}

MeasureVariant measure_on(OpenClSession& session) {
  return [&session](const KernelCase& problem, const std::string& variant,
                    const TimingLimits& limits) {
    return time_runs(session, problem.prepare(variant).solve, limits);
  };
}

TuneOutcome tune(const std::vector<KernelCase>& cases, const MeasureVariant& measure,
                 const TuneLimits& limits) {
  TuneOutcome outcome;
  Measurer measurer(measure, limits.longest_run_ms);
  for (const KernelCase& problem : cases) {
    if (problem.variants.size() < 2) continue;
    TimingLimits timing_limits = kTuneLimits;
    for (const std::string& variant : problem.variants) {
      BenchmarkRow row = row_of(problem, variant);
      if (!measurer.leaves_out(problem, row)) {
        if (limits.out_of_time()) {
          row.note = "no time left";
        } else {
          measurer.measure(problem, timing_limits, row);
        }
      }
      if (!row.note.empty()) {
        outcome.left_out.push_back(name_of(row) + ": " + row.note);
        continue;
      }
      const double ms = row.timing.kernel_ms;
      timing_limits.abandon_ms = std::min(timing_limits.abandon_ms, kAbandonRatio * ms);
      outcome.measurements.push_back({problem.kernel, problem.sizes, variant, ms});
    }
  }
  return outcome;
}

}  // namespace lookalike
