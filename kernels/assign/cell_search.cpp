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
constexpr std::size_t kPanelLanes = 16;
constexpr std::size_t kPanelItems = 32;

// As in cells.cl.
struct Panel {
  std::uint32_t first_pair, pairs;
  std::uint32_t first_word, last_word;
};
static_assert(sizeof(Panel) == 16);

// Pairs by cell, then by descriptor, and the panels that they form.
struct Plan {
  std::vector<std::uint32_t> pairs;
  std::vector<Panel> panels;
};

// Sorts pairs by cell.
//   cells_of_pairs [pairs]: the cell of each pair
Plan plan_of(std::span<const std::uint32_t> cells_of_pairs,
             std::span<const std::uint32_t> word_starts, std::size_t panel_pairs) {
  const std::size_t cells = word_starts.size() - 1;
  std::vector<std::size_t> starts(cells + 1);
  for (const std::uint32_t cell : cells_of_pairs) ++starts[cell + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  Plan plan{std::vector<std::uint32_t>(cells_of_pairs.size()), {}};
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t pair = 0; pair < cells_of_pairs.size(); ++pair) {
    plan.pairs[next[cells_of_pairs[pair]]++] = static_cast<std::uint32_t>(pair);
  }
  for (std::size_t cell = 0; cell < cells; ++cell) {
    for (std::size_t first = starts[cell]; first < starts[cell + 1]; first += panel_pairs) {
      const std::size_t pairs = std::min(panel_pairs, starts[cell + 1] - first);
      plan.panels.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(pairs),
                             word_starts[cell], word_starts[cell + 1] - 1});
    }
  }
  return plan;
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
    Plan plan;
    session_.view<std::uint32_t>(
        work_.cells.buffer, pairs, [&](std::span<const std::uint32_t> cells) {
          plan =
              plan_of(cells, starts_, kernel_ == CellKernel::kPanels ? kPanelLanes : kPanelItems);
        });
    work_.pairs.fill<std::uint32_t>(session_, plan.pairs);
    work_.panels.fill<Panel>(session_, plan.panels);
    work_.words.reserve(session_, pairs * batch.m * sizeof(cl_uint));
    work_.distances.reserve(session_, pairs * batch.m * sizeof(float));
    search_panels(batch, plan.panels.size());
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
    GrowingBuffer pairs, panels;          // as in Plan
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
