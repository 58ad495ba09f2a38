#pragma once

#include <string_view>
#include <vector>

#include "kernels/session/session.h"

namespace lookalike {

// How the sums of window times pattern are taken. All forms give the same integers.
enum class CorrelationKernel {
  kAuto,         // the best for the device and the sizes
  kPerPosition,  // a work-group a position, an item a pixel of the pattern; as published
  kTiled,        // 16 x 16 positions a work-group, half of each window reused; as published
  kBlocked,      // several positions an item, window and pattern through local memory
  kVector,       // wide vectors of floats in registers, no local memory; for CPUs
  kDotProduct,   // byte dot products: AVX-512 VNNI or AVX-VNNI on a CPU, dp4a on NVIDIA
  kMatrix,       // NVIDIA's matrix units
  kFrequency,    // Fourier transforms of blocks, in double precision; where VkFFT is built in
};

// "auto", "per_position", "tiled", "blocked", "vector", "dot_product", "matrix", "frequency".
std::string_view to_string(CorrelationKernel kernel);

// Throws Error(kUsage), which lists the names, when `name` is none of them.
CorrelationKernel parse_correlation_kernel(std::string_view name);

// The forms that work on this device, best guess first, without kAuto. Those with machine code of
// their own are compiled and tried on a small pair.
std::vector<CorrelationKernel> correlation_kernels(OpenClSession& session);

// Whether the device says that it has what the form needs; nothing is compiled.
bool may_run(OpenClSession& session, CorrelationKernel kernel);

// How many sums a byte dot product of a CPU device adds to at once: 16 with AVX-512 VNNI, 8 with
// AVX-VNNI, 0 without either. The processor, that which this program runs on, must have them, and
// the device's compiler use registers of that size.
int dot_product_lanes(OpenClSession& session);

}  // namespace lookalike
