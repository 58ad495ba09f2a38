#include "config/rules.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace lookalike {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

template <typename NumericRule>
std::string with_unit_and_zero_word(const NumericRule& rule, std::string text) {
  if (!rule.unit.empty()) text += fmt::format(" {}", rule.unit);
  return rule.zero_word.empty() ? text : fmt::format("\"{}\" or {}", rule.zero_word, text);
}

std::string integer_range(const Integer& rule) {
  if (rule.step == 1) return fmt::format("an integer from {} to {}", rule.lowest, rule.highest);
  std::string text;
  for (std::int64_t value = rule.lowest; value <= rule.highest; value += rule.step) {
    text += fmt::format("{}{}", text.empty() ? "" : " or ", value);
  }
  return text;
}

// Returns the rule's zero word; empty if it has none.
std::string_view zero_word(const Rule& rule) {
  if (const auto* integer = std::get_if<Integer>(&rule)) return integer->zero_word;
  if (const auto* number = std::get_if<Number>(&rule)) return number->zero_word;
  return {};
}

bool accepts(const Rule& rule, const FieldValue& value) {
  return std::visit(Overloaded{
                        [](const Integer& integer, std::int64_t held) {
                          if (held == 0 && !integer.zero_word.empty()) return true;
                          return held >= integer.lowest && held <= integer.highest &&
                                 (held - integer.lowest) % integer.step == 0;
                        },
                        [](const Number& number, double held) {
                          if (held == 0 && !number.zero_word.empty()) return true;
                          return held >= number.lowest && held <= number.highest;
                        },
                        [](const Choice& choice, const std::string& held) {
                          return std::ranges::count(choice.words, held) > 0;
                        },
                        [](const Boolean&, bool) { return true; },
                        [](const Text&, const std::string&) { return true; },
                        [](const TextList&, const std::vector<std::string>&) { return true; },
                        [](const auto&, const auto&) { return false; },
                    },
                    rule, value);
}

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

// Quotes text as a basic string of TOML. Bytes that are not UTF-8 are unchanged.
std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace

bool holds_file_names(const Rule& rule) {
  const auto* text = std::get_if<Text>(&rule);
  const auto* list = std::get_if<TextList>(&rule);
  return (text && text->file_name) || (list && list->file_names);
}

std::string allowed(const Rule& rule) {
  return std::visit(Overloaded{
                        [](const Integer& integer) {
                          return with_unit_and_zero_word(integer, integer_range(integer));
                        },
                        [](const Number& number) {
                          return with_unit_and_zero_word(
                              number,
                              fmt::format("a number from {} to {}", number.lowest, number.highest));
                        },
                        [](const Choice& choice) {
                          return fmt::format("\"{}\"", fmt::join(choice.words, "\" or \""));
                        },
                        [](const Boolean&) { return std::string("true or false"); },
                        [](const Text&) { return std::string("a string"); },
                        [](const TextList&) { return std::string("a list of strings"); },
                    },
                    rule);
}

std::optional<FieldValue> checked(const Rule& rule, FieldValue value) {
  const auto* word = std::get_if<std::string>(&value);
  if (word && !word->empty() && *word == zero_word(rule)) value = std::int64_t{0};
  const auto* integer = std::get_if<std::int64_t>(&value);
  if (integer && std::holds_alternative<Number>(rule)) value = static_cast<double>(*integer);
  if (!accepts(rule, value)) return std::nullopt;
  return value;
}

std::optional<FieldValue> parse(const Rule& rule, const std::string& text) {
  if (std::holds_alternative<TextList>(rule)) return listed(text);
  FieldValue value = text;
  if (std::holds_alternative<Boolean>(rule)) {
    if (text == "true" || text == "false") value = text == "true";
  } else if (std::holds_alternative<Integer>(rule)) {
    if (const auto number = parse_number<std::int64_t>(text)) value = *number;
  } else if (std::holds_alternative<Number>(rule)) {
    if (const auto number = parse_number<double>(text)) value = *number;
  }
  return checked(rule, std::move(value));
}

std::string to_toml(const Rule& rule, const FieldValue& value) {
  const std::string_view word = zero_word(rule);
  const auto text_of = [&](const std::string& held) {  // TOML is UTF-8
    return holds_file_names(rule) ? text_of_path(held) : held;
  };
  const auto number = [&](auto held) {
    return held == 0 && !word.empty() ? in_quotes(word) : fmt::format("{}", held);
  };
  return std::visit(Overloaded{
                        [](bool held) { return std::string(held ? "true" : "false"); },
                        [&](std::int64_t held) { return number(held); },
                        [&](double held) { return number(held); },
                        [&](const std::string& held) { return in_quotes(text_of(held)); },
                        [&](const std::vector<std::string>& held) {
                          std::string list;
                          for (const std::string& item : held) {
                            list += (list.empty() ? "" : ", ") + in_quotes(text_of(item));
                          }
                          return '[' + list + ']';
                        },
                    },
                    value);
}

}  // namespace lookalike
