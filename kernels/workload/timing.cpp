#include "kernels/workload/timing.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace lookalike {
namespace {

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
  if (first.kernel_ms > limits.hopeless_ms) return first;
  Timing best = time_once(session, run);
  double spent_ms = best.wall_ms;
  while (best.runs < limits.min_runs || spent_ms < limits.budget_ms) {
    Timing timing = time_once(session, run);
    spent_ms += timing.wall_ms;
    best = least_of(std::move(best), std::move(timing));
  }
  return best;
}

}  // namespace lookalike
