#include <memory>

#include "kernels/assign/assign.h"
#include "kernels/assign/synthetic_descriptors.h"
#include "kernels/workload/inputs.h"
#include "kernels/workload/workload.h"

namespace lookalike {
namespace {

struct Size {
  std::size_t descriptors;
  std::size_t words;
  std::size_t dimensions;
};

std::vector<Size> sizes_for(bool is_cpu, WorkloadScale scale) {
  const std::size_t many = std::size_t{1} << (is_cpu ? 17U : 20U);
  const std::size_t some = many / 8;
  switch (scale) {
    case WorkloadScale::kQuick:
      return {{512, 64, 64}};
    case WorkloadScale::kTuning:
      return {{some, 64, 64},   {some, 64, 128},   {some, 512, 64},   {some, 512, 128},
              {some, 4096, 64}, {some, 4096, 128}, {some, 65536, 64}, {some, 65536, 128}};
    case WorkloadScale::kFull:
      break;
  }
  return {
      {some, 512, 64}, {some, 4096, 64}, {some, 4096, 128}, {some, 65536, 64}, {many, 4096, 64}};
}

Workload workload_of(OpenClSession& session, const Size& size) {
  const auto [n, k, d] = size;
  Workload workload{.kernel = "assign",
                    .sizes = {{"words", k}, {"dimensions", d}},
                    .more_sizes = {{"descriptors", n}},
                    .unit = WorkUnit::kOperations,
                    .amount = 2.0 * static_cast<double>(n * k * d)};
  for (const AssignKernel kernel : assign_kernels(session)) {
    workload.variants.emplace_back(to_string(kernel));
  }
  const Lazy<std::vector<float>> words(
      [=] { return synthetic_descriptors(size.words, size.dimensions, 1); });
  const Lazy<std::vector<float>> rows(
      [=] { return synthetic_descriptors(size.descriptors, size.dimensions, 2); });
  workload.prepare = [&session, size, words, rows](const std::string& variant) {
    const auto assigner = std::make_shared<WordAssigner>(
        session, MatrixView<const float>(words.get(), size.dimensions),
        parse_assign_kernel(variant));
    return [=] { assigner->assign({rows.get(), size.dimensions}); };
  };
  return workload;
}

}  // namespace

std::vector<Workload> assign_workloads(OpenClSession& session, WorkloadScale scale) {
  std::vector<Workload> workloads;
  for (const Size& size : sizes_for(session.is_cpu(), scale)) {
    workloads.push_back(workload_of(session, size));
  }
  return workloads;
}

}  // namespace lookalike
