#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "kernels/assign/word_search.h"
#include "kernels/session/build_options.h"
#include "kernels/transpose/transpose.h"

namespace lookalike {
namespace {

// Words of a round: all, or for kGpu5 as many as the device's constant memory holds.
std::size_t words_per_round(const OpenClSession& session, MatrixView<const float> words,
                            AssignKernel kernel) {
  if (kernel != AssignKernel::kGpu5) return words.rows();
  const std::uint64_t fitting =
      session.device().constant_buffer_bytes / (words.cols() * sizeof(float));
  return std::clamp<std::size_t>(fitting, 1, words.rows());
}

// Descriptors that a work-group stages: at most kSearchGroupItems, halved until they fit local
// memory.
std::size_t staged_descriptors(const OpenClSession& session, std::size_t dimensions) {
  std::size_t count = kSearchGroupItems;
  while (count > 1 && count * dimensions * sizeof(float) > session.device().local_memory_bytes) {
    count /= 2;
  }
  return count;
}

class DirectSearch : public WordSearch {
 public:
  DirectSearch(OpenClSession& session, MatrixView<const float> words, AssignKernel kernel)
      : session_(session),
        kernel_(kernel),
        dimensions_(words.cols()),
        round_(words_per_round(session, words, kernel)),
        group_items_(kernel >= AssignKernel::kGpu4 ? staged_descriptors(session, dimensions_)
                                                   : kSearchGroupItems) {
    if (kernel != AssignKernel::kGpu1) transpose_.emplace(session);
    for (std::size_t first = 0; first < words.rows(); first += round_) {
      const MatrixView<const float> part =
          words.middle_rows(first, std::min(round_, words.rows() - first));
      rounds_.push_back({first, part.rows(), session.upload(std::span(part.data(), part.size()))});
    }
  }

  void search(const SearchBatch& batch) override {
    const cl::Buffer descriptors = transpose_ ? transposed(batch) : batch.descriptors;
    cl::Kernel kernel = build(batch.m);
    for (const Round& round : rounds_) {
      set_arguments(kernel, descriptors, round.words, to_uint(batch.rows), to_uint(round.count),
                    batch.words, batch.squared_distances);
      if (kernel_ == AssignKernel::kGpu5) kernel.setArg(6, to_uint(round.first));
      session_.launch(kernel, name(), {batch.rows}, {{group_items_}});
    }
  }

 private:
  struct Round {
    std::size_t first;
    std::size_t count;
    cl::Buffer words;
  };

  std::string name() const { return "assign_" + std::string(to_string(kernel_)); }

  cl::Buffer transposed(const SearchBatch& batch) {
    cl::Buffer columns = session_.allocate(batch.rows * dimensions_ * sizeof(float));
    transpose_->transpose(batch.descriptors, batch.rows, dimensions_, columns);
    return columns;
  }

  cl::Kernel build(std::size_t m) {
    // Any order will do for the sums, and lets a CPU add in vectors.
    const std::string options = "-cl-unsafe-math-optimizations" +
                                define("DIMENSIONS", dimensions_) + define("NEAREST", m) +
                                define("GROUP_ITEMS", group_items_);
    return session_.kernel(
        {"assign/nearest.cl", "assign/" + std::string(to_string(kernel_)) + ".cl"}, name(),
        options);
  }

  OpenClSession& session_;
  AssignKernel kernel_;
  std::optional<Transpose> transpose_;  // but for kGpu1
  std::size_t dimensions_;
  std::size_t round_;
  std::size_t group_items_;
  std::vector<Round> rounds_;
};

}  // namespace

std::unique_ptr<WordSearch> make_direct_search(OpenClSession& session,
                                               MatrixView<const float> words, AssignKernel kernel) {
  return std::make_unique<DirectSearch>(session, words, kernel);
}

}  // namespace lookalike
