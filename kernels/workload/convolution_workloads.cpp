#include <memory>
#include <utility>

#include "kernels/convolution/convolution.h"
#include "kernels/workload/inputs.h"
#include "kernels/workload/workload.h"

namespace lookalike {
namespace {

struct Size {
  std::size_t filter_side;
  std::size_t image_side;
};

std::vector<Size> sizes_for(WorkloadScale scale) {
  switch (scale) {
    case WorkloadScale::kQuick:
      return {{3, 200}};
    case WorkloadScale::kTuning:
      return {{3, 2048}, {7, 2048}, {15, 2048}, {31, 1024}};
    case WorkloadScale::kFull:
      break;
  }
  return {{3, 4096}, {7, 4096}, {15, 4096}};
}

// Of rank 1, so that every kernel takes it.
std::vector<float> filter_of(std::size_t side) {
  const std::vector<float> column = noise_values(side, 2);
  const std::vector<float> row = noise_values(side, 3);
  std::vector<float> filter;
  for (const float c : column) {
    for (const float r : row) filter.push_back(c * r);
  }
  return filter;
}

// Both images stay on the device, so that a run meets no fresh memory.
struct Problem {
  Problem(OpenClSession& session, const Size& size, ConvolutionKernel kernel)
      : convolution(session, {filter_of(size.filter_side), size.filter_side}, Border::kReflect,
                    kernel),
        from(session.allocate(size.image_side * size.image_side * sizeof(float))),
        to(session.allocate(size.image_side * size.image_side * sizeof(float))) {}
  Convolution convolution;
  cl::Buffer from;
  cl::Buffer to;
};

Workload workload_of(OpenClSession& session, const Size& size) {
  const std::size_t pixels = size.image_side * size.image_side;
  Workload workload{.kernel = "convolution",
                    .sizes = {{"height", size.filter_side}, {"width", size.filter_side}},
                    .more_sizes = {{"rows", size.image_side}, {"columns", size.image_side}},
                    .unit = WorkUnit::kCopiedBytes,
                    .amount = 2.0 * static_cast<double>(pixels * sizeof(float))};
  for (const ConvolutionKernel kernel :
       convolution_kernels(session, {filter_of(size.filter_side), size.filter_side})) {
    workload.variants.emplace_back(to_string(kernel));
  }
  const Lazy<std::vector<float>> values([=] { return noise_values(pixels, 1); });
  workload.prepare = [&session, size, values](const std::string& variant) {
    const auto problem =
        std::make_shared<Problem>(session, size, parse_convolution_kernel(variant));
    const auto back = std::make_shared<std::vector<float>>(values.get().size());
    return [=, &session] {
      session.write<float>(problem->from, values.get());
      // The first kernel after a transfer takes some 10 us more on an H200: it is a tiny one, and
      // not counted.
      if (!session.is_cpu()) problem->convolution.convolve(problem->from, 4, 4, problem->to);
      session.drain_profile();
      problem->convolution.convolve(problem->from, size.image_side, size.image_side, problem->to);
      session.read<float>(problem->to, *back);
    };
  };
  return workload;
}

}  // namespace

std::vector<Workload> convolution_workloads(OpenClSession& session, WorkloadScale scale) {
  std::vector<Workload> workloads;
  for (const Size& size : sizes_for(scale)) workloads.push_back(workload_of(session, size));
  return workloads;
}

}  // namespace lookalike
