#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/assign/scored_words.h"
#include "kernels/assign/word_search.h"
#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

// Values of a padding word: no descriptor is near it, and squared distances to it stay finite.
constexpr float kFarAway = 1e17F;

// Words with every cell padded to whole blocks of kBlockWords.
struct PaddedWords {
  std::vector<float> values;          // [padded][d]
  std::vector<std::uint32_t> words;   // [padded]: indexes of words, 0 for padding
  std::vector<std::uint32_t> starts;  // [cells + 1]: first block of each cell, and the end
};

PaddedWords padded(MatrixView<const float> words, const WordCells& cells) {
  PaddedWords padded;
  padded.starts.push_back(0);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    for (std::uint32_t word = cells.starts[cell]; word < cells.starts[cell + 1]; ++word) {
      const auto values = words.row(word);
      padded.values.insert(padded.values.end(), values.begin(), values.end());
      padded.words.push_back(word);
    }
    const std::size_t blocks = parts(padded.words.size(), kBlockWords);
    padded.words.resize(blocks * kBlockWords, 0);
    padded.values.resize(padded.words.size() * words.cols(), kFarAway);
    padded.starts.push_back(static_cast<std::uint32_t>(blocks));
  }
  return padded;
}

class MatrixCells : public CellWords {
 public:
  MatrixCells(OpenClSession& session, MatrixView<const float> words, const WordCells& cells)
      : MatrixCells(session, words, probes_of(cells), padded(words, cells)) {}

  std::size_t panel_pairs() const override { return row_tiles(dimensions_) * kTileRows; }
  const std::vector<std::uint32_t>& starts() const override { return starts_; }
  cl::Kernel build(const std::string& name, std::size_t m) override {
    return words_.build(name, m);
  }

  void search(const SearchBatch& batch, const CellPairs& pairs) override {
    const Scan scan = words_.room_for_scan(batch);
    scan_pairs(batch, pairs);
    cl::Kernel merge = build("merge_cells", batch.m);
    set_arguments(merge, work_.groups.buffer, work_.scores.buffer, to_uint(batch.rows), scan.groups,
                  scan.next_scores);
    session_.launch(merge, "cells_merge", {batch.rows}, {{kSearchGroupItems}});
    words_.refine(batch, scan);
    words_.rescan(batch, pairs.cells, pairs.starts);
    cl::Kernel unpad = build("unpad_words", batch.m);
    const std::size_t answers = batch.rows * batch.m;
    set_arguments(unpad, batch.words, to_uint(answers), words_of_padded_);
    session_.launch(unpad, "cells_unpad", {answers}, {{kSearchGroupItems}});
  }

 private:
  MatrixCells(OpenClSession& session, MatrixView<const float> words, std::size_t probes,
              PaddedWords padded)
      : session_(session),
        dimensions_(words.cols()),
        probes_(probes),
        starts_(std::move(padded.starts)),
        words_of_padded_(session.upload<std::uint32_t>(padded.words)),
        words_(session, MatrixView<const float>(padded.values, dimensions_), largest_norm(words),
               AssignKernel::kMatrix,
               {{"assign/cell_pairs.cl", "assign/matrix_cells.cl"},
                cell_pair_options(probes, row_tiles(words.cols()) * kTileRows)}) {}

  void scan_pairs(const SearchBatch& batch, const CellPairs& pairs) {
    const std::size_t count = batch.rows * probes_;
    const std::size_t groups = words_.candidates(batch.m);
    work_.groups.reserve(session_, count * groups * sizeof(cl_uint));
    work_.scores.reserve(session_, count * (groups + 1) * sizeof(float));
    cl::Kernel kernel = build("scan_matrix_cells", batch.m);
    set_arguments(kernel, batch.descriptors, words_.scanned(), words_.half_norms(), pairs.sorted,
                  pairs.panels, pairs.panel_count, work_.groups.buffer, work_.scores.buffer);
    session_.launch(kernel, "cells_words", {pairs.most_panels * kWarp}, {{kSearchGroupItems}});
  }

  OpenClSession& session_;
  std::size_t dimensions_;
  std::size_t probes_;
  std::vector<std::uint32_t> starts_;
  cl::Buffer words_of_padded_;  // [padded]
  ScoredWords words_;
  struct {
    GrowingBuffer groups, scores;  // [n * probes][candidates], [n * probes][candidates + 1]
  } work_;
};

}  // namespace

std::unique_ptr<CellWords> make_matrix_cells(OpenClSession& session, MatrixView<const float> words,
                                             const WordCells& cells) {
  return std::make_unique<MatrixCells>(session, words, cells);
}

}  // namespace lookalike
