#pragma once

#include <cstddef>

#include "kernels/session/opencl.h"

namespace lookalike {

// The smallest multiple of `step` that is at least n.
constexpr std::size_t round_up(std::size_t n, std::size_t step) {
  return (n + step - 1) / step * step;
}

// Sets arguments 0, 1, ... of a kernel in order.
template <typename... Arguments>
void set_arguments(cl::Kernel& kernel, const Arguments&... arguments) {
  cl_uint index = 0;
  (kernel.setArg(index++, arguments), ...);
}

}  // namespace lookalike
