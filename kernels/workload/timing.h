#pragma once

#include <functional>
#include <limits>
#include <map>
#include <string>

#include "kernels/session/session.h"

namespace lookalike {

// The least of several runs, each number by itself.
struct Timing {
  double kernel_ms = 0;    // on the device, from profiling events
  double transfer_ms = 0;  // of copies between host and device, likewise
  double wall_ms = 0;      // from call to return, with everything in between
  int runs = 0;
  // Of kernel_ms in the run where it was least: its parts by label.
  std::map<std::string, double> launch_ms{};
};

// Of the runs of both.
Timing least_of(Timing a, Timing b);

struct TimingLimits {
  double budget_ms = 300;  // of wall time; the first run, which warms up, comes on top
  int min_runs = 3;
  // When the first run takes longer than this it is all there is.
  double hopeless_ms = std::numeric_limits<double>::infinity();
};

// Runs until the budget is spent. The session must have profile on; what it had recorded before is
// dropped. Throws what `run` throws.
Timing time_runs(OpenClSession& session, const std::function<void()>& run,
                 const TimingLimits& limits);

}  // namespace lookalike
