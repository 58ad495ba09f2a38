#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "kernels/session/session.h"
#include "kernels/variants.h"

namespace lookalike {

// How to transpose a matrix; every kernel gives the same bytes.
enum class TransposeKernel {
  kAuto,    // the fastest measured at the size, else the first of transpose_kernels
  kNaive,   // one work-item per value, reading along rows: the baseline
  kTiled,   // tiles through local memory, whole lines on both sides: for GPUs
  kBlocks,  // blocks of 16 x 16 in vector registers: CPU devices only
};
template <>
inline constexpr auto kVariantNames<TransposeKernel> =
    std::to_array<std::string_view>({"auto", "naive", "tiled", "blocks"});

// The kernels that the device can run, best guess first.
std::vector<TransposeKernel> transpose_kernels(const OpenClSession& session);

// Transposes row-major matrices on the device.
//   from [rows][columns]     to [columns][rows], another buffer; either side may be 0
// Methods: Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA", NVIDIA 2009 (kTiled);
// Eklundh, "A Fast Computer Method for Matrix Transposing", IEEE Transactions on Computers, 1972
// (kBlocks).
class Transpose {
 public:
  explicit Transpose(OpenClSession& session, TransposeKernel kernel = TransposeKernel::kAuto)
      : session_(session), kernel_(kernel) {}

  // Queues the transpose of a matrix of values of 4 bytes, or of 1. rows and columns are below
  // 2^31. Throws Error(kInternal) on larger ones, Error(kDevice) when the device cannot run the
  // kernel or OpenCL fails.
  void transpose(const cl::Buffer& from, std::size_t rows, std::size_t columns,
                 const cl::Buffer& to, std::size_t value_bytes = 4);

  // Returns the kernel for a matrix of values of 1 or 4 bytes; never kAuto.
  TransposeKernel kernel_for(std::size_t rows, std::size_t columns, std::size_t value_bytes);

 private:
  OpenClSession& session_;
  TransposeKernel kernel_;
};

}  // namespace lookalike
