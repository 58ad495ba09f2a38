#pragma once

#include <cstddef>
#include <memory>

#include "base/matrix_view.h"
#include "kernels/assign/assign.h"
#include "kernels/session/session.h"

namespace lookalike {

// A batch of descriptors on the device, and room for its answer.
struct SearchBatch {
  std::size_t rows;              // at least 1
  std::size_t m;                 // words per descriptor
  cl::Buffer descriptors;        // [rows][d]
  cl::Buffer words;              // [rows][m]
  cl::Buffer squared_distances;  // [rows][m]
};

// A search for the nearest words, with the words on the device in the form that it needs.
class WordSearch {
 public:
  virtual ~WordSearch() = default;
  // Queues the search; see WordAssigner::nearest for the answer.
  virtual void search(const SearchBatch& batch) = 0;
};

// Makes kGpu1 to kGpu5, which sum every distance directly.
//   words [k][d], d a multiple of 4
std::unique_ptr<WordSearch> make_direct_search(OpenClSession& session,
                                               MatrixView<const float> words, AssignKernel kernel);

// Makes kFused, kMatrix and kCpu, which score all words, then sum the distances of the few best.
//   words [k][d], d a multiple of 8
std::unique_ptr<WordSearch> make_scored_search(OpenClSession& session,
                                               MatrixView<const float> words, AssignKernel kernel);

// Makes a search that compares a descriptor only with the words of its nearest cells, by direct
// sums.
//   words [k][d], d a multiple of 8     cells: at least one; they fit the words
//   centres: the search among the cells' centres
std::unique_ptr<WordSearch> make_cell_search(OpenClSession& session, MatrixView<const float> words,
                                             const WordCells& cells, CellKernel kernel,
                                             std::unique_ptr<WordSearch> centres);

// Work-items of a work-group for kernels that take any number. PoCL, left to choose, takes another
// number for each global size and compiles the kernel anew.
inline constexpr std::size_t kSearchGroupItems = 64;

}  // namespace lookalike
