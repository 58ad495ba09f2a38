#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// The values that keys of the configuration may have.
namespace lookalike {

// The value of any key, in the types of TOML.
using FieldValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

// lowest, lowest + step, ... up to highest. With zero_word, 0 is also allowed and may be written as
// that word.
struct Integer {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  std::string_view unit{};
  std::string_view zero_word{};
  std::int64_t step = 1;
};

// A finite number in [lowest, highest], possibly written as an integer. zero_word as above.
struct Number {
  double lowest = 0;
  double highest = 0;
  std::string_view unit{};
  std::string_view zero_word{};
};

struct Choice {
  std::vector<std::string_view> words;
};

struct Boolean {};

// A relative file_name in a configuration file is relative to the folder of that file.
struct Text {
  bool file_name = false;
};
struct TextList {
  bool file_names = false;
};

using Rule = std::variant<Integer, Number, Choice, Boolean, Text, TextList>;

bool holds_file_names(const Rule& rule);

// Describes the allowed values, to follow "must be": "an integer from 1 to 8 words".
std::string allowed(const Rule& rule);

// Returns the value in the rule's own type: 0 for the zero word, a double for a Number written as
// an integer. Nothing if the rule does not allow the value.
std::optional<FieldValue> checked(const Rule& rule, FieldValue value);

// Parses the text of a command line, "64", "true", "auto" or "jpg,png", and checks it the same way.
std::optional<FieldValue> parse(const Rule& rule, const std::string& text);

// Formats a value as TOML: 0 as the zero word, file names as text_of_path() gives them.
std::string to_toml(const Rule& rule, const FieldValue& value);

}  // namespace lookalike
