#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "config/fields.h"

// What descriptions of keys are made with; for this folder alone.
namespace lookalike {

template <typename Value>
FieldValue to_field_value(const Value& value) {
  if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
    return static_cast<std::int64_t>(value);
  } else {
    return value;
  }
}

template <typename Value>
void assign_field(Value& target, const FieldValue& value) {
  if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
    target = static_cast<Value>(std::get<std::int64_t>(value));
  } else {
    target = std::get<Value>(value);
  }
}

template <auto Table, auto Member>
ConfigField field(std::string_view table, std::string_view key, Rule rule, std::string_view unit,
                  std::string_view meaning) {
  return {table,
          key,
          unit,
          meaning,
          std::move(rule),
          [](const RunConfig& config) { return to_field_value((config.*Table).*Member); },
          [](RunConfig& config, const FieldValue& value) {
            assign_field((config.*Table).*Member, value);
          }};
}

void add_locate_fields(std::vector<ConfigField>& to);

}  // namespace lookalike
