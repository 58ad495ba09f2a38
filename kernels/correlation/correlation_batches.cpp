#include "kernels/correlation/correlation_batches.h"

#include <algorithm>

namespace lookalike {
namespace {

// Items are taken together as long as they need no more device memory than this.
constexpr std::size_t kBatchBytes = std::size_t{512} << 20;

}  // namespace

TuningSizes tuning_sizes(std::span<const CorrelationItem> items) {
  const auto products = [](const CorrelationItem& item) {
    return 1.0 * item.image.width * item.image.height * static_cast<double>(item.pattern.size());
  };
  const auto largest =
      std::max_element(items.begin(), items.end(),
                       [&](const auto& a, const auto& b) { return products(a) < products(b); });
  const auto u = [](int value) { return static_cast<std::uint64_t>(value); };
  return {{"width", u(largest->image.width)},
          {"height", u(largest->image.height)},
          {"pattern_width", u(largest->pattern.width)},
          {"pattern_height", u(largest->pattern.height)},
          {"patterns", items.size()}};
}

bool fuses(const WindowProducts& form, std::span<const CorrelationItem> items) {
  return std::all_of(items.begin(), items.end(), [&](const CorrelationItem& item) {
    return form.normalises(item.pattern.width, item.pattern.height);
  });
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
