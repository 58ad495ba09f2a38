#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

// How JSON is written, and the one way to read it, whoever wrote it.
namespace lookalike {

using Json = nlohmann::ordered_json;

// Returns one line of JSON. Bytes that are not UTF-8 become U+FFFD, numbers that are not finite
// become null.
std::string json_text(const Json& json);

// The version of all JSON that programs print and serve, which docs/schema/ describes. It rises
// with every change that may break a reader.
inline constexpr int kJsonSchema = 1;

// Adds that version as "schema", first.
Json with_schema(const Json& json);

// Limits of what is parsed. Nothing that this program reads comes near them.
inline constexpr std::size_t kMostJsonDepth = 32;  // values in values: their copies recurse
// Most members of an object. nlohmann::ordered_json compares them all with each other.
inline constexpr std::size_t kMostJsonMembers = 1000;
// Longest string, number or run of spaces. The parser copies each of them.
inline constexpr std::size_t kMostJsonTokenBytes = std::size_t{64} << 10U;

// Parses a whole text. Returns a discarded value (is_discarded()) if it is no JSON or exceeds a
// limit. The limits are applied before the text is parsed, in a pass that allocates nothing.
//   JsonType     nlohmann::json or nlohmann::ordered_json
//   most_values  maximum number of members of all lists and objects, at any depth; an empty one
//                counts as one
template <typename JsonType>
JsonType parse_json(std::string_view text,
                    std::size_t most_values = std::numeric_limits<std::size_t>::max());

extern template nlohmann::json parse_json(std::string_view text, std::size_t most_values);
extern template nlohmann::ordered_json parse_json(std::string_view text, std::size_t most_values);

}  // namespace lookalike
