#include "kernels/histogram/histogram_kernel.h"

#include "kernels/variant_names.h"

namespace lookalike {
namespace {

constexpr VariantNames<HistogramKernel, 4> kNames = {{
    {HistogramKernel::kAuto, "auto"},
    {HistogramKernel::kAtomic, "atomic"},
    {HistogramKernel::kLocal, "local"},
    {HistogramKernel::kSerial, "serial"},
}};

}  // namespace

std::string_view to_string(HistogramKernel kernel) {
  return name_of(kNames, kernel);
}

HistogramKernel parse_histogram_kernel(std::string_view name) {
  return variant_of(kNames, "histogram kernel", name);
}

std::vector<HistogramKernel> histogram_kernels(const OpenClSession& session) {
  if (session.is_cpu()) {
    return {HistogramKernel::kSerial, HistogramKernel::kLocal, HistogramKernel::kAtomic};
  }
  return {HistogramKernel::kLocal, HistogramKernel::kAtomic, HistogramKernel::kSerial};
}

}  // namespace lookalike
