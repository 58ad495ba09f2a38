#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/image.h"
#include "base/matrix_view.h"
#include "kernels/session/session.h"

namespace lookalike {

// How a matrix is transposed; every kernel gives the same bytes.
enum class TransposeKernel {
  kAuto,    // the fastest measured at the size, else the first of transpose_kernels
  kNaive,   // one work-item per value, reading along rows: the baseline
  kTiled,   // tiles through local memory, whole lines on both sides: for GPUs
  kBlocks,  // blocks of 16 x 16 in vector registers: CPU devices only
};

// "auto", "naive", "tiled", "blocks".
std::string_view to_string(TransposeKernel kernel);
// Throws Error(kUsage) when no kernel has this name.
TransposeKernel parse_transpose_kernel(std::string_view name);
// The kernels that the session's device can run, the one that should be fastest first.
std::vector<TransposeKernel> transpose_kernels(const OpenClSession& session);

// Transposes row-major matrices on the device.
//   from [rows][columns]     to [columns][rows], another buffer; either side may be 0
// Methods: Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA", NVIDIA 2009 (kTiled);
// Eklundh, "A Fast Computer Method for Matrix Transposing", IEEE Transactions on Computers, 1972
// (kBlocks).
class Transpose {
 public:
  // Throws Error(kDevice) when the device cannot run the kernel.
  explicit Transpose(OpenClSession& session, TransposeKernel kernel = TransposeKernel::kAuto);

  // Matrices of float32 and of bytes on the device; queued, not awaited. rows and columns are
  // below 2^31. Throw Error(kInternal) on larger ones, Error(kDevice) when OpenCL fails.
  void transpose(const cl::Buffer& from, std::size_t rows, std::size_t columns,
                 const cl::Buffer& to);
  void transpose_bytes(const cl::Buffer& from, std::size_t rows, std::size_t columns,
                       const cl::Buffer& to);

  // The same from host memory to host memory. The matrix is returned as [columns][rows], the image
  // with its width and height exchanged.
  std::vector<float> transpose(MatrixView<const float> matrix);
  GrayImage transpose(const ImageView& image);

  // The kernel for a matrix of values of so many bytes, 1 or 4; never kAuto.
  TransposeKernel kernel_for(std::size_t rows, std::size_t columns, std::size_t value_bytes);

 private:
  struct ValueType;

  cl::Kernel build(TransposeKernel kernel, const ValueType& type);
  void launch(const ValueType& type, const cl::Buffer& from, std::size_t rows, std::size_t columns,
              const cl::Buffer& to);

  OpenClSession& session_;
  TransposeKernel kernel_;
};

}  // namespace lookalike
