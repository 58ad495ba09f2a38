#include "kernels/workload/workload.h"

#include <iterator>
#include <utility>

namespace lookalike {

TuningSizes Workload::all_sizes() const {
  TuningSizes all = sizes;
  all.insert(more_sizes.begin(), more_sizes.end());
  return all;
}

std::string chosen_variant(OpenClSession& session, const Workload& workload) {
  return session.tuning()
      .fastest(workload.kernel, workload.sizes, workload.variants)
      .value_or(workload.variants.front());
}

std::vector<Workload> all_workloads(OpenClSession& session, WorkloadScale scale) {
  std::vector<Workload> all;
  for (const auto make : {assign_workloads, histogram_workloads, transpose_workloads,
                          variance_workloads, convolution_workloads, integral_image_workloads,
                          correlation_workloads, pose_search_workloads, surf_workloads}) {
    std::vector<Workload> some = make(session, scale);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace lookalike
