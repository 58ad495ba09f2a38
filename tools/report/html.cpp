#include "tools/report/html.h"

#include <cstddef>

#include "base/text.h"

namespace lookalike {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_unseen(char32_t value) {
  const bool control = value < 0x20 || (value >= 0x7F && value < 0xA0);
  const bool turns_writing = value == 0x200E || value == 0x200F ||
                             (value >= 0x202A && value <= 0x202E) ||
                             (value >= 0x2066 && value <= 0x2069);
  return control || turns_writing;
}

// Calls visit(code point, its bytes) for each character of valid UTF-8.
template <typename Visit>
void for_each_character(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const std::size_t length = point.length == 0 ? 1 : point.length;
    visit(point.length == 0 ? char32_t{0xFFFD} : point.value,
          point.length == 0 ? kReplacement : text.substr(0, length));
    text.remove_prefix(length);
  }
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string result;
  for_each_character(text, [&](char32_t, std::string_view bytes) { result += bytes; });
  return result;
}

std::string escape_html(std::string_view text) {
  std::string result;
  for_each_character(text, [&](char32_t value, std::string_view bytes) {
    switch (value) {
      case U'&':
        result += "&amp;";
        break;
      case U'<':
        result += "&lt;";
        break;
      case U'>':
        result += "&gt;";
        break;
      case U'"':
        result += "&quot;";
        break;
      case U'\'':
        result += "&#39;";
        break;
      default:
        result += is_unseen(value) ? kReplacement : bytes;
    }
  });
  return result;
}

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace lookalike
