#include "kernels/correlation/correlation_kernel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "kernels/correlation/block_transform.h"
#include "kernels/correlation/correlation.h"
#include "kernels/variant_names.h"

namespace lookalike {
namespace {

constexpr VariantNames<CorrelationKernel, 8> kNames = {{
    {CorrelationKernel::kAuto, "auto"},
    {CorrelationKernel::kPerPosition, "per_position"},
    {CorrelationKernel::kTiled, "tiled"},
    {CorrelationKernel::kBlocked, "blocked"},
    {CorrelationKernel::kVector, "vector"},
    {CorrelationKernel::kDotProduct, "dot_product"},
    {CorrelationKernel::kMatrix, "matrix"},
    {CorrelationKernel::kFrequency, "frequency"},
}};

constexpr std::array kBestFirstOnCpu = {
    CorrelationKernel::kDotProduct, CorrelationKernel::kVector, CorrelationKernel::kFrequency,
    CorrelationKernel::kBlocked,    CorrelationKernel::kTiled,  CorrelationKernel::kPerPosition,
};

constexpr std::array kBestFirstOnGpu = {
    CorrelationKernel::kMatrix,  CorrelationKernel::kDotProduct, CorrelationKernel::kFrequency,
    CorrelationKernel::kBlocked, CorrelationKernel::kTiled,      CorrelationKernel::kPerPosition,
    CorrelationKernel::kVector,
};

// Whether the form agrees with the reference on a pair that takes several tiles and both signs.
bool works(OpenClSession& session, CorrelationKernel kernel) {
  GrayImage image(150, 75);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    image.pixels[i] = static_cast<std::uint8_t>(i * i * 37 % 251 + i % 5);
  }
  GrayImage pattern(70, 9);
  for (std::size_t i = 0; i < pattern.pixels.size(); ++i) {
    pattern.pixels[i] = static_cast<std::uint8_t>(i * 91 % 256);
  }
  Correlation correlation(session, {.kernel = kernel});
  const std::vector<float> map = correlation.map(image.view(), pattern.view());
  const std::vector<double> expected = correlation_reference(image.view(), pattern.view());
  return std::equal(map.begin(), map.end(), expected.begin(), expected.end(),
                    [](float a, double b) { return std::abs(a - b) < 1e-5; });
}

#ifdef __x86_64__
// As __builtin_cpu_supports("avxvnni"), which clang has from version 15 on only.
bool has_avx_vnni() {
  unsigned int eax = 0;
  unsigned int ebx = 0;
  unsigned int ecx = 0;
  unsigned int edx = 0;
  return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & (1U << 4U)) != 0;
}
#endif

}  // namespace

std::string_view to_string(CorrelationKernel kernel) {
  return name_of(kNames, kernel);
}

CorrelationKernel parse_correlation_kernel(std::string_view name) {
  return variant_of(kNames, "correlation kernel", name);
}

int dot_product_lanes(OpenClSession& session) {
#ifdef __x86_64__
  const std::string& instructions = session.tuning_target().instructions;
  if (instructions == "avx512" && __builtin_cpu_supports("avx512vnni") != 0) return 16;
  if (!instructions.empty() && has_avx_vnni()) return 8;
#endif
  return 0;
}

bool may_run(OpenClSession& session, CorrelationKernel kernel) {
  const std::size_t group = session.device().max_work_group_size;
  switch (kernel) {
    case CorrelationKernel::kTiled:
    case CorrelationKernel::kBlocked:
      return group >= 256;
    case CorrelationKernel::kDotProduct:
      return session.is_cpu() ? dot_product_lanes(session) > 0 : group >= 128;
    case CorrelationKernel::kMatrix:
      return session.device().is_nvidia();
    case CorrelationKernel::kFrequency:
      return BlockTransform::is_built_in() && session.device().has_doubles;
    default:
      return true;
  }
}

std::vector<CorrelationKernel> correlation_kernels(OpenClSession& session) {
  std::vector<CorrelationKernel> kernels;
  const auto keep = [&](CorrelationKernel kernel) {
    if (!may_run(session, kernel)) return;
    const bool own_code =
        kernel == CorrelationKernel::kDotProduct || kernel == CorrelationKernel::kMatrix;
    const auto probe = [&] { return works(session, kernel); };
    const std::string feature = "correlation " + std::string(to_string(kernel));
    if (!own_code || session.supports(feature, probe)) kernels.push_back(kernel);
  };
  if (session.is_cpu()) {
    std::for_each(kBestFirstOnCpu.begin(), kBestFirstOnCpu.end(), keep);
  } else {
    std::for_each(kBestFirstOnGpu.begin(), kBestFirstOnGpu.end(), keep);
  }
  return kernels;
}

}  // namespace lookalike
