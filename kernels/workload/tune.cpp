#include "kernels/workload/tune.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kernels/workload/pace.h"
#include "kernels/workload/timing.h"

namespace lookalike {
namespace {

constexpr double kBudgetMs = 100;
constexpr int kMinRuns = 3;
// A variant that took this many times as long as the best in its first run needs no second one.
constexpr double kHopelessRatio = 3;

class Tuner {
 public:
  Tuner(const MeasureVariant& measure, const TuneLimits& limits)
      : measure_(measure), limits_(limits) {}

  void add(const Workload& workload) {
    double best_ms = std::numeric_limits<double>::infinity();
    for (const std::string& variant : workload.variants) {
      if (const auto ms = measure(workload, variant, kHopelessRatio * best_ms)) {
        best_ms = std::min(best_ms, *ms);
        pace_.record(workload, variant, *ms);
        outcome.measurements.push_back({workload.kernel, workload.sizes, variant, *ms});
      }
    }
  }

  TuneOutcome outcome;

 private:
  std::optional<double> measure(const Workload& workload, const std::string& variant,
                                double hopeless_ms) {
    const auto expected_ms = pace_.predict_ms(workload, variant);
    if (expected_ms && *expected_ms > limits_.variant_ms) {
      pace_.record(workload, variant, *expected_ms);
      return leave_out(workload, variant,
                       "would take about " + std::to_string(std::lround(*expected_ms)) + " ms");
    }
    if (limits_.out_of_time()) return leave_out(workload, variant, "no time left");
    try {
      return measure_(workload, variant, hopeless_ms);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kDevice) throw;
      return leave_out(workload, variant, error.what());
    }
  }

  std::optional<double> leave_out(const Workload& workload, const std::string& variant,
                                  const std::string& reason) {
    outcome.left_out.push_back(workload.kernel + ' ' + to_string(workload.all_sizes()) + ' ' +
                               variant + ": " + reason);
    return std::nullopt;
  }

  const MeasureVariant& measure_;
  const TuneLimits& limits_;
  Pace pace_;
};

}  // namespace

MeasureVariant measure_on(OpenClSession& session) {
  return [&session](const Workload& workload, const std::string& variant, double hopeless_ms) {
    const auto run = workload.prepare(variant);
    return time_runs(session, run, {kBudgetMs, kMinRuns, hopeless_ms}).kernel_ms;
  };
}

TuneOutcome tune(const std::vector<Workload>& workloads, const MeasureVariant& measure,
                 const TuneLimits& limits) {
  Tuner tuner(measure, limits);
  for (const Workload& workload : workloads) {
    if (workload.variants.size() > 1) tuner.add(workload);
  }
  return std::move(tuner.outcome);
}

}  // namespace lookalike
