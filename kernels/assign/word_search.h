#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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

// A batch's pairs of descriptors and cells on the device, as in cell_pairs.cl.
struct CellPairs {
  cl::Buffer cells;         // [rows][probes]
  cl::Buffer starts;        // [cells + 1]: as CellWords::starts
  cl::Buffer sorted;        // [rows * probes]: pairs in the order of their cells
  cl::Buffer panels;        // runs of up to CellWords::panel_pairs pairs of a cell
  cl::Buffer panel_count;   // [1]
  std::size_t most_panels;  // at least panel_count
};

// The words of all cells, on the device in the form that the search needs.
class CellWords {
 public:
  virtual ~CellWords() = default;
  // Returns the most pairs of a panel.
  virtual std::size_t panel_pairs() const = 0;
  // Returns where each cell begins, in words or blocks of words, and the end.
  virtual const std::vector<std::uint32_t>& starts() const = 0;
  // Builds a kernel of the program of cell_pairs.cl and the search.
  virtual cl::Kernel build(const std::string& name, std::size_t m) = 0;
  // Queues the search among the words of the pairs' cells.
  virtual void search(const SearchBatch& batch, const CellPairs& pairs) = 0;
};

// Makes CellKernel::kPanels and kItems, which sum every distance directly.
//   words [k][d], d a multiple of 8     cells: they fit the words
std::unique_ptr<CellWords> make_direct_cells(OpenClSession& session, MatrixView<const float> words,
                                             const WordCells& cells, CellKernel kernel);

// Makes CellKernel::kMatrix, which scores words on matrix units; arguments as above.
std::unique_ptr<CellWords> make_matrix_cells(OpenClSession& session, MatrixView<const float> words,
                                             const WordCells& cells);

// Makes a search that compares a descriptor only with the words of its nearest cells.
//   words [k][d], d a multiple of 8     cells: at least one; they fit the words
//   centres: the search among the cells' centres
std::unique_ptr<WordSearch> make_cell_search(OpenClSession& session, MatrixView<const float> words,
                                             const WordCells& cells, CellKernel kernel,
                                             std::unique_ptr<WordSearch> centres);

// Returns the build options of cell_pairs.cl.
std::string cell_pair_options(std::size_t probes, std::size_t panel_pairs);

// Returns how many cells a descriptor is compared with.
std::size_t probes_of(const WordCells& cells);

// Work-items of a work-group for kernels that take any number. PoCL, left to choose, takes another
// number for each global size and compiles the kernel anew.
inline constexpr std::size_t kSearchGroupItems = 64;

}  // namespace lookalike
