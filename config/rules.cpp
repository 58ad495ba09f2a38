#include "config/rules.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lookalike {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::string with_unit(std::string text, std::string_view unit) {
  return unit.empty() ? text : fmt::format("{} {}", text, unit);
}

std::string whole_number_allowed(const WholeNumber& rule, std::string_view unit) {
  std::string text;
  if (rule.step == 1) {
    text = fmt::format("a whole number from {} to {}", rule.lowest, rule.highest);
  } else {
    for (std::int64_t value = rule.lowest; value <= rule.highest; value += rule.step) {
      text += fmt::format("{}{}", text.empty() ? "" : " or ", value);
    }
  }
  text = with_unit(std::move(text), unit);
  return rule.zero_word.empty() ? text : fmt::format("\"{}\" or {}", rule.zero_word, text);
}

bool whole_number_accepts(const WholeNumber& rule, std::int64_t value) {
  if (value == 0 && !rule.zero_word.empty()) return true;
  return value >= rule.lowest && value <= rule.highest && (value - rule.lowest) % rule.step == 0;
}

// A basic string of TOML. Bytes that are not UTF-8 stay as they are.
std::string quoted(std::string_view text) {
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

std::string allowed(const Rule& rule, std::string_view unit) {
  return std::visit(Overloaded{
                        [&](const WholeNumber& whole) { return whole_number_allowed(whole, unit); },
                        [&](const Number& number) {
                          return with_unit(
                              fmt::format("a number from {} to {}", number.lowest, number.highest),
                              unit);
                        },
                        [](const Choice& choice) {
                          return fmt::format("\"{}\"", fmt::join(choice.words, "\" or \""));
                        },
                        [](const YesOrNo&) { return std::string("true or false"); },
                        [](const Text&) { return std::string("text in quotes"); },
                        [](const TextList&) { return std::string("a list of texts in quotes"); },
                    },
                    rule);
}

bool accepts(const Rule& rule, const FieldValue& value) {
  return std::visit(Overloaded{
                        [](const WholeNumber& whole, std::int64_t held) {
                          return whole_number_accepts(whole, held);
                        },
                        [](const Number& number, double held) {
                          return held >= number.lowest && held <= number.highest;
                        },
                        [](const Choice& choice, const std::string& held) {
                          return std::find(choice.words.begin(), choice.words.end(), held) !=
                                 choice.words.end();
                        },
                        [](const YesOrNo&, bool) { return true; },
                        [](const Text&, const std::string&) { return true; },
                        [](const TextList&, const std::vector<std::string>&) { return true; },
                        [](const auto&, const auto&) { return false; },
                    },
                    rule, value);
}

std::string to_toml(const Rule& rule, const FieldValue& value) {
  const auto* whole = std::get_if<WholeNumber>(&rule);
  return std::visit(Overloaded{
                        [](bool held) { return std::string(held ? "true" : "false"); },
                        [&](std::int64_t held) {
                          const bool as_word = whole && held == 0 && !whole->zero_word.empty();
                          return as_word ? quoted(whole->zero_word) : fmt::format("{}", held);
                        },
                        [](double held) { return fmt::format("{}", held); },
                        [](const std::string& held) { return quoted(held); },
                        [](const std::vector<std::string>& held) {
                          std::string list;
                          for (const std::string& item : held) {
                            list += (list.empty() ? "" : ", ") + quoted(item);
                          }
                          return '[' + list + ']';
                        },
                    },
                    value);
}

}  // namespace lookalike
