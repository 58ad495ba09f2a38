#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/assign/word_search.h"
#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

// Pairs of a panel: the lanes of a float16, or the work-items that a GPU runs together.
constexpr std::uint32_t kPanelLanes = 16;
constexpr std::uint32_t kPanelItems = 32;

// As in cells.cl.
struct Panel {
  std::uint32_t first_pair, pairs;
  std::uint32_t first_word, last_word;
};
static_assert(sizeof(Panel) == 16);

// Returns where the pairs of each cell begin among all in the order of their cells, and the end.
std::vector<std::uint32_t> starts_of(std::span<const std::uint32_t> counts) {
  std::vector<std::uint32_t> starts(counts.size() + 1);
  std::partial_sum(counts.begin(), counts.end(), starts.begin() + 1);
  return starts;
}

// Pairs by cell, then by descriptor.
struct SortedPairs {
  std::vector<std::uint32_t> pairs;
  std::vector<std::uint32_t> starts;  // as starts_of
};

//   cells_of_pairs [pairs]: the cell of each pair
SortedPairs sorted_by_cell(std::span<const std::uint32_t> cells_of_pairs, std::size_t cells) {
  std::vector<std::uint32_t> counts(cells);
  for (const std::uint32_t cell : cells_of_pairs) ++counts[cell];
  SortedPairs sorted{std::vector<std::uint32_t>(cells_of_pairs.size()), starts_of(counts)};
  std::vector<std::uint32_t> next(sorted.starts.begin(), sorted.starts.end() - 1);
  for (std::size_t pair = 0; pair < cells_of_pairs.size(); ++pair) {
    sorted.pairs[next[cells_of_pairs[pair]]++] = static_cast<std::uint32_t>(pair);
  }
  return sorted;
}

// Returns the panels of up to panel_pairs pairs.
//   starts: as starts_of   word_starts [cells + 1]: first word of each cell, and the end
std::vector<Panel> panels_of(std::span<const std::uint32_t> starts,
                             std::span<const std::uint32_t> word_starts,
                             std::uint32_t panel_pairs) {
  std::vector<Panel> panels;
  for (std::size_t cell = 0; cell + 1 < starts.size(); ++cell) {
    for (std::uint32_t first = starts[cell]; first < starts[cell + 1]; first += panel_pairs) {
      panels.push_back({first, std::min(panel_pairs, starts[cell + 1] - first), word_starts[cell],
                        word_starts[cell + 1] - 1});
    }
  }
  return panels;
}

class CellSearch : public WordSearch {
 public:
  CellSearch(OpenClSession& session, MatrixView<const float> words, const WordCells& cells,
             CellKernel kernel, std::unique_ptr<WordSearch> centres)
      : session_(session),
        kernel_(kernel),
        dimensions_(words.cols()),
        probes_(std::min<std::size_t>(cells.probes, cells.size())),
        starts_(cells.starts),
        centres_(std::move(centres)),
        words_(session.upload(std::span(words.data(), words.size()))) {}

  void search(const SearchBatch& batch) override {
    const std::size_t pairs = batch.rows * probes_;
    work_.cells.reserve(session_, pairs * sizeof(cl_uint));
    work_.cell_distances.reserve(session_, pairs * sizeof(float));
    centres_->search(
        {batch.rows, probes_, batch.descriptors, work_.cells.buffer, work_.cell_distances.buffer});
    const bool by_lanes = kernel_ == CellKernel::kPanels;
    const std::vector<Panel> panels =
        panels_of(by_lanes ? sort_on_host(batch, pairs) : sort_on_device(batch, pairs), starts_,
                  by_lanes ? kPanelLanes : kPanelItems);
    work_.panels.fill<Panel>(session_, panels);
    work_.words.reserve(session_, pairs * batch.m * sizeof(cl_uint));
    work_.distances.reserve(session_, pairs * batch.m * sizeof(float));
    search_panels(batch, panels.size());
    cl::Kernel merge = build("cells_merge", batch.m);
    set_arguments(merge, work_.words.buffer, work_.distances.buffer, to_uint(batch.rows),
                  batch.words, batch.squared_distances);
    session_.launch(merge, "cells_merge", {batch.rows}, {{kSearchGroupItems}});
  }

 private:
  cl::Kernel build(const std::string& name, std::size_t m) {
    return session_.kernel({"assign/nearest.cl", "assign/cells.cl"}, name,
                           "-cl-mad-enable" + define("DIMENSIONS", dimensions_) +
                               define("NEAREST", m) + define("PROBES", probes_) +
                               define("PANEL", kPanelItems));
  }

  // Both fill work_.pairs with the pairs in the order of their cells, and return where each cell's
  // begin, as starts_of. The device leaves pairs of a cell in no order, which changes no result. To
  // sort 256,000 pairs takes a core milliseconds.
  std::vector<std::uint32_t> sort_on_host(const SearchBatch&, std::size_t pairs) {
    SortedPairs sorted;
    session_.view<std::uint32_t>(work_.cells.buffer, pairs,
                                 [&](std::span<const std::uint32_t> cells) {
                                   sorted = sorted_by_cell(cells, starts_.size() - 1);
                                 });
    work_.pairs.fill<std::uint32_t>(session_, sorted.pairs);
    return std::move(sorted.starts);
  }
  std::vector<std::uint32_t> sort_on_device(const SearchBatch& batch, std::size_t pairs) {
    const std::size_t cells = starts_.size() - 1;
    work_.places.reserve(session_, cells * sizeof(cl_uint));
    session_.clear(work_.places.buffer, cells * sizeof(cl_uint));
    cl::Kernel count = build("cells_count", batch.m);
    set_arguments(count, work_.cells.buffer, to_uint(pairs), work_.places.buffer);
    session_.launch(count, "cells_count", {pairs}, {{kSearchGroupItems}});
    std::vector<std::uint32_t> counts(cells);
    session_.read<std::uint32_t>(work_.places.buffer, counts);
    std::vector<std::uint32_t> starts = starts_of(counts);
    session_.write(work_.places.buffer, std::span<const std::uint32_t>(starts).first(cells));
    work_.pairs.reserve(session_, pairs * sizeof(cl_uint));
    cl::Kernel place = build("cells_place", batch.m);
    set_arguments(place, work_.cells.buffer, to_uint(pairs), work_.places.buffer,
                  work_.pairs.buffer);
    session_.launch(place, "cells_place", {pairs}, {{kSearchGroupItems}});
    return starts;
  }

  void search_panels(const SearchBatch& batch, std::size_t panels) {
    const bool by_lanes = kernel_ == CellKernel::kPanels;
    cl::Kernel kernel = build(by_lanes ? "cells_panels" : "cells_items", batch.m);
    set_arguments(kernel, batch.descriptors, words_, work_.pairs.buffer, work_.panels.buffer,
                  to_uint(panels), work_.words.buffer, work_.distances.buffer);
    const std::size_t items = by_lanes ? 1 : kPanelItems;
    session_.launch(kernel, "cells_words", {panels * items}, {{items}});
  }

  OpenClSession& session_;
  CellKernel kernel_;
  std::size_t dimensions_;
  std::size_t probes_;
  std::vector<std::uint32_t> starts_;  // first word of each cell, and the end
  std::unique_ptr<WordSearch> centres_;
  cl::Buffer words_;  // [k][d]
  struct {
    GrowingBuffer cells, cell_distances;  // [n][probes]
    GrowingBuffer pairs, panels;          // [n * probes] in the order of their cells; [panels]
    GrowingBuffer places;                 // [cells]
    GrowingBuffer words, distances;       // [n][probes][m]
  } work_;
};

}  // namespace

std::unique_ptr<WordSearch> make_cell_search(OpenClSession& session, MatrixView<const float> words,
                                             const WordCells& cells, CellKernel kernel,
                                             std::unique_ptr<WordSearch> centres) {
  return std::make_unique<CellSearch>(session, words, cells, kernel, std::move(centres));
}

}  // namespace lookalike
