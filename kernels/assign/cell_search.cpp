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

// Work-items that list the panels of a batch.
constexpr std::size_t kListItems = 64;

// As in cell_pairs.cl.
struct Panel {
  std::uint32_t first_pair, pairs;
  std::uint32_t first, end;
};
static_assert(sizeof(Panel) == 16);

// Pairs in the order of their cells, then of descriptors, and their panels.
struct SortedPairs {
  std::vector<std::uint32_t> pairs;
  std::vector<Panel> panels;
};

//   cells [pairs]: the cell of each pair     starts [cells + 1]: as CellWords::starts
SortedPairs sorted_by_cell(std::span<const std::uint32_t> cells,
                           std::span<const std::uint32_t> starts, std::uint32_t panel_pairs) {
  std::vector<std::uint32_t> places(starts.size());
  for (const std::uint32_t cell : cells) ++places[cell + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  SortedPairs sorted{std::vector<std::uint32_t>(cells.size()), {}};
  for (std::size_t cell = 0; cell + 1 < starts.size(); ++cell) {
    for (std::uint32_t first = places[cell]; first < places[cell + 1]; first += panel_pairs) {
      sorted.panels.push_back(
          {first, std::min(panel_pairs, places[cell + 1] - first), starts[cell], starts[cell + 1]});
    }
  }
  for (std::size_t pair = 0; pair < cells.size(); ++pair) {
    sorted.pairs[places[cells[pair]]++] = static_cast<std::uint32_t>(pair);
  }
  return sorted;
}

class CellSearch : public WordSearch {
 public:
  CellSearch(OpenClSession& session, CellKernel kernel, std::size_t probes,
             std::unique_ptr<WordSearch> centres, std::unique_ptr<CellWords> words)
      : session_(session),
        kernel_(kernel),
        probes_(probes),
        centres_(std::move(centres)),
        words_(std::move(words)),
        starts_(session.upload<std::uint32_t>(words_->starts())) {}

  void search(const SearchBatch& batch) override {
    const std::size_t pairs = batch.rows * probes_;
    work_.cells.reserve(session_, pairs * sizeof(cl_uint));
    work_.cell_distances.reserve(session_, pairs * sizeof(float));
    centres_->search(
        {batch.rows, probes_, batch.descriptors, work_.cells.buffer, work_.cell_distances.buffer});
    const std::size_t most_panels =
        kernel_ == CellKernel::kPanels ? sort_on_host(pairs) : sort_on_device(batch.m, pairs);
    words_->search(batch, {work_.cells.buffer, starts_, work_.sorted.buffer, work_.panels.buffer,
                           work_.panel_count.buffer, most_panels});
  }

 private:
  // Both fill the buffers of CellPairs and return most_panels. Under PoCL, sorting 131,072 pairs on
  // the device makes the whole search take 52 instead of 38 ms (131,072 words, two cores).
  std::size_t sort_on_host(std::size_t pairs) {
    SortedPairs sorted;
    session_.view<std::uint32_t>(
        work_.cells.buffer, pairs, [&](std::span<const std::uint32_t> cells) {
          sorted = sorted_by_cell(cells, words_->starts(), to_uint(words_->panel_pairs()));
        });
    const std::uint32_t panels = to_uint(sorted.panels.size());
    work_.sorted.fill<std::uint32_t>(session_, sorted.pairs);
    work_.panels.fill<Panel>(session_, sorted.panels);
    work_.panel_count.fill<std::uint32_t>(session_, {&panels, 1});
    return panels;
  }

  // Never waits for the device. Leaves the pairs of a cell in no order, which changes no result.
  std::size_t sort_on_device(std::size_t m, std::size_t pairs) {
    const std::size_t cells = words_->starts().size() - 1;
    const std::size_t most_panels = pairs / words_->panel_pairs() + std::min(pairs, cells);
    work_.counts.reserve(session_, cells * sizeof(cl_uint));
    work_.places.reserve(session_, cells * sizeof(cl_uint));
    work_.sorted.reserve(session_, pairs * sizeof(cl_uint));
    work_.panels.reserve(session_, most_panels * sizeof(Panel));
    work_.panel_count.reserve(session_, sizeof(cl_uint));
    session_.clear(work_.counts.buffer, cells * sizeof(cl_uint));
    cl::Kernel count = words_->build("cells_count", m);
    set_arguments(count, work_.cells.buffer, to_uint(pairs), work_.counts.buffer);
    session_.launch(count, "cells_count", {pairs}, {{kSearchGroupItems}});
    cl::Kernel list = words_->build("cells_list", m);
    set_arguments(list, work_.counts.buffer, starts_, to_uint(cells), work_.places.buffer,
                  work_.panels.buffer, work_.panel_count.buffer);
    session_.launch(list, "cells_list", {kListItems}, {{kListItems}});
    cl::Kernel place = words_->build("cells_place", m);
    set_arguments(place, work_.cells.buffer, to_uint(pairs), work_.places.buffer,
                  work_.sorted.buffer);
    session_.launch(place, "cells_place", {pairs}, {{kSearchGroupItems}});
    return most_panels;
  }

  OpenClSession& session_;
  CellKernel kernel_;
  std::size_t probes_;
  std::unique_ptr<WordSearch> centres_;
  std::unique_ptr<CellWords> words_;
  cl::Buffer starts_;  // as CellWords::starts
  struct {
    GrowingBuffer cells, cell_distances;        // [n][probes]
    GrowingBuffer counts, places;               // [cells]
    GrowingBuffer sorted, panels, panel_count;  // as in CellPairs
  } work_;
};

}  // namespace

std::unique_ptr<WordSearch> make_cell_search(OpenClSession& session, MatrixView<const float> words,
                                             const WordCells& cells, CellKernel kernel,
                                             std::unique_ptr<WordSearch> centres) {
  return std::make_unique<CellSearch>(session, kernel, probes_of(cells), std::move(centres),
                                      kernel == CellKernel::kMatrix
                                          ? make_matrix_cells(session, words, cells)
                                          : make_direct_cells(session, words, cells, kernel));
}

std::string cell_pair_options(std::size_t probes, std::size_t panel_pairs) {
  return define("PROBES", probes) + define("PANEL", panel_pairs) + define("LIST_ITEMS", kListItems);
}

std::size_t probes_of(const WordCells& cells) {
  return std::min<std::size_t>(cells.probes, cells.size());
}

}  // namespace lookalike
