#pragma once

#include <string_view>
#include <vector>

#include "kernels/session/session.h"

namespace lookalike {

// How the nearest words are found; every kernel gives the same answer. kernels/README.md walks
// through them. kGpu1 to kGpu5 are the steps of Kaeli, Mistry, Schaa and Zhang, "Heterogeneous
// Computing with OpenCL 2.0", 2015, chapter 9.
enum class AssignKernel {
  kAuto,    // the fastest measured on this device, else the first of assign_kernels
  kGpu1,    // one work-item per descriptor: the baseline
  kGpu2,    // descriptors transposed, so that neighbours read neighbours
  kGpu3,    // gpu2 in vectors of four
  kGpu4,    // gpu3 with the work-group's descriptors in local memory
  kGpu5,    // gpu4 with the words in constant memory, as many a round as fit
  kFused,   // register-blocked tiles through local memory, for GPUs
  kMatrix,  // products of bfloat16 on matrix units, for NVIDIA GPUs that have them
  kCpu,     // panels of descriptors in vector registers, for CPUs
};

// "auto", "gpu1", ..., "gpu5", "fused", "matrix", "cpu".
std::string_view to_string(AssignKernel kernel);
// All of them, in that order.
std::vector<std::string_view> assign_kernel_names();
// Throws Error(kUsage) when no kernel has this name.
AssignKernel parse_assign_kernel(std::string_view name);
// The kernels that the session's device can run, the one that should be fastest first.
std::vector<AssignKernel> assign_kernels(OpenClSession& session);

}  // namespace lookalike
