#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>

#include "kernels/session/opencl.h"

// How values of the host reach a kernel: as build options, sizes of launches and arguments.
namespace lookalike {

// " -DNAME=value"
template <typename Value>
std::string define(const std::string& name, const Value& value) {
  std::string option = " -D" + name;
  option += '=';
  if constexpr (std::is_arithmetic_v<Value>) {
    static_assert(std::integral<Value>, "floats are written out exactly by who defines them");
    option += std::to_string(value);
  } else {
    option += value;
  }
  return option;
}

// How many parts of a size cover the whole.
constexpr std::size_t parts(std::size_t whole, std::size_t part) {
  return (whole + part - 1) / part;
}

// A count that its owner keeps below 2^32.
inline cl_uint to_uint(std::size_t value) {
  return static_cast<cl_uint>(value);
}

}  // namespace lookalike
