#include "kernels/assign/assign.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "kernels/assign/word_search.h"
#include "kernels/synthetic_data.h"

namespace lookalike {
namespace {

// Descriptors a batch: enough to fill any device, 256 MiB of 64-D descriptors.
constexpr std::size_t kBatchRows = std::size_t{1} << 20;

// Finds the nearest words of descriptors, at least one, and writes them to the start of the spans.
void search_batch(OpenClSession& session, WordSearch& search, const DeviceDescriptors& descriptors,
                  std::size_t m, std::span<std::uint32_t> words,
                  std::span<float> squared_distances) {
  const std::size_t answers = descriptors.rows() * m;
  const SearchBatch batch = {descriptors.rows(), m, descriptors.buffer(),
                             session.allocate(answers * sizeof(cl_uint)),
                             session.allocate(answers * sizeof(float))};
  search.search(batch);
  session.read(batch.words, words.first(answers));
  session.read(batch.squared_distances, squared_distances.first(answers));
}

Assignment room_for(std::size_t answers) {
  return {std::vector<std::uint32_t>(answers), std::vector<float>(answers)};
}

// True if the device compiles the matrix kernel's PTX and finds the right words with it, on a small
// problem that fills no tile. Tried once a session.
bool has_matrix_units(OpenClSession& session) {
  constexpr std::size_t kDimensions = 64;
  constexpr std::size_t kRows = 50;
  return session.device().is_nvidia() && session.supports("matrix units", [&] {
    const std::vector<float> word_values = synthetic_descriptors(77, kDimensions, 1);
    const std::vector<float> values = synthetic_descriptors(kRows, kDimensions, 2);
    const MatrixView<const float> words(word_values, kDimensions);
    const MatrixView<const float> descriptors(values, kDimensions);
    Assignment found = room_for(kRows);
    search_batch(session, *make_scored_search(session, words, AssignKernel::kMatrix),
                 {session, descriptors}, 1, found.words, found.squared_distances);
    return is_nearest(words, descriptors, 1, found);
  });
}

void require_matrix_units(OpenClSession& session) {
  if (has_matrix_units(session)) return;
  throw Error(ErrorKind::kDevice, "assign kernel matrix: " + session.device().name +
                                      " has no matrix units that OpenCL reaches");
}

std::unique_ptr<WordSearch> make_search(OpenClSession& session, MatrixView<const float> words,
                                        AssignKernel kernel) {
  switch (kernel) {
    case AssignKernel::kFused:
    case AssignKernel::kMatrix:
    case AssignKernel::kCpu:
      return make_scored_search(session, words, kernel);
    default:
      return make_direct_search(session, words, kernel);
  }
}

CellKernel chosen_cell_kernel(OpenClSession& session, const Codebook& codebook) {
  return choose_variant(session.tuning(), "cells",
                        {{"words", codebook.size()},
                         {"cells", codebook.cells.size()},
                         {"dimensions", codebook.descriptor_size}},
                        cell_kernels(session));
}

// Returns the kernel for the words, or the centres of cells. To find 8 centres, fused takes 33,536
// bytes of local memory, and some devices have 32 KiB.
AssignKernel kernel_for(const OpenClSession& session, const Codebook& codebook,
                        AssignKernel kernel) {
  constexpr std::size_t kFusedBytes = 33536;
  const bool is_too_large =
      !codebook.cells.empty() && session.device().local_memory_bytes < kFusedBytes;
  return kernel == AssignKernel::kAuto && is_too_large ? AssignKernel::kGpu1 : kernel;
}

// Returns the fewest words that a descriptor may be compared with: those of the smallest cells.
std::size_t fewest_words(const WordCells& cells) {
  std::vector<std::size_t> sizes(cells.starts.size());
  std::adjacent_difference(cells.starts.begin(), cells.starts.end(), sizes.begin());
  std::sort(sizes.begin() + 1, sizes.end());
  return std::accumulate(sizes.begin() + 1, sizes.begin() + 1 + static_cast<long>(probes_of(cells)),
                         std::size_t{0});
}

}  // namespace

std::vector<CellKernel> cell_kernels(OpenClSession& session) {
  if (session.is_cpu()) return {CellKernel::kPanels, CellKernel::kItems};
  std::vector<CellKernel> kernels = {CellKernel::kItems, CellKernel::kPanels};
  if (has_matrix_units(session)) kernels.insert(kernels.begin(), CellKernel::kMatrix);
  return kernels;
}

std::vector<AssignKernel> assign_kernels(OpenClSession& session) {
  std::vector<AssignKernel> kernels = {
      AssignKernel::kFused, AssignKernel::kCpu,  AssignKernel::kGpu5, AssignKernel::kGpu4,
      AssignKernel::kGpu3,  AssignKernel::kGpu2, AssignKernel::kGpu1};
  if (session.is_cpu()) std::swap(kernels[0], kernels[1]);
  if (has_matrix_units(session)) kernels.insert(kernels.begin(), AssignKernel::kMatrix);
  return kernels;
}

DeviceDescriptors::DeviceDescriptors(OpenClSession& session, MatrixView<const float> descriptors)
    : rows_(descriptors.rows()),
      cols_(descriptors.cols()),
      buffer_(session.upload(std::span(descriptors.data(), descriptors.size()))) {}

WordAssigner::WordAssigner(OpenClSession& session, MatrixView<const float> words,
                           AssignKernel kernel)
    : session_(session),
      kernel_(kernel),
      dimensions_(words.cols()),
      max_nearest_(std::min(kMaxNearest, words.rows())) {
  require(words.rows() >= 1 && words.rows() <= std::size_t{1} << 31U,
          "WordAssigner: needs from 1 to 2^31 words");
  require(dimensions_ > 0 && dimensions_ % 8 == 0,
          "WordAssigner: the descriptor size must be a multiple of 8");
  if (kernel_ == AssignKernel::kAuto) {
    kernel_ = choose_variant(session.tuning(), "assign",
                             {{"words", words.rows()}, {"dimensions", dimensions_}},
                             assign_kernels(session));
  }
  if (kernel_ == AssignKernel::kMatrix) require_matrix_units(session);
  search_ = make_search(session, words, kernel_);
}

WordAssigner::WordAssigner(OpenClSession& session, const Codebook& codebook, AssignKernel kernel,
                           std::optional<CellKernel> cell_kernel)
    : WordAssigner(session,
                   codebook.cells.empty()
                       ? codebook.word_matrix()
                       : MatrixView<const float>(codebook.cells.centres, codebook.descriptor_size),
                   kernel_for(session, codebook, kernel)) {
  const WordCells& cells = codebook.cells;
  if (cells.empty()) return;
  require(cells.fit(codebook.size(), dimensions_), "WordAssigner: cells do not fit the words");
  max_nearest_ = std::min(kMaxNearest, fewest_words(cells));
  const CellKernel chosen = cell_kernel ? *cell_kernel : chosen_cell_kernel(session, codebook);
  if (chosen == CellKernel::kMatrix) require_matrix_units(session);
  search_ = make_cell_search(session, codebook.word_matrix(), cells, chosen, std::move(search_));
}

WordAssigner::~WordAssigner() = default;

void WordAssigner::nearest(const cl::Buffer& descriptors, std::size_t n, std::size_t m,
                           const cl::Buffer& words, const cl::Buffer& squared_distances) {
  check(n, dimensions_, m);
  require(n >= 1, "WordAssigner: needs at least one descriptor");
  search_->search({n, m, descriptors, words, squared_distances});
}

void WordAssigner::check(std::size_t rows, std::size_t cols, std::size_t m) const {
  require(rows == 0 || cols == dimensions_, "WordAssigner: descriptors and words differ in size");
  require(m >= 1 && m <= max_nearest_, "WordAssigner: m must be from 1 to max_nearest()");
}

Assignment WordAssigner::nearest(MatrixView<const float> descriptors, std::size_t m) {
  check(descriptors.rows(), descriptors.cols(), m);
  Assignment result = room_for(descriptors.rows() * m);
  for_each_batch(descriptors.rows(), kBatchRows, [&](std::size_t first, std::size_t count) {
    search_batch(session_, *search_, {session_, descriptors.middle_rows(first, count)}, m,
                 std::span(result.words).subspan(first * m),
                 std::span(result.squared_distances).subspan(first * m));
  });
  return result;
}

Assignment WordAssigner::nearest(const DeviceDescriptors& descriptors, std::size_t m) {
  check(descriptors.rows(), descriptors.cols(), m);
  Assignment result = room_for(descriptors.rows() * m);
  if (descriptors.rows() > 0) {
    search_batch(session_, *search_, descriptors, m, result.words, result.squared_distances);
  }
  return result;
}

}  // namespace lookalike
