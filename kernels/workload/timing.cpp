#include "kernels/workload/timing.h"

#include <algorithm>
#include <chrono>

namespace lookalike {
namespace {

Timing time_once(OpenClSession& session, const std::function<void()>& run) {
  session.drain_profile();
  session.drain_transfers();
  const auto start = std::chrono::steady_clock::now();
  run();
  session.finish();
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
  Timing timing{0, session.drain_transfers().total_ms, wall.count(), 1};
  for (const auto& [label, time] : session.drain_profile()) timing.kernel_ms += time.total_ms;
  return timing;
}

}  // namespace

Timing time_runs(OpenClSession& session, const std::function<void()>& run,
                 const TimingLimits& limits) {
  const Timing first = time_once(session, run);
  if (first.kernel_ms > limits.hopeless_ms) return first;
  Timing best = time_once(session, run);
  double spent_ms = best.wall_ms;
  while (best.runs < limits.min_runs || spent_ms < limits.budget_ms) {
    const Timing timing = time_once(session, run);
    spent_ms += timing.wall_ms;
    best = {std::min(best.kernel_ms, timing.kernel_ms),
            std::min(best.transfer_ms, timing.transfer_ms), std::min(best.wall_ms, timing.wall_ms),
            best.runs + 1};
  }
  return best;
}

}  // namespace lookalike
