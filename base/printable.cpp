#include "base/printable.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/utf8.h"

namespace lookalike {
namespace {

// U+0080 to U+009F are controls as well; terminals obey some of them.
bool is_shown(const CodePoint& point) {
  const bool control = point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0);
  return point.length > 0 && !control && point.value != '\\';
}

}  // namespace

std::string printable(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    const CodePoint point = first_code_point(name);
    const std::size_t length = std::max<std::size_t>(1, point.length);
    for (const char c : name.substr(0, length)) {
      text += is_shown(point) ? std::string(1, c)
                              : fmt::format("\\x{:02X}", static_cast<std::uint8_t>(c));
    }
    name.remove_prefix(length);
  }
  return text;
}

std::string utc_text(std::int64_t since_epoch_ns) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(since_epoch_ns / 1'000'000'000));
}

}  // namespace lookalike
