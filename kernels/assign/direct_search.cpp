#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/assign/word_search.h"
#include "kernels/session/build_options.h"
#include "kernels/transpose/transpose.h"

namespace lookalike {
namespace {

// Returns the work-items of a work-group that stages its descriptors in local memory:
// kSearchGroupItems, halved until the descriptors fit.
std::size_t staged_items(const OpenClSession& session, std::size_t dimensions) {
  std::size_t items = kSearchGroupItems;
  while (items > 1 && items * dimensions * sizeof(float) > session.device().local_memory_bytes) {
    items /= 2;
  }
  return items;
}

class DirectSearch : public WordSearch {
 public:
  DirectSearch(OpenClSession& session, MatrixView<const float> words, AssignKernel kernel)
      : session_(session),
        kernel_(kernel),
        dimensions_(words.cols()),
        is_staged_(kernel == AssignKernel::kGpu4 || kernel == AssignKernel::kGpu5),
        group_items_(is_staged_ ? staged_items(session, dimensions_) : kSearchGroupItems) {
    if (kernel != AssignKernel::kGpu1) transpose_.emplace(session);
    std::size_t words_a_round = words.rows();
    if (kernel == AssignKernel::kGpu5) {
      const std::uint64_t fitting =
          session.device().constant_buffer_bytes / (dimensions_ * sizeof(float));
      words_a_round = std::clamp<std::size_t>(fitting, 1, words.rows());
    }
    for (std::size_t first = 0; first < words.rows(); first += words_a_round) {
      const MatrixView<const float> part =
          words.middle_rows(first, std::min(words_a_round, words.rows() - first));
      rounds_.push_back({first, part.rows(), session.upload(std::span(part.data(), part.size()))});
    }
  }

  void search(const SearchBatch& batch) override {
    cl::Buffer descriptors = batch.descriptors;
    if (transpose_) {
      descriptors = session_.allocate(batch.rows * dimensions_ * sizeof(float));
      transpose_->transpose(batch.descriptors, batch.rows, dimensions_, descriptors);
    }
    // Sums may be added up in any order, which lets a CPU add in vectors.
    const std::string name = "assign_" + std::string(to_string(kernel_));
    cl::Kernel kernel = session_.kernel(
        {"assign/nearest.cl", "assign/gpu1_to_gpu5.cl"}, name,
        "-cl-unsafe-math-optimizations" + define("DIMENSIONS", dimensions_) +
            define("NEAREST", batch.m) + (is_staged_ ? define("GROUP_ITEMS", group_items_) : ""));
    for (const Round& round : rounds_) {
      set_arguments(kernel, descriptors, round.words, to_uint(batch.rows), to_uint(round.count),
                    batch.words, batch.squared_distances);
      if (kernel_ == AssignKernel::kGpu5) kernel.setArg(6, to_uint(round.first));
      session_.launch(kernel, name, {batch.rows}, {{group_items_}});
    }
  }

 private:
  // Words that are searched together: all, or those that constant memory holds, for kGpu5.
  struct Round {
    std::size_t first;
    std::size_t count;
    cl::Buffer words;
  };

  OpenClSession& session_;
  AssignKernel kernel_;
  std::size_t dimensions_;
  bool is_staged_;
  std::size_t group_items_;
  std::optional<Transpose> transpose_;  // not for kGpu1
  std::vector<Round> rounds_;
};

}  // namespace

std::unique_ptr<WordSearch> make_direct_search(OpenClSession& session,
                                               MatrixView<const float> words, AssignKernel kernel) {
  return std::make_unique<DirectSearch>(session, words, kernel);
}

}  // namespace lookalike
