#pragma once

#include <cstddef>

#include "base/matrix_view.h"
#include "kernels/assign/assign.h"

namespace lookalike {

// Squared Euclidean distance of two rows of the same size, in double precision.
double squared_distance_reference(std::span<const float> a, std::span<const float> b);

// What WordAssigner::nearest must return, computed in double precision without OpenCL: the m
// nearest words of each descriptor, nearest first, ties by lowest index.
//   words [k][d], k >= m     descriptors [n][d]     returns words and squared distances [n][m]
// Throws Error(kInternal) on mismatched shapes.
Assignment nearest_reference(MatrixView<const float> words, MatrixView<const float> descriptors,
                             std::size_t m);
inline Assignment assign_reference(MatrixView<const float> words,
                                   MatrixView<const float> descriptors) {
  return nearest_reference(words, descriptors, 1);
}

// Whether an answer of WordAssigner::nearest keeps its promise: words in range, each at a double-
// precision distance within a relative 1e-5 of the reference's word of the same rank, and squared
// distances that are right to a relative 1e-5.
bool is_nearest(MatrixView<const float> words, MatrixView<const float> descriptors, std::size_t m,
                const Assignment& answer);

}  // namespace lookalike
