#include "kernels/histogram/histogram_kernel.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace lookalike {
namespace {

constexpr std::array<std::pair<HistogramKernel, std::string_view>, 4> kNames = {{
    {HistogramKernel::kAuto, "auto"},
    {HistogramKernel::kAtomic, "atomic"},
    {HistogramKernel::kLocal, "local"},
    {HistogramKernel::kSerial, "serial"},
}};

}  // namespace

std::string_view to_string(HistogramKernel kernel) {
  return std::find_if(kNames.begin(), kNames.end(),
                      [&](const auto& entry) { return entry.first == kernel; })
      ->second;
}

HistogramKernel parse_histogram_kernel(std::string_view name) {
  std::string known;
  for (const auto& [kernel, known_name] : kNames) {
    if (known_name == name) return kernel;
    known += (known.empty() ? "" : ", ") + std::string(known_name);
  }
  throw Error(ErrorKind::kUsage,
              "histogram kernel: must be one of " + known + ", was '" + std::string(name) + "'");
}

std::vector<HistogramKernel> histogram_kernels(const OpenClSession& session) {
  if (session.is_cpu()) {
    return {HistogramKernel::kSerial, HistogramKernel::kLocal, HistogramKernel::kAtomic};
  }
  return {HistogramKernel::kLocal, HistogramKernel::kAtomic, HistogramKernel::kSerial};
}

}  // namespace lookalike
