#include "kernels/correlation/correlation_batches.h"

#include <algorithm>

#include "kernels/correlation/correlation_image.h"

namespace lookalike {
namespace {

// Images and items are taken together as long as they need no more device memory than this.
constexpr std::size_t kBatchBytes = std::size_t{512} << 20;

// Blocks of Fourier transforms are no smaller.
constexpr int kLeastSide = 256;

// How many products a direct form takes in the time that kFrequency needs for a pixel of a
// transform: 64^2, 128^2, 300^2 and 64 of 64^2 in 1920x1080, correlation_benchmark of commit 2d0115e, NVIDIA H200 and
// PoCL 3.1 on a 2-core AMD EPYC with AVX-512 VNNI.
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

double products_of(const CorrelationItem& item) {
  return 1.0 * (item.image.width - item.pattern.width + 1) *
         (item.image.height - item.pattern.height + 1) * static_cast<double>(item.pattern.size());
}

const CorrelationItem& largest_of(std::span<const CorrelationItem> items) {
  return *std::max_element(items.begin(), items.end(), [](const auto& a, const auto& b) {
    return products_of(a) < products_of(b);
  });
}

}  // namespace

TuningSizes tuning_sizes(std::span<const CorrelationItem> items) {
  const CorrelationItem& largest = largest_of(items);
  const auto u = [](int value) { return static_cast<std::uint64_t>(value); };
  return {{"width", u(largest.image.width)},
          {"height", u(largest.image.height)},
          {"pattern_width", u(largest.pattern.width)},
          {"pattern_height", u(largest.pattern.height)},
          {"patterns", items.size()}};
}

std::vector<CorrelationKernel> best_guess_first(std::vector<CorrelationKernel> kernels,
                                                std::span<const CorrelationItem> items,
                                                bool is_cpu) {
  const auto frequency = std::find(kernels.begin(), kernels.end(), CorrelationKernel::kFrequency);
  if (frequency == kernels.end()) return kernels;
  const CorrelationItem& item = largest_of(items);
  const double patterns = static_cast<double>(items.size());
  const double transforms = patterns + 2;
  const double pixels =
      1.0 * std::max(item.image.width, kLeastSide) * std::max(item.image.height, kLeastSide);
  if (products_of(item) * patterns >
      products_per_pixel(kernels.front(), is_cpu) * pixels * transforms) {
    std::rotate(kernels.begin(), frequency, frequency + 1);
  }
  return kernels;
}

bool fuses(const WindowProducts& form, std::span<const CorrelationItem> items) {
  return std::all_of(items.begin(), items.end(), [&](const CorrelationItem& item) {
    return form.normalises(item.pattern.width, item.pattern.height);
  });
}

std::size_t fitting(std::span<const CorrelationPair> pairs) {
  std::size_t taken = place_image(pairs.front().image, 0).plane_bytes;
  std::size_t count = 1;
  while (count < pairs.size()) {
    const ImageView& image = pairs[count].image;
    if (!is_same_image(pairs[count - 1].image, image)) taken += place_image(image, 0).plane_bytes;
    if (taken > kBatchBytes) break;
    ++count;
  }
  return count;
}

std::size_t fitting(std::span<const CorrelationItem> items, bool fused) {
  std::size_t taken = device_bytes(items.front(), nullptr, fused);
  std::size_t count = 1;
  while (count < items.size()) {
    taken += device_bytes(items[count], &items[count - 1], fused);
    if (taken > kBatchBytes) break;
    ++count;
  }
  return count;
}

}  // namespace lookalike
