#include "kernels/assign/assign_kernel.h"

#include <algorithm>
#include <utility>

#include "kernels/assign/matrix_units.h"
#include "kernels/variant_names.h"

namespace lookalike {
namespace {

constexpr VariantNames<AssignKernel, 9> kNames = {{
    {AssignKernel::kAuto, "auto"},
    {AssignKernel::kGpu1, "gpu1"},
    {AssignKernel::kGpu2, "gpu2"},
    {AssignKernel::kGpu3, "gpu3"},
    {AssignKernel::kGpu4, "gpu4"},
    {AssignKernel::kGpu5, "gpu5"},
    {AssignKernel::kFused, "fused"},
    {AssignKernel::kMatrix, "matrix"},
    {AssignKernel::kCpu, "cpu"},
}};

}  // namespace

std::string_view to_string(AssignKernel kernel) {
  return name_of(kNames, kernel);
}

std::vector<std::string_view> assign_kernel_names() {
  std::vector<std::string_view> names;
  for (const auto& [kernel, name] : kNames) names.push_back(name);
  return names;
}

AssignKernel parse_assign_kernel(std::string_view name) {
  return variant_of(kNames, "assign kernel", name);
}

std::vector<AssignKernel> assign_kernels(OpenClSession& session) {
  std::vector<AssignKernel> kernels = {AssignKernel::kFused, AssignKernel::kCpu};
  if (session.is_cpu()) std::swap(kernels[0], kernels[1]);
  if (has_matrix_units(session)) kernels.insert(kernels.begin(), AssignKernel::kMatrix);
  for (const AssignKernel step : {AssignKernel::kGpu5, AssignKernel::kGpu4, AssignKernel::kGpu3,
                                  AssignKernel::kGpu2, AssignKernel::kGpu1}) {
    kernels.push_back(step);
  }
  return kernels;
}

}  // namespace lookalike
