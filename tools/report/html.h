#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lookalike {

// The text with every byte sequence that is not UTF-8 replaced by U+FFFD, as file names may hold
// anything.
std::string valid_utf8(std::string_view text);

// Text that shows as it is, between tags and in quoted attributes, whatever it holds. Characters
// that could not be seen, controls and changes of writing direction, become U+FFFD.
std::string escape_html(std::string_view text);

std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace lookalike
