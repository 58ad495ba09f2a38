#include "base/size_text.h"

#include <cmath>

#include <fmt/format.h>

namespace lookalike {

std::string size_text(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (bytes < 1'000'000) return fmt::format("{:.0f} kB", std::ceil(size / 1e3));
  return bytes < 1'000'000'000 ? fmt::format("{:.1f} MB", size / 1e6)
                               : fmt::format("{:.1f} GB", size / 1e9);
}

}  // namespace lookalike
