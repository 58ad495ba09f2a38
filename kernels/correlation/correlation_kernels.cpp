// Which forms of the correlation a device can run, and which is guessed to be the fastest.
#include <algorithm>
#include <array>
#include <cmath>

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "kernels/correlation/window_products.h"
#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

// Returns all forms, best first; the place of kFrequency depends on the sizes.
std::vector<CorrelationKernel> all_kernels(bool is_cpu) {
  using enum CorrelationKernel;
  if (is_cpu) return {kDotProduct, kVector, kFrequency, kTiled, kPerPosition};
  return {kMatrix, kDotProduct, kFrequency, kTiled, kPerPosition, kVector};
}

// Side of the smallest block of Fourier transforms.
constexpr int kLeastSide = 256;

// Returns how many products a direct form computes in the time that kFrequency needs for a pixel of
// a transform: 64^2, 128^2, 300^2 and 64 of 64^2 in 1920x1080, NVIDIA H200 and PoCL 3.1 on a 2-core
// AMD EPYC with AVX-512 VNNI (kernels_benchmark --kernel correlation).
double products_per_pixel(CorrelationKernel direct, bool is_cpu) {
  switch (direct) {
    case CorrelationKernel::kMatrix:
      return 11000;
    case CorrelationKernel::kDotProduct:
      return is_cpu ? 1800 : 3000;
    default:
      return is_cpu ? 600 : 1000;
  }
}

// True if the form agrees with the reference on a pair with several tiles and both signs.
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
// True as __builtin_cpu_supports("avxvnni") is, which clang lacks before version 15.
bool has_avx_vnni() {
  unsigned int eax = 0;
  unsigned int ebx = 0;
  unsigned int ecx = 0;
  unsigned int edx = 0;
  return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & (1U << 4U)) != 0;
}
#endif

}  // namespace

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
      return group >= 256;
    case CorrelationKernel::kDotProduct:
      return session.is_cpu() ? dot_product_lanes(session) > 0 : group >= 128;
    case CorrelationKernel::kMatrix:
      return session.device().is_nvidia();
    case CorrelationKernel::kFrequency:
      return has_vkfft() && session.device().has_doubles;
    default:
      return true;
  }
}

bool runs(OpenClSession& session, CorrelationKernel kernel) {
  const bool own_code =
      kernel == CorrelationKernel::kDotProduct || kernel == CorrelationKernel::kMatrix;
  return !own_code || session.supports("correlation " + std::string(to_string(kernel)),
                                       [&] { return works(session, kernel); });
}

std::vector<CorrelationKernel> claimed_kernels(OpenClSession& session) {
  std::vector<CorrelationKernel> kernels = all_kernels(session.is_cpu());
  std::erase_if(kernels, [&](CorrelationKernel kernel) { return !may_run(session, kernel); });
  return kernels;
}

std::vector<CorrelationKernel> correlation_kernels(OpenClSession& session) {
  std::vector<CorrelationKernel> kernels = claimed_kernels(session);
  std::erase_if(kernels, [&](CorrelationKernel kernel) { return !runs(session, kernel); });
  return kernels;
}

TuningSizes CorrelationSizes::tuning_sizes() const {
  return {{"width", to_size(width)},
          {"height", to_size(height)},
          {"pattern_width", to_size(pattern_width)},
          {"pattern_height", to_size(pattern_height)},
          {"patterns", patterns}};
}

std::vector<CorrelationKernel> best_guess_first(std::vector<CorrelationKernel> kernels,
                                                const CorrelationSizes& sizes, bool is_cpu) {
  const auto frequency = std::find(kernels.begin(), kernels.end(), CorrelationKernel::kFrequency);
  if (frequency == kernels.end()) return kernels;
  const double pixels =
      1.0 * std::max(sizes.width, kLeastSide) * std::max(sizes.height, kLeastSide);
  const auto patterns = static_cast<double>(sizes.patterns);
  if (sizes.products() * patterns >
      products_per_pixel(kernels.front(), is_cpu) * pixels * (patterns + 2)) {
    std::rotate(kernels.begin(), frequency, frequency + 1);
  }
  return kernels;
}

}  // namespace lookalike
