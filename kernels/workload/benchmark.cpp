#include "kernels/workload/benchmark.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "kernels/workload/pace.h"

namespace lookalike {
namespace {

double unit_scale(WorkUnit unit) {
  return unit == WorkUnit::kPixels ? 1e6 : 1e9;
}

BenchmarkRow row_of(const Workload& workload, const std::string& variant) {
  return {.kernel = workload.kernel,
          .sizes = workload.all_sizes(),
          .variant = variant,
          .unit = workload.unit,
          .amount = workload.amount};
}

class Bench {
 public:
  Bench(OpenClSession& session, const BenchmarkOptions& options)
      : session_(session), options_(options) {}

  void plan(const Workload& workload) {
    const std::string chosen = chosen_variant(session_, workload);
    for (const std::string& variant : workload.variants) {
      report.rows.push_back(row_of(workload, variant));
      report.rows.back().chosen = variant == chosen;
      steps_.emplace_back([&](BenchmarkRow& row) { run(workload, row); });
    }
  }

  void measure() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      steps_[i](report.rows[i]);
      if (options_.measured) options_.measured(report, i);
    }
  }

  BenchmarkReport report;

 private:
  void say(const Workload& workload, const std::string& what) const {
    if (!options_.progress) return;
    options_.progress(workload.kernel + ' ' + to_string(workload.all_sizes()) + ' ' + what);
  }

  void run(const Workload& workload, BenchmarkRow& row) {
    const auto expected_ms = pace_.predict_ms(workload, row.variant);
    if (expected_ms && *expected_ms > options_.longest_run_ms) {
      pace_.record(workload, row.variant, *expected_ms);
      row.note = "not run: about " + std::to_string(std::lround(*expected_ms / 1000)) + " s";
      return;
    }
    say(workload, row.variant);
    try {
      row.timing = time_runs(session_, workload.prepare(row.variant), options_.limits);
      pace_.record(workload, row.variant, row.timing.kernel_ms);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kDevice) throw;
      row.failed = true;
      row.note = std::string("failed: ") + error.what();
    }
  }

  OpenClSession& session_;
  const BenchmarkOptions& options_;
  std::vector<std::function<void(BenchmarkRow&)>> steps_;  // that fill in the rows
  Pace pace_;
};

}  // namespace

double BenchmarkRow::rate() const {
  return timing.kernel_ms > 0 ? amount / timing.kernel_ms * 1e3 / unit_scale(unit) : 0;
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
  if (!row.note.empty() || row.unit == WorkUnit::kPixels) return std::nullopt;
  switch (row.unit) {
    case WorkUnit::kOperations:
      return row.rate() / ceilings.multiply_add_gflops;
    case WorkUnit::kCopiedBytes:
      return row.rate() / ceilings.copy_gbs;
    default:
      return row.rate() / ceilings.read_gbs;
  }
}

BenchmarkReport run_benchmarks(OpenClSession& session, const std::vector<Workload>& workloads,
                               const BenchmarkOptions& options) {
  Bench bench(session, options);
  for (const Workload& workload : workloads) {
    if (options.kernel.empty() || workload.kernel == options.kernel) bench.plan(workload);
  }
  if (bench.report.rows.empty()) {
    std::string known;
    for (const Workload& workload : workloads) {
      if (!known.ends_with(workload.kernel)) known += (known.empty() ? "" : ", ") + workload.kernel;
    }
    throw Error(ErrorKind::kUsage,
                "bench: kernel must be one of " + known + ", was '" + options.kernel + "'");
  }
  bench.report.device = session.tuning_target();
  bench.report.ceilings = measure_ceilings(session, options.ceiling_bytes);
  bench.measure();
  return std::move(bench.report);
}

}  // namespace lookalike
