#include <memory>

#include "kernels/variance/variance.h"
#include "kernels/workload/inputs.h"
#include "kernels/workload/workload.h"

namespace lookalike {
namespace {

struct Size {
  std::size_t images;
  int width;
  int height;
};

std::vector<Size> sizes_for(bool is_cpu, WorkloadScale scale) {
  switch (scale) {
    case WorkloadScale::kQuick:
      return {{3, 320, 240}};
    case WorkloadScale::kTuning:
      return {{1, 1024, 1024}, {64, 320, 240}, {32, 1024, 1024}};
    case WorkloadScale::kFull:
      break;
  }
  return {{64, 320, 240}, {is_cpu ? 100U : 1000U, 1024, 1024}};
}

Workload workload_of(OpenClSession& session, const Size& size) {
  const auto pixels = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  Workload workload{.kernel = "variance",
                    .sizes = {{"images", size.images}, {"pixels", pixels}},
                    .unit = WorkUnit::kReadBytes,
                    .amount = static_cast<double>(size.images * pixels)};
  for (const Reduction reduction : reductions(session)) {
    workload.variants.emplace_back(to_string(reduction));
  }
  const Lazy<GrayImage> image([=] { return noise_picture(size.width, size.height, 1); });
  workload.prepare = [&session, size, image](const std::string& variant) {
    const auto variance = std::make_shared<ImageVariance>(session, parse_reduction(variant));
    const std::vector<ImageView> batch(size.images, image.get().view());
    return [=, keep = image] { variance->compute(batch); };
  };
  return workload;
}

}  // namespace

std::vector<Workload> variance_workloads(OpenClSession& session, WorkloadScale scale) {
  std::vector<Workload> workloads;
  for (const Size& size : sizes_for(session.is_cpu(), scale)) {
    workloads.push_back(workload_of(session, size));
  }
  return workloads;
}

}  // namespace lookalike
