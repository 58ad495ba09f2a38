#include "pipeline/printable.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

namespace lookalike {
namespace {

bool continues(char c) {
  return (static_cast<std::uint8_t>(c) & 0xC0U) == 0x80U;
}

// Bytes of the UTF-8 sequence that the text begins with, 0 where there is none that may be shown.
std::size_t visible_bytes(std::string_view text) {
  const auto first = static_cast<std::uint8_t>(text.front());
  if (first < 0x80) return first >= 0x20 && first != 0x7F && first != '\\' ? 1 : 0;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  const std::string_view rest = text.substr(1, size - 1);
  if (!std::all_of(rest.begin(), rest.end(), continues)) return 0;
  // U+0080 to U+009F are controls as well; terminals obey some of them.
  if (first == 0xC2 && static_cast<std::uint8_t>(text[1]) < 0xA0) return 0;
  return size;
}

}  // namespace

std::string printable(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    const std::size_t size = visible_bytes(name);
    if (size > 0) {
      text += name.substr(0, size);
    } else {
      text += fmt::format("\\x{:02X}", static_cast<std::uint8_t>(name.front()));
    }
    name.remove_prefix(std::max<std::size_t>(1, size));
  }
  return text;
}

}  // namespace lookalike
