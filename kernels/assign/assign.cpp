#include "kernels/assign/assign.h"

#include <algorithm>

#include "kernels/assign/matrix_units.h"

namespace lookalike {
namespace {

// Descriptors a batch: enough to fill any device, 256 MiB of 64-D descriptors.
constexpr std::size_t kBatchRows = std::size_t{1} << 20;

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

}  // namespace lookalike
