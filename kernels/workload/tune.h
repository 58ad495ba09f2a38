#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/tuning/tuning_file.h"
#include "kernels/workload/workload.h"

namespace lookalike {

// Kernel time of a variant of a workload in ms. May stop after one run when that takes longer than
// hopeless_ms. Throws Error(kDevice) when the variant does not run.
using MeasureVariant =
    std::function<double(const Workload& workload, const std::string& variant, double hopeless_ms)>;

// Measures on a session with profile on, for about a tenth of a second.
MeasureVariant measure_on(OpenClSession& session);

struct TuneLimits {
  // A variant that would take longer than this, judged by smaller sizes, is not run.
  double variant_ms = 1500;
  // True once there is no time left; what remains is then not run.
  std::function<bool()> out_of_time = [] { return false; };
};

struct TuneOutcome {
  std::vector<Measurement> measurements{};
  std::vector<std::string> left_out{};  // a line on each measurement that was not taken, and why
};

// Measures every variant of the workloads that have a choice, in their order.
TuneOutcome tune(const std::vector<Workload>& workloads, const MeasureVariant& measure,
                 const TuneLimits& limits);

}  // namespace lookalike
