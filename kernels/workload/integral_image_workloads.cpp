#include <memory>

#include "kernels/integral_image/integral_image.h"
#include "kernels/workload/inputs.h"
#include "kernels/workload/workload.h"

namespace lookalike {
namespace {

struct Size {
  std::size_t width;
  std::size_t height;
};

std::vector<Size> sizes_for(WorkloadScale scale) {
  switch (scale) {
    case WorkloadScale::kQuick:
      return {{320, 240}};
    case WorkloadScale::kTuning:
      return {{320, 240}, {1920, 1080}, {4096, 4096}};
    case WorkloadScale::kFull:
      break;
  }
  return {{640, 480}, {1920, 1080}, {4096, 4096}};
}

// The image and its sums stay on the device, so that a run meets no fresh memory.
struct Problem {
  Problem(OpenClSession& session, const Size& size, IntegralKernel kernel)
      : integral(session, kernel),
        value_bytes(integral_value_bytes(size.width * size.height)),
        pixels(session.allocate(size.width * size.height)),
        sums(session.allocate((size.width + 1) * (size.height + 1) * value_bytes)) {}
  ImageIntegral integral;
  std::size_t value_bytes;
  cl::Buffer pixels;
  cl::Buffer sums;
};

Workload workload_of(OpenClSession& session, const Size& size) {
  const std::size_t pixels = size.width * size.height;
  const std::size_t sum_bytes = pixels * integral_value_bytes(pixels);
  Workload workload{.kernel = "integral_image",
                    .sizes = {{"width", size.width}, {"height", size.height}},
                    .unit = WorkUnit::kCopiedBytes,
                    .amount = static_cast<double>(pixels + sum_bytes)};
  for (const IntegralKernel kernel : integral_kernels(session, pixels)) {
    workload.variants.emplace_back(to_string(kernel));
  }
  const Lazy<GrayImage> image([=] {
    return noise_picture(static_cast<int>(size.width), static_cast<int>(size.height), 1);
  });
  workload.prepare = [&session, size, sum_bytes, image](const std::string& variant) {
    const auto problem = std::make_shared<Problem>(session, size, parse_integral_kernel(variant));
    const auto back = std::make_shared<std::vector<std::uint8_t>>(sum_bytes);
    return [=, &session] {
      session.write<std::uint8_t>(problem->pixels, image.get().pixels);
      problem->integral.compute(problem->pixels, size.width, size.height, problem->sums);
      session.read<std::uint8_t>(problem->sums, *back);
    };
  };
  return workload;
}

}  // namespace

std::vector<Workload> integral_image_workloads(OpenClSession& session, WorkloadScale scale) {
  std::vector<Workload> workloads;
  for (const Size& size : sizes_for(scale)) workloads.push_back(workload_of(session, size));
  return workloads;
}

}  // namespace lookalike
