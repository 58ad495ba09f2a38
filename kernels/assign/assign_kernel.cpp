#include "kernels/assign/assign_kernel.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace lookalike {
namespace {

constexpr std::array<std::pair<AssignKernel, std::string_view>, 8> kNames = {{
    {AssignKernel::kAuto, "auto"},
    {AssignKernel::kGpu1, "gpu1"},
    {AssignKernel::kGpu2, "gpu2"},
    {AssignKernel::kGpu3, "gpu3"},
    {AssignKernel::kGpu4, "gpu4"},
    {AssignKernel::kGpu5, "gpu5"},
    {AssignKernel::kFused, "fused"},
    {AssignKernel::kCpu, "cpu"},
}};

}  // namespace

std::string_view to_string(AssignKernel kernel) {
  return std::find_if(kNames.begin(), kNames.end(),
                      [&](const auto& entry) { return entry.first == kernel; })
      ->second;
}

AssignKernel parse_assign_kernel(std::string_view name) {
  std::string known;
  for (const auto& [kernel, known_name] : kNames) {
    if (known_name == name) return kernel;
    known += (known.empty() ? "" : ", ") + std::string(known_name);
  }
  throw Error(ErrorKind::kUsage,
              "assign kernel: must be one of " + known + ", was '" + std::string(name) + "'");
}

std::vector<AssignKernel> assign_kernels(const OpenClSession& session) {
  std::vector<AssignKernel> kernels = {AssignKernel::kFused, AssignKernel::kCpu};
  if (session.is_cpu()) std::swap(kernels[0], kernels[1]);
  for (const AssignKernel step : {AssignKernel::kGpu5, AssignKernel::kGpu4, AssignKernel::kGpu3,
                                  AssignKernel::kGpu2, AssignKernel::kGpu1}) {
    kernels.push_back(step);
  }
  return kernels;
}

}  // namespace lookalike
