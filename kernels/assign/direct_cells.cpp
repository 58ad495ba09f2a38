#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/assign/word_search.h"
#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

// Pairs of a panel: the lanes of a float16, or the work-items that a GPU runs together.
constexpr std::size_t kPanelLanes = 16;
constexpr std::size_t kPanelItems = 32;

class DirectCells : public CellWords {
 public:
  DirectCells(OpenClSession& session, MatrixView<const float> words, const WordCells& cells,
              CellKernel kernel)
      : session_(session),
        kernel_(kernel),
        dimensions_(words.cols()),
        probes_(probes_of(cells)),
        starts_(cells.starts),
        words_(session.upload(std::span(words.data(), words.size()))) {}

  std::size_t panel_pairs() const override { return by_lanes() ? kPanelLanes : kPanelItems; }
  const std::vector<std::uint32_t>& starts() const override { return starts_; }
  cl::Kernel build(const std::string& name, std::size_t m) override {
    return session_.kernel({"assign/nearest.cl", "assign/cell_pairs.cl", "assign/cells.cl"}, name,
                           "-cl-mad-enable" + define("DIMENSIONS", dimensions_) +
                               define("NEAREST", m) + cell_pair_options(probes_, panel_pairs()));
  }

  void search(const SearchBatch& batch, const CellPairs& pairs) override {
    const std::size_t found = batch.rows * probes_ * batch.m;
    work_.words.reserve(session_, found * sizeof(cl_uint));
    work_.distances.reserve(session_, found * sizeof(float));
    cl::Kernel kernel = build(by_lanes() ? "cells_panels" : "cells_items", batch.m);
    set_arguments(kernel, batch.descriptors, words_, pairs.sorted, pairs.panels, pairs.panel_count,
                  work_.words.buffer, work_.distances.buffer);
    const std::size_t items = by_lanes() ? 1 : kPanelItems;
    session_.launch(kernel, "cells_words", {pairs.most_panels * items}, {{items}});
    cl::Kernel merge = build("cells_merge", batch.m);
    set_arguments(merge, work_.words.buffer, work_.distances.buffer, to_uint(batch.rows),
                  batch.words, batch.squared_distances);
    session_.launch(merge, "cells_merge", {batch.rows}, {{kSearchGroupItems}});
  }

 private:
  bool by_lanes() const { return kernel_ == CellKernel::kPanels; }

  OpenClSession& session_;
  CellKernel kernel_;
  std::size_t dimensions_;
  std::size_t probes_;
  std::vector<std::uint32_t> starts_;
  cl::Buffer words_;  // [k][d]
  struct {
    GrowingBuffer words, distances;  // [n][probes][m]
  } work_;
};

}  // namespace

std::unique_ptr<CellWords> make_direct_cells(OpenClSession& session, MatrixView<const float> words,
                                             const WordCells& cells, CellKernel kernel) {
  return std::make_unique<DirectCells>(session, words, cells, kernel);
}

}  // namespace lookalike
