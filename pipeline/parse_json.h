#pragma once

#include <cstddef>
#include <limits>
#include <string_view>

#include <nlohmann/json.hpp>

// The one way to read JSON, whoever wrote it.
namespace lookalike {

// Limits of what is parsed. Nothing that this program reads comes near them.
inline constexpr std::size_t kMostJsonDepth = 32;  // values in values: their copies recurse
// Most members of an object. nlohmann::ordered_json compares them all with each other.
inline constexpr std::size_t kMostJsonMembers = 1000;
// Longest string, number or run of spaces. The parser copies each of them.
inline constexpr std::size_t kMostJsonTokenBytes = std::size_t{64} << 10U;

// Parses a whole text. Returns a discarded value (is_discarded()) if it is no JSON or exceeds a
// limit. The limits are applied before the text is parsed, in a pass that allocates nothing.
//   JsonType     nlohmann::json or nlohmann::ordered_json
//   most_values  maximum number of values, those in lists and objects included
template <typename JsonType>
JsonType parse_json(std::string_view text,
                    std::size_t most_values = std::numeric_limits<std::size_t>::max());

extern template nlohmann::json parse_json(std::string_view text, std::size_t most_values);
extern template nlohmann::ordered_json parse_json(std::string_view text, std::size_t most_values);

}  // namespace lookalike
