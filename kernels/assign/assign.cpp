#include "kernels/assign/assign.h"

#include <algorithm>

#include "kernels/assign/matrix_units.h"

namespace lookalike {
namespace {

// Descriptors a batch: enough to fill any device, 256 MiB of 64-D descriptors.
constexpr std::size_t kBatchRows = std::size_t{1} << 20;
// Cells of the histograms that are on the device at once: 256 MiB.
constexpr std::size_t kBatchCells = std::size_t{1} << 26;

AssignKernel resolve(AssignKernel kernel, OpenClSession& session, MatrixView<const float> words) {
  if (kernel != AssignKernel::kAuto) return kernel;
  return choose_variant(session.tuning(), "assign",
                        {{"words", words.rows()}, {"dimensions", words.cols()}},
                        assign_kernels(session));
}

bool is_scored(AssignKernel kernel) {
  return kernel == AssignKernel::kFused || kernel == AssignKernel::kMatrix ||
         kernel == AssignKernel::kCpu;
}

std::span<const float> values_of(MatrixView<const float> matrix) {
  return {matrix.data(), matrix.size()};
}

cl_uint to_uint(std::size_t value) {
  return static_cast<cl_uint>(value);
}

}  // namespace

WordAssigner::WordAssigner(OpenClSession& session, MatrixView<const float> words,
                           AssignKernel kernel)
    : session_(session),
      kernel_(resolve(kernel, session, words)),
      word_count_(words.rows()),
      dimensions_(words.cols()) {
  require(word_count_ >= 1 && word_count_ <= std::size_t{1} << 31U,
          "WordAssigner: needs from 1 to 2^31 words");
  require(dimensions_ > 0 && dimensions_ % 8 == 0,
          "WordAssigner: the descriptor size must be a multiple of 8");
  if (kernel_ == AssignKernel::kMatrix && !has_matrix_units(session)) {
    throw Error(ErrorKind::kDevice, "assign kernel matrix: " + session.device().name +
                                        " has no matrix units that OpenCL reaches");
  }
  search_ = is_scored(kernel_) ? make_scored_search(session, words, kernel_)
                               : make_direct_search(session, words, kernel_);
}

Assignment WordAssigner::nearest(MatrixView<const float> descriptors, std::size_t m) {
  require(descriptors.empty() || descriptors.cols() == dimensions_,
          "WordAssigner: descriptors and words differ in size");
  require(m >= 1 && m <= std::min(kMaxNearest, word_count_),
          "WordAssigner: m must be from 1 to the lesser of k and 8");
  Assignment result;
  result.words.resize(descriptors.rows() * m);
  result.squared_distances.resize(descriptors.rows() * m);
  for_each_batch(descriptors.rows(), kBatchRows, [&](std::size_t first, std::size_t count) {
    const std::size_t bytes = count * m * sizeof(cl_uint);
    const SearchBatch batch = {count, m,
                               session_.upload(values_of(descriptors.middle_rows(first, count))),
                               session_.allocate(bytes), session_.allocate(bytes)};
    search_->search(batch);
    session_.read(batch.words, std::span(result.words).subspan(first * m, count * m));
    session_.read(batch.squared_distances,
                  std::span(result.squared_distances).subspan(first * m, count * m));
  });
  return result;
}

std::vector<std::uint32_t> WordAssigner::histograms(std::span<const std::uint32_t> words,
                                                    std::span<const std::uint32_t> offsets) {
  require(!offsets.empty() && offsets.front() == 0 && offsets.back() == words.size() &&
              std::is_sorted(offsets.begin(), offsets.end()),
          "histograms: offsets must rise from 0 to the number of words");
  require(std::all_of(words.begin(), words.end(),
                      [&](std::uint32_t word) { return word < word_count_; }),
          "histograms: a word is not in the codebook");
  const std::size_t images = offsets.size() - 1;
  std::vector<std::uint32_t> result(images * word_count_);
  for_each_batch(images, kBatchCells / word_count_, [&](std::size_t first, std::size_t count) {
    const std::span<const std::uint32_t> batch = offsets.subspan(first, count + 1);
    count_words(words.subspan(batch.front(), batch.back() - batch.front()), batch,
                std::span(result).subspan(first * word_count_, count * word_count_));
  });
  return result;
}

// Histograms of images whose words start at offsets.front().
void WordAssigner::count_words(std::span<const std::uint32_t> words,
                               std::span<const std::uint32_t> offsets,
                               std::span<std::uint32_t> histograms) {
  std::vector<std::uint32_t> starts(offsets.begin(), offsets.end());
  for (std::uint32_t& start : starts) start -= offsets.front();
  const cl::Buffer word_buffer = session_.upload(words);
  const cl::Buffer start_buffer = session_.upload<std::uint32_t>(starts);
  const cl::Buffer counts = session_.allocate(histograms.size_bytes());
  session_.clear(counts, histograms.size_bytes());
  cl::Kernel kernel = session_.kernel({"assign/histogram.cl"}, "histogram");
  set_arguments(kernel, word_buffer, start_buffer, to_uint(words.size()),
                to_uint(starts.size() - 1), to_uint(word_count_), counts);
  session_.launch(kernel, "histogram", {words.size()}, {{kSearchGroupItems}});
  session_.read(counts, histograms);
}

}  // namespace lookalike
