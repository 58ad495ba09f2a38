#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// What a key of the configuration may hold.
namespace lookalike {

// The value of any key, in the types that TOML has for it.
using FieldValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

// A whole number: lowest, lowest + step, ... up to highest. With zero_word, 0 is allowed as well
// and may be written as that word.
struct WholeNumber {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  std::int64_t step = 1;
  std::string_view zero_word{};
};

// A finite number in [lowest, highest]; whole ones may be written without a point. With zero_word,
// as for WholeNumber.
struct Number {
  double lowest = 0;
  double highest = 0;
  std::string_view zero_word{};
};

struct Choice {
  std::vector<std::string_view> words;
};
struct YesOrNo {};
// A file_name that is relative in a configuration file is relative to that file's folder.
struct Text {
  bool file_name = false;
};
struct TextList {
  bool file_names = false;
};

using Rule = std::variant<WholeNumber, Number, Choice, YesOrNo, Text, TextList>;

// What is allowed, to follow "must be": "a whole number from 1 to 8".
std::string allowed(const Rule& rule, std::string_view unit);

// The word that stands for 0; empty when there is none.
std::string_view zero_word(const Rule& rule);

bool accepts(const Rule& rule, const FieldValue& value);

// A value as TOML writes it; a WholeNumber's 0 as its word.
std::string to_toml(const Rule& rule, const FieldValue& value);

}  // namespace lookalike
