#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace lookalike {

// The number that the whole text is; nothing for any other text, and for a number that the type
// does not hold.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, number);
  if (status != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace lookalike
