#pragma once

#include <cstddef>
#include <memory>

#include "base/matrix_view.h"
#include "kernels/assign/assign.h"
#include "kernels/session/session.h"

namespace lookalike {

// A batch of descriptors on the device, and where its answer goes.
struct SearchBatch {
  std::size_t rows;              // at least 1
  std::size_t m;                 // words wanted of each descriptor
  cl::Buffer descriptors;        // [rows][d]
  cl::Buffer words;              // [rows][m]
  cl::Buffer squared_distances;  // [rows][m]
};

// One way to the nearest words, with the words on the device in the form that it needs.
class WordSearch {
 public:
  virtual ~WordSearch() = default;
  // Queues the search; see WordAssigner::nearest for what it must find.
  virtual void search(const SearchBatch& batch) = 0;
};

// kGpu1 to kGpu5: sums every distance directly.
//   words [k][d], d a multiple of 4
std::unique_ptr<WordSearch> make_direct_search(OpenClSession& session,
                                               MatrixView<const float> words, AssignKernel kernel);

// kFused, kMatrix and kCpu: scores all words, then sums the distances of the few that score best.
//   words [k][d], d a multiple of 8
std::unique_ptr<WordSearch> make_scored_search(OpenClSession& session,
                                               MatrixView<const float> words, AssignKernel kernel);

// Compares a descriptor with the words of its nearest cells alone, by direct sums.
//   words [k][d], d a multiple of 8     cells: that fit the words, at least one
//   centres: the search among the cells' centres
std::unique_ptr<WordSearch> make_cell_search(OpenClSession& session, MatrixView<const float> words,
                                             const WordCells& cells, CellKernel kernel,
                                             std::unique_ptr<WordSearch> centres);

// Work-items of a work-group where the kernel does not care. Left to choose, PoCL takes one for
// each global size and compiles the kernel anew.
inline constexpr std::size_t kSearchGroupItems = 64;

}  // namespace lookalike
