#include "kernels/workload/pace.h"

#include <algorithm>

namespace lookalike {

void Pace::record(const Workload& workload, const std::string& variant, double ms) {
  if (ms <= 0) return;
  double& best = work_per_ms_[{workload.kernel, variant}];
  best = std::max(best, workload.amount / ms);
}

std::optional<double> Pace::predict_ms(const Workload& workload, const std::string& variant) const {
  const auto found = work_per_ms_.find({workload.kernel, variant});
  if (found == work_per_ms_.end()) return std::nullopt;
  return workload.amount / found->second;
}

}  // namespace lookalike
