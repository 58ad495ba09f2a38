#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <string>
#include <type_traits>

#include "kernels/session/opencl.h"

// Conversion of host values to build options, sizes of launches and arguments.
namespace lookalike {

// Returns the exact value as a hexadecimal literal.
inline std::string literal(float value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%af", static_cast<double>(value));
  return text.data();
}

// Returns " -DNAME=value"; floats are written exactly.
template <typename Value>
std::string define(const std::string& name, const Value& value) {
  std::string option = " -D" + name;
  option += '=';
  if constexpr (std::integral<Value>) {
    option += std::to_string(value);
  } else if constexpr (std::same_as<Value, float>) {
    option += literal(value);
  } else {
    static_assert(!std::is_arithmetic_v<Value>, "kernels take floats");
    option += value;
  }
  return option;
}

// Returns how many parts of a size cover the whole.
template <std::integral Whole>
constexpr Whole parts(Whole whole, std::type_identity_t<Whole> part) {
  return (whole + part - 1) / part;
}

// Converts a size that is not negative.
constexpr std::size_t to_size(int value) {
  return static_cast<std::size_t>(value);
}

// Converts a count below 2^32.
inline cl_uint to_uint(std::size_t value) {
  return static_cast<cl_uint>(value);
}

}  // namespace lookalike
