#pragma once

#include <string>

namespace lookalike {

class OpenClSession;

// The instruction set of a CPU device by which tuning files go: "avx512", "avx2" or empty. Asked of
// the device's compiler rather than of the CPU, since PoCL can be built or told to use less.
// Throws Error(kDevice) when OpenCL fails.
std::string cpu_instructions(OpenClSession& session);

}  // namespace lookalike
