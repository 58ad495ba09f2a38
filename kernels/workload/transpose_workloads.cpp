#include <memory>
#include <span>

#include "kernels/transpose/transpose.h"
#include "kernels/workload/inputs.h"
#include "kernels/workload/workload.h"

namespace lookalike {
namespace {

struct Size {
  std::size_t rows;
  std::size_t columns;
};

std::vector<Size> sizes_for(WorkloadScale scale) {
  switch (scale) {
    case WorkloadScale::kQuick:
      return {{200, 300}};
    case WorkloadScale::kTuning:
      return {{512, 512}, {65536, 64}, {2048, 2048}, {4096, 4096}};
    case WorkloadScale::kFull:
      break;
  }
  return {{65536, 64}, {2048, 2048}, {8192, 8192}};
}

// Both matrices stay on the device, so that a run meets no fresh memory; one buffer serves values
// of either width.
struct Problem {
  Problem(OpenClSession& session, TransposeKernel kernel, std::size_t bytes)
      : transpose(session, kernel), from(session.allocate(bytes)), to(session.allocate(bytes)) {}
  Transpose transpose;
  cl::Buffer from;
  cl::Buffer to;
};

Workload workload_of(OpenClSession& session, const Size& size, std::size_t value_bytes) {
  const std::size_t bytes = size.rows * size.columns * value_bytes;
  Workload workload{
      .kernel = "transpose",
      .sizes = {{"rows", size.rows}, {"columns", size.columns}, {"bytes", value_bytes}},
      .unit = WorkUnit::kCopiedBytes,
      .amount = 2.0 * static_cast<double>(bytes)};
  for (const TransposeKernel kernel : transpose_kernels(session)) {
    workload.variants.emplace_back(to_string(kernel));
  }
  const Lazy<std::vector<std::uint8_t>> values(
      [=] { return noise_picture(static_cast<int>(bytes), 1, 1).pixels; });
  workload.prepare = [&session, size, value_bytes, values](const std::string& variant) {
    const auto problem =
        std::make_shared<Problem>(session, parse_transpose_kernel(variant), values.get().size());
    const auto back = std::make_shared<std::vector<std::uint8_t>>(values.get().size());
    return [=, &session] {
      session.write<std::uint8_t>(problem->from, values.get());
      if (value_bytes == 1) {
        problem->transpose.transpose_bytes(problem->from, size.rows, size.columns, problem->to);
      } else {
        problem->transpose.transpose(problem->from, size.rows, size.columns, problem->to);
      }
      session.read<std::uint8_t>(problem->to, *back);
    };
  };
  return workload;
}

}  // namespace

std::vector<Workload> transpose_workloads(OpenClSession& session, WorkloadScale scale) {
  std::vector<Workload> workloads;
  for (const std::size_t value_bytes : {1U, 4U}) {
    for (const Size& size : sizes_for(scale)) {
      workloads.push_back(workload_of(session, size, value_bytes));
    }
  }
  return workloads;
}

}  // namespace lookalike
