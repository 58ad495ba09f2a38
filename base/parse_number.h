#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace lookalike {

// Parses the whole text as a number; nothing for other text and for numbers out of range.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, number);
  if (status != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace lookalike
