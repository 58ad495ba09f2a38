#include "kernels/workload/pace.h"

#include "kernels/tuning/tuning.h"

namespace lookalike {
namespace {

// Sizes further apart than this, as octaves_between has it, are not near: a factor of 32 where one
// differs, of 11 in each where two do.
constexpr double kNearOctaves = 5;

}  // namespace

void Pace::record(const Workload& workload, const std::string& variant, double ms) {
  if (ms <= 0) return;
  records_.push_back({workload.kernel, variant, workload.all_sizes(), ms / workload.amount});
}

std::optional<double> Pace::predict_ms(const Workload& workload, const std::string& variant) const {
  double nearest = kNearOctaves;
  std::optional<double> ms;
  for (const Record& record : records_) {
    if (record.kernel != workload.kernel || record.variant != variant) continue;
    const double octaves = octaves_between(record.sizes, workload.all_sizes());
    if (octaves > nearest) continue;
    nearest = octaves;
    ms = record.ms_per_work * workload.amount;
  }
  return ms;
}

}  // namespace lookalike
