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

std::string or_zero_word(std::string_view zero_word, const std::string& text) {
  return zero_word.empty() ? text : fmt::format("\"{}\" or {}", zero_word, text);
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
  return or_zero_word(rule.zero_word, with_unit(std::move(text), unit));
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
                          return or_zero_word(number.zero_word,
                                              with_unit(fmt::format("a number from {} to {}",
                                                                    number.lowest, number.highest),
                                                        unit));
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

std::string_view zero_word(const Rule& rule) {
  if (const auto* whole = std::get_if<WholeNumber>(&rule)) return whole->zero_word;
  if (const auto* number = std::get_if<Number>(&rule)) return number->zero_word;
  return {};
}

bool accepts(const Rule& rule, const FieldValue& value) {
  return std::visit(Overloaded{
                        [](const WholeNumber& whole, std::int64_t held) {
                          return whole_number_accepts(whole, held);
                        },
                        [](const Number& number, double held) {
                          if (held == 0 && !number.zero_word.empty()) return true;
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
  const std::string_view word = zero_word(rule);
  return std::visit(
      Overloaded{
          [](bool held) { return std::string(held ? "true" : "false"); },
          [&](std::int64_t held) {
            return held == 0 && !word.empty() ? quoted(word) : fmt::format("{}", held);
          },
          [&](double held) {
            return held == 0 && !word.empty() ? quoted(word) : fmt::format("{}", held);
          },
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
