#pragma once

#include <cstddef>

#include "kernels/session/session.h"

namespace lookalike {

// What a device did at best, measured by kernels that do nothing else.
struct Ceilings {
  double multiply_add_gflops = 0;  // float32; a multiply-add counts as two operations
  double copy_gbs = 0;             // bytes read and written, in 1e9 a second
  double read_gbs = 0;             // bytes read
};

// Memory is measured on two buffers of so many bytes, a power of two from 2^20, halved where memory
// is scarce; they should be larger than the caches. The session must have profile on. Throws
// Error(kDevice) when a launch fails.
Ceilings measure_ceilings(OpenClSession& session, std::size_t bytes);

}  // namespace lookalike
