#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/matrix_view.h"
#include "kernels/assign/assign_kernel.h"
#include "kernels/assign/word_search.h"
#include "kernels/session/session.h"

namespace lookalike {

struct Assignment {
  std::vector<std::uint32_t> words;
  std::vector<float> squared_distances;
};

// Nearest visual words by squared Euclidean distance.
// Method: Sivic and Zisserman, "Video Google", ICCV 2003. Kernels that compare words by
// x.c - |c|^2 / 2 sum the distances of the best of them directly, so that cancellation never
// reaches the result: the chosen word is the true nearest, or within a relative 1e-5 of its squared
// distance. A descriptor that is not finite gets some word.
class WordAssigner {
 public:
  static constexpr std::size_t kMaxNearest = 8;

  // words [k][d], k from 1 to 2^31, d a multiple of 8; copied to the device. kAuto asks the
  // session's tuning for kernel "assign" with sizes "words" and "dimensions".
  // Throws Error(kInternal) on other shapes, Error(kDevice) when OpenCL fails.
  WordAssigner(OpenClSession& session, MatrixView<const float> words,
               AssignKernel kernel = AssignKernel::kAuto);

  // Nearest word of each descriptor.
  //   descriptors [n][d], n may be 0     returns words [n] in [0, k), squared distances [n]
  //   ties: lowest index
  // Large n goes in batches, halved while the device is out of memory. Throws Error(kInternal) on
  // mismatched shapes, Error(kDevice) when a launch fails.
  Assignment assign(MatrixView<const float> descriptors) { return nearest(descriptors, 1); }

  // The m nearest words of each descriptor, nearest first: words [n][m] and squared distances
  // [n][m], m from 1 to the lesser of k and kMaxNearest; otherwise as assign.
  Assignment nearest(MatrixView<const float> descriptors, std::size_t m);
  std::vector<std::uint32_t> assign_nearest(MatrixView<const float> descriptors, std::size_t m) {
    return nearest(descriptors, m).words;
  }

  // The kernel in use; never kAuto.
  AssignKernel kernel() const { return kernel_; }

 private:
  OpenClSession& session_;
  AssignKernel kernel_;
  std::size_t word_count_;
  std::size_t dimensions_;
  std::unique_ptr<WordSearch> search_;
};

// Squared Euclidean distance of two rows of the same size, in double precision.
double squared_distance_reference(std::span<const float> a, std::span<const float> b);

// What WordAssigner::nearest must return, computed in double precision without OpenCL: the m
// nearest words of each descriptor, nearest first, ties by lowest index.
//   words [k][d], k >= m     descriptors [n][d]     returns words and squared distances [n][m]
// Throws Error(kInternal) on mismatched shapes.
Assignment nearest_reference(MatrixView<const float> words, MatrixView<const float> descriptors,
                             std::size_t m);

// Whether an answer of WordAssigner::nearest keeps its promise: words in range, each at a double-
// precision distance within a relative 1e-5 of the reference's word of the same rank, and squared
// distances that are right to a relative 1e-5.
bool is_nearest(MatrixView<const float> words, MatrixView<const float> descriptors, std::size_t m,
                const Assignment& answer);

}  // namespace lookalike
