#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "kernels/assign/assign.h"
#include "kernels/cases.h"
#include "kernels/synthetic_data.h"

namespace lookalike {
namespace {

struct Size {
  std::size_t descriptors;
  std::size_t words;
  std::size_t cells;
  std::size_t dimensions = 64;
  std::size_t nearest = 1;  // words per descriptor
  std::size_t probes = WordCells::kMaxProbes;
};

CaseSizes<Size> sizes() {
  CaseSizes<Size> sizes = {.simulator = {{35, 60, 9}},
                           .self_test = {{150, 300, 20}},
                           .test = {{0, 20, 10},
                                    {3, 1, 1},
                                    {70, 40, 1},
                                    {70, 40, 5},
                                    {70, 40, 40, 64, 8},
                                    {150, 601, 30, 128, 3},
                                    {150, 601, 30, 16, 2},
                                    {150, 601, 30, 64, 8},
                                    {150, 601, 30, 64, 2, 1},
                                    {900, 300, 9, 64, 3}},
                           .quick = {{512, 1024, 32}},
                           .tuning = {{1000, 131072, 512, 64, 3}, {16384, 131072, 512}},
                           .full = {{2500, 16384, 64, 64, 6},
                                    {1000, 131072, 512, 64, 3},
                                    {1000, 1048576, 512, 64, 3},
                                    {16384, 131072, 512},
                                    {32768, 16384, 64},
                                    {16384, 65536, 64}}};
  // Around the size of a panel, all of whose descriptors have the same cells.
  for (const std::size_t n : {1U, 15U, 16U, 17U, 31U, 32U, 33U}) {
    sizes.test.push_back({n, 37, 8});
  }
  return sizes;
}

// Words in cells that grow towards the last, around the first word of each.
Codebook codebook_of(const Size& size) {
  Codebook codebook;
  codebook.descriptor_size = size.dimensions;
  codebook.words = synthetic_descriptors(size.words, size.dimensions, 1);
  codebook.cells.probes = static_cast<std::uint32_t>(size.probes);
  for (std::size_t cell = 0; cell <= size.cells; ++cell) {
    const double share = static_cast<double>(cell) / static_cast<double>(size.cells);
    const auto start =
        static_cast<std::size_t>(static_cast<double>(size.words) * std::pow(share, 1.3));
    codebook.cells.starts.push_back(static_cast<std::uint32_t>(std::max(cell, start)));
  }
  for (std::size_t cell = 0; cell < size.cells; ++cell) {
    const auto word = codebook.word_matrix().row(codebook.cells.starts[cell]);
    codebook.cells.centres.insert(codebook.cells.centres.end(), word.begin(), word.end());
  }
  return codebook;
}

struct Inputs {
  Size size;
  Codebook codebook;
  std::vector<float> descriptors;

  MatrixView<const float> descriptor_view() const { return {descriptors, size.dimensions}; }
};

CaseRun prepare(OpenClSession& session, const Inputs& inputs, CellKernel kernel) {
  const auto assigner =
      std::make_shared<WordAssigner>(session, inputs.codebook, AssignKernel::kAuto, kernel);
  const auto solve = [=, &inputs] {
    return assigner->nearest(inputs.descriptor_view(), inputs.size.nearest);
  };
  const auto check = [&inputs](const Assignment& answer) -> std::string {
    return is_nearest(inputs.codebook, inputs.descriptor_view(), inputs.size.nearest, answer)
               ? ""
               : "a word is not the nearest of its cells, or its distance is wrong";
  };
  return run_of(solve, check);
}

}  // namespace

std::vector<KernelCase> cells_cases(OpenClSession& session, CaseScale scale) {
  std::vector<KernelCase> cases;
  for (const Size& size : sizes().at(scale)) {
    // Comparisons of a descriptor with the centres, and with the words in cells of the mean size.
    const double compared = static_cast<double>(size.cells) +
                            static_cast<double>(size.words * std::min(size.probes, size.cells)) /
                                static_cast<double>(size.cells);
    KernelCase problem{
        .kernel = "cells",
        .sizes = {{"words", size.words}, {"cells", size.cells}, {"dimensions", size.dimensions}},
        .more_sizes = {{"descriptors", size.descriptors}, {"nearest", size.nearest}},
        .unit = WorkUnit::kOperations,
        .amount = 2.0 * static_cast<double>(size.descriptors * size.dimensions) * compared};
    const auto inputs = [size] {
      return Inputs{size, codebook_of(size),
                    synthetic_descriptors(size.descriptors, size.dimensions, 2)};
    };
    cases.push_back(
        with_variants(std::move(problem), session, cell_kernels(session), inputs, prepare));
  }
  return cases;
}

}  // namespace lookalike
