#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/artefacts.h"
#include "base/matrix_view.h"
#include "kernels/session/session.h"
#include "kernels/variants.h"

namespace lookalike {

// How to find the nearest words; every kernel gives the same answer (see kernels/README.md). kGpu1
// to kGpu5 are the steps of Kaeli, Mistry, Schaa and Zhang, "Heterogeneous Computing with OpenCL
// 2.0", 2015, chapter 9.
enum class AssignKernel {
  kAuto,    // the fastest measured on this device, else the first of assign_kernels
  kGpu1,    // one work-item per descriptor: the baseline
  kGpu2,    // descriptors transposed, so that neighbours read neighbours
  kGpu3,    // gpu2 in vectors of four
  kGpu4,    // gpu3 with the work-group's descriptors in local memory
  kGpu5,    // gpu4 with the words in constant memory, in rounds
  kFused,   // register-blocked tiles through local memory, for GPUs
  kMatrix,  // products of bfloat16 on matrix units, for NVIDIA GPUs that have them
  kCpu,     // panels of descriptors in vector registers, for CPUs
};
template <>
inline constexpr auto kVariantNames<AssignKernel> = std::to_array<std::string_view>(
    {"auto", "gpu1", "gpu2", "gpu3", "gpu4", "gpu5", "fused", "matrix", "cpu"});

// The kernels that the session's device can run, best guess first.
std::vector<AssignKernel> assign_kernels(OpenClSession& session);

// How to find the nearest words of a descriptor's cells; every kernel gives the same answer.
enum class CellKernel {
  kPanels,  // descriptors of a cell in the lanes of vectors, for CPUs
  kItems,   // a work-item for a descriptor and a cell, for GPUs
  kMatrix,  // as AssignKernel::kMatrix
};
template <>
inline constexpr auto kVariantNames<CellKernel> =
    std::to_array<std::string_view>({"panels", "items", "matrix"});
std::vector<CellKernel> cell_kernels(OpenClSession& session);

struct Assignment {
  std::vector<std::uint32_t> words;
  std::vector<float> squared_distances;
};

// Descriptors [n][d] that stay on the device, for searches among several sets of words.
class DeviceDescriptors {
 public:
  // Copies the descriptors to the device. Throws DeviceOutOfMemory.
  DeviceDescriptors(OpenClSession& session, MatrixView<const float> descriptors);

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  const cl::Buffer& buffer() const { return buffer_; }

 private:
  std::size_t rows_;
  std::size_t cols_;
  cl::Buffer buffer_;
};

class WordSearch;

// Finds nearest visual words by squared Euclidean distance. Method: Sivic and Zisserman, "Video
// Google", ICCV 2003. Kernels that compare words by x.c - |c|^2 / 2 sum the distances of the best
// of them directly, so that cancellation never reaches the result: the chosen word is the true
// nearest, or within a relative 1e-5 of its squared distance. A descriptor that is not finite gets
// some word. In a codebook with cells, a descriptor is compared only with the words of the cells
// whose centres are nearest, which misses the nearest word of all now and then (DECISIONS.md, 47).
// Method: Nister and Stewenius, "Scalable recognition with a vocabulary tree", CVPR 2006, with two
// levels and several branches followed, as an inverted file is probed: Jegou, Douze, Schmid,
// "Product quantization for nearest neighbor search", PAMI 2011.
class WordAssigner {
 public:
  static constexpr std::size_t kMaxNearest = 8;

  // Copies words [k][d] to the device, k from 1 to 2^31, d a multiple of 8. For kAuto the session's
  // tuning for kernel "assign" with sizes "words" and "dimensions" chooses.
  // Throws Error(kInternal) on other shapes, Error(kDevice) when OpenCL fails.
  WordAssigner(OpenClSession& session, MatrixView<const float> words,
               AssignKernel kernel = AssignKernel::kAuto);
  // Takes the words of a codebook, by its cells where it has any: `kernel` then searches their
  // centres, and `cell_kernel` the words in them; without one, the session's tuning for kernel
  // "cells" with sizes "words", "cells" and "dimensions" chooses. Throws the same, and
  // Error(kInternal) for cells that do not fit the words.
  WordAssigner(OpenClSession& session, const Codebook& codebook,
               AssignKernel kernel = AssignKernel::kAuto,
               std::optional<CellKernel> cell_kernel = std::nullopt);
  ~WordAssigner();

  // Returns the largest m: kMaxNearest, or fewer if a descriptor may be compared with fewer words.
  std::size_t max_nearest() const { return max_nearest_; }

  // Finds the m nearest words of each descriptor, nearest first.
  //   descriptors [n][d], n may be 0     m from 1 to max_nearest()
  //   returns words [n][m] in [0, k), squared distances [n][m]     ties: lowest index
  // Large n goes in batches, halved while the device is out of memory. Throws Error(kInternal) on
  // mismatched shapes, Error(kDevice) when a launch fails.
  Assignment nearest(MatrixView<const float> descriptors, std::size_t m);
  // Does the same for descriptors on this session's device, in one batch: throws DeviceOutOfMemory
  // when the answer does not fit.
  Assignment nearest(const DeviceDescriptors& descriptors, std::size_t m);
  Assignment assign(MatrixView<const float> descriptors) { return nearest(descriptors, 1); }
  // Queues the search for descriptors [n][d] on the device, n at least 1, all at once; the buffers
  // have room for [n][m] values. Throws Error(kInternal) for n or m out of range,
  // DeviceOutOfMemory, Error(kDevice) when a launch fails.
  void nearest(const cl::Buffer& descriptors, std::size_t n, std::size_t m, const cl::Buffer& words,
               const cl::Buffer& squared_distances);

  // Returns the kernel in use for words, or for the centres of cells; never kAuto.
  AssignKernel kernel() const { return kernel_; }

 private:
  void check(std::size_t rows, std::size_t cols, std::size_t m) const;

  OpenClSession& session_;
  AssignKernel kernel_;
  std::size_t dimensions_;
  std::size_t max_nearest_;
  std::unique_ptr<WordSearch> search_;
};

// True if an answer of WordAssigner::nearest is right, by direct sums in double precision without
// OpenCL: different words in range, each at a distance within a relative 1e-5 of the nearest of its
// rank, and squared distances that are right to a relative 1e-5.
//   words [k][d], k >= m     descriptors [n][d]
// Throws Error(kInternal) on mismatched shapes.
bool is_nearest(MatrixView<const float> words, MatrixView<const float> descriptors, std::size_t m,
                const Assignment& answer);
// Does the same among the words of the nearest cells, by direct sums in double precision.
//   descriptors [n][d]; none may be equally far from the last centre searched and the next one
bool is_nearest(const Codebook& codebook, MatrixView<const float> descriptors, std::size_t m,
                const Assignment& answer);

}  // namespace lookalike
