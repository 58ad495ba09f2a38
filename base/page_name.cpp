#include "base/page_name.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/parse_number.h"

namespace lookalike {

Page page_of(std::string_view name) {
  const std::size_t bracket = name.rfind('[');
  if (bracket == std::string_view::npos || bracket == 0 || !name.ends_with(']')) {
    return {std::string(name)};
  }
  const std::string_view digits = name.substr(bracket + 1, name.size() - bracket - 2);
  const auto number = parse_number<std::uint32_t>(digits);
  if (!number || *number == 0) return {std::string(name)};
  return {std::string(name.substr(0, bracket)), *number};
}

std::string page_name(const std::string& file, std::uint32_t number) {
  return number == 1 ? file : fmt::format("{}[{}]", file, number);
}

bool has_file(const std::string& name) {
  std::error_code error;
  return std::filesystem::exists(page_of(name).file, error) || error;
}

ContentHash page_content(const ContentHash& file, std::uint32_t number) {
  if (number == 1) return file;
  std::array<std::uint8_t, sizeof(ContentHash) + 4> bytes{};
  const auto end = std::ranges::copy(file, bytes.begin()).out;
  for (std::size_t i = 0; i < 4; ++i) end[i] = static_cast<std::uint8_t>(number >> (8 * i));
  return hash_content(bytes);
}

}  // namespace lookalike
