#include <cstddef>
#include <memory>

#include "kernels/assign/scored_words.h"
#include "kernels/assign/word_search.h"
#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

// Descriptors of a panel of kCpu, two float16.
constexpr std::size_t kPanelSize = 32;

// Work-items of a work-group of kFused.
constexpr std::size_t kFusedItems = 256;

class ScoredSearch : public WordSearch {
 public:
  ScoredSearch(OpenClSession& session, MatrixView<const float> words, AssignKernel kernel)
      : session_(session),
        kernel_(kernel),
        word_count_(words.rows()),
        dimensions_(words.cols()),
        words_(session, words, largest_norm(words), kernel) {}

  void search(const SearchBatch& batch) override {
    const Scan scan = words_.room_for_scan(batch);
    if (kernel_ == AssignKernel::kCpu) scan_cpu(batch, scan);
    if (kernel_ == AssignKernel::kFused) scan_fused(batch, scan);
    if (kernel_ == AssignKernel::kMatrix) scan_matrix(batch, scan);
    words_.refine(batch, scan);
    words_.rescan(batch);
  }

 private:
  void scan_cpu(const SearchBatch& batch, const Scan& scan);
  void scan_fused(const SearchBatch& batch, const Scan& scan);
  void scan_matrix(const SearchBatch& batch, const Scan& scan);

  OpenClSession& session_;
  AssignKernel kernel_;
  std::size_t word_count_;
  std::size_t dimensions_;
  ScoredWords words_;
  GrowingBuffer tiles_;  // descriptors, for kFused
};

void ScoredSearch::scan_cpu(const SearchBatch& batch, const Scan& scan) {
  cl::Kernel kernel = words_.build("scan_cpu", batch.m);
  const std::size_t groups = parts(word_count_, kWordsPerGroup);
  set_arguments(kernel, batch.descriptors, words_.scanned(), words_.half_norms(),
                to_uint(batch.rows), to_uint(groups), scan.groups, scan.next_scores);
  session_.launch(kernel, "assign_cpu", {parts(batch.rows, kPanelSize)}, {{1}});
}

void ScoredSearch::scan_fused(const SearchBatch& batch, const Scan& scan) {
  const std::size_t padded_rows = round_up(batch.rows, kTileSize);
  tiles_.reserve(session_, padded_rows * dimensions_ * sizeof(float));
  cl::Kernel pack = words_.build("pack_tiles", batch.m);
  set_arguments(pack, batch.descriptors, to_uint(batch.rows), tiles_.buffer);
  session_.launch(pack, "assign_pack", {padded_rows, dimensions_ / 4}, {{kSearchGroupItems, 1}});

  cl::Kernel kernel = words_.build("scan_fused", batch.m);
  set_arguments(kernel, tiles_.buffer, words_.scanned(), words_.half_norms(), to_uint(batch.rows),
                to_uint(parts(word_count_, kTileSize)), scan.groups, scan.next_scores);
  session_.launch(kernel, "assign_fused", {padded_rows / kTileSize * kFusedItems}, {{kFusedItems}});
}

void ScoredSearch::scan_matrix(const SearchBatch& batch, const Scan& scan) {
  cl::Kernel kernel = words_.build("scan_matrix", batch.m);
  set_arguments(kernel, batch.descriptors, words_.scanned(), words_.half_norms(),
                to_uint(batch.rows), to_uint(parts(word_count_, kBlockWords)), scan.groups,
                scan.next_scores);
  const std::size_t warp_rows = row_tiles(dimensions_) * kTileRows;
  session_.launch(kernel, "assign_matrix", {parts(batch.rows, warp_rows) * kWarp},
                  {{kSearchGroupItems}});
}

}  // namespace

std::unique_ptr<WordSearch> make_scored_search(OpenClSession& session,
                                               MatrixView<const float> words, AssignKernel kernel) {
  return std::make_unique<ScoredSearch>(session, words, kernel);
}

}  // namespace lookalike
