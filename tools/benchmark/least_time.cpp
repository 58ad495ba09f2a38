#include "tools/benchmark/least_time.h"

#include <algorithm>
#include <chrono>

namespace lookalike {
namespace {

constexpr int kMinRuns = 3;

}  // namespace

double least_ms(double budget_ms, const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  run();
  double best_ms = 0;
  double spent_ms = 0;
  for (int runs = 0; runs < kMinRuns || spent_ms < budget_ms; ++runs) {
    const auto start = Clock::now();
    run();
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    best_ms = runs == 0 ? ms : std::min(best_ms, ms);
    spent_ms += ms;
  }
  return best_ms;
}

}  // namespace lookalike
