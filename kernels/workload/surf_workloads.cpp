#include <memory>

#include "kernels/surf/surf.h"
#include "kernels/workload/inputs.h"
#include "kernels/workload/workload.h"

namespace lookalike {
namespace {

struct Size {
  int width;
  int height;
  std::size_t images;
};

std::vector<Size> sizes_for(bool is_cpu, WorkloadScale scale) {
  switch (scale) {
    case WorkloadScale::kQuick:
      return {{160, 120, 1}};
    case WorkloadScale::kTuning:
      return {{320, 240, 16}, {1024, 768, 4}};
    case WorkloadScale::kFull:
      break;
  }
  return {{320, 240, is_cpu ? 16U : 256U}, {640, 480, is_cpu ? 16U : 256U}, {1920, 1080, 1}};
}

Workload workload_of(OpenClSession& session, const Size& size) {
  const auto pixels = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  Workload workload{.kernel = "surf",
                    .sizes = {{"images", size.images},
                              {"width", static_cast<std::uint64_t>(size.width)},
                              {"height", static_cast<std::uint64_t>(size.height)}},
                    .unit = WorkUnit::kPixels,
                    .amount = static_cast<double>(size.images * pixels)};
  for (const SurfKernel kernel : surf_kernels(session)) {
    workload.variants.emplace_back(to_string(kernel));
  }
  const Lazy<GrayImage> image([=] { return textured_picture(size.width, size.height, 1); });
  workload.prepare = [&session, size, image](const std::string& variant) {
    const auto surf = std::make_shared<Surf>(
        session, SurfParameters{.hessian_threshold = kPictureHessianThreshold},
        parse_surf_kernel(variant));
    const std::vector<ImageView> batch(size.images, image.get().view());
    return [=, keep = image] { surf->extract(batch); };
  };
  return workload;
}

}  // namespace

std::vector<Workload> surf_workloads(OpenClSession& session, WorkloadScale scale) {
  std::vector<Workload> workloads;
  for (const Size& size : sizes_for(session.is_cpu(), scale)) {
    workloads.push_back(workload_of(session, size));
  }
  return workloads;
}

}  // namespace lookalike
