#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/matrix_view.h"
#include "kernels/assign/word_search.h"
#include "kernels/session/session.h"

namespace lookalike {

// Words of a group lie side by side: the eight lanes of a float8 in the kernels.
inline constexpr std::size_t kWordsPerGroup = 8;

// Descriptors, or words, of a tile of kFused, eight for each of 16 work-items a side.
inline constexpr std::size_t kTileSize = 128;

// Words of a block of kMatrix, lanes of a warp, and rows of a tile of the matrix units.
inline constexpr std::size_t kBlockWords = 32;
inline constexpr std::size_t kWarp = 32;
inline constexpr std::size_t kTileRows = 16;

// Returns the tiles of descriptors that a warp of kMatrix holds in registers.
constexpr std::size_t row_tiles(std::size_t dimensions) {
  return dimensions <= 64 ? 2 : 1;
}

// Returns the largest norm of a word, rounded up.
float largest_norm(MatrixView<const float> words);

// The result of a scan: the groups of words that may hold the nearest.
struct Scan {
  cl::Buffer groups;       // [rows][candidates(m)], best first
  cl::Buffer next_scores;  // [rows]: the best score of a group that is not in groups
};

// Sources and build options to add to the program of scan and refinement.
struct MoreKernels {
  std::vector<std::string> files{};
  std::string options{};
};

// The words of a search by scores, on the device, and the steps that follow its scan. Scores only
// nominate: distances to nominated words are summed directly, and where rounding may have hidden a
// nearer word, all words are compared.
class ScoredWords {
 public:
  //   words [k][d], d a multiple of 8; kernel: kFused, kMatrix or kCpu
  //   largest_norm: of the words that may be the nearest of a descriptor
  ScoredWords(OpenClSession& session, MatrixView<const float> words, float largest_norm,
              AssignKernel kernel, MoreKernels more = {});

  // Returns the number of groups that a scan nominates. The matrix units' scores are coarser: one
  // group more saves most rescans.
  std::size_t candidates(std::size_t m) const {
    return kernel_ == AssignKernel::kMatrix ? m + 1 : m;
  }
  // Returns the words as the scan reads them: as pack_groups, pack_tiles or pack_fragments.
  const cl::Buffer& scanned() const { return scanned_; }
  // Returns half of each word's squared norm.
  const cl::Buffer& half_norms() const { return half_norms_; }

  // Builds a kernel of the program of scan, refinement and MoreKernels.
  cl::Kernel build(const std::string& name, std::size_t m);

  // Returns room for a scan's result, until the next call.
  Scan room_for_scan(const SearchBatch& batch);
  // Finds the nearest words in the groups of a scan, and lists the rows that a rescan must search.
  void refine(const SearchBatch& batch, const Scan& scan);
  // Compares the rows that the last refine() listed with every word.
  void rescan(const SearchBatch& batch);
  // Compares them with the words of their cells, by matrix_cells.cl.
  //   cells [rows][probes]     starts [cells + 1]: the first block of each, and the end
  void rescan(const SearchBatch& batch, const cl::Buffer& cells, const cl::Buffer& starts);

 private:
  std::size_t error_units() const;
  void launch_rescan(const cl::Kernel& kernel);

  OpenClSession& session_;
  AssignKernel kernel_;
  MoreKernels more_;
  std::size_t word_count_;
  std::size_t dimensions_;
  float largest_norm_;
  cl::Buffer groups_;  // as pack_groups
  cl::Buffer half_norms_;
  cl::Buffer scanned_;
  struct {
    GrowingBuffer groups, next_scores;  // as in Scan
    GrowingBuffer uncertain;            // a count, then the rows to rescan
  } work_;
};

}  // namespace lookalike
