#include <string>
#include <utility>
#include <vector>

#include "kernels/assign/word_layout.h"
#include "kernels/assign/word_search.h"

namespace lookalike {
namespace {

// Descriptors of a panel of the cpu kernel: two float16.
constexpr std::size_t kPanelSize = 32;
// Work-items a side of the fused kernel's work-group.
constexpr std::size_t kFusedSide = 16;
// Work-items that share the second look at a doubtful row, and work-groups per compute unit.
constexpr std::size_t kRescanItems = 64;
constexpr std::size_t kRescanGroupsPerUnit = 8;

cl_uint to_uint(std::size_t value) {
  return static_cast<cl_uint>(value);
}

class ScoredSearch : public WordSearch {
 public:
  ScoredSearch(OpenClSession& session, MatrixView<const float> words, AssignKernel kernel)
      : session_(session),
        kernel_(kernel),
        word_count_(words.rows()),
        dimensions_(words.cols()),
        largest_norm_(largest_norm(words)),
        groups_(session.upload<float>(pack_groups(words))),
        half_norms_(session.upload<float>(half_squared_norms(words))) {
    if (kernel_ == AssignKernel::kFused) tiles_ = session_.upload<float>(pack_tiles(words));
  }

  void search(const SearchBatch& batch) override {
    const Scan scan = {session_.allocate(batch.rows * batch.m * sizeof(cl_uint)),
                       session_.allocate(batch.rows * sizeof(float))};
    kernel_ == AssignKernel::kCpu ? scan_cpu(batch, scan) : scan_fused(batch, scan);
    refine(batch, scan);
  }

 private:
  // What a scan leaves to refine.
  struct Scan {
    cl::Buffer groups;       // [rows][m], best first
    cl::Buffer next_scores;  // [rows]: the best score of a group that is not in groups
  };

  cl::Kernel build(const std::vector<std::string>& sources, const std::string& name, std::size_t m);
  void scan_cpu(const SearchBatch& batch, const Scan& scan);
  void scan_fused(const SearchBatch& batch, const Scan& scan);
  void refine(const SearchBatch& batch, const Scan& scan);

  OpenClSession& session_;
  AssignKernel kernel_;
  std::size_t word_count_;
  std::size_t dimensions_;
  float largest_norm_;
  cl::Buffer groups_;      // as pack_groups
  cl::Buffer half_norms_;  // as half_squared_norms
  cl::Buffer tiles_;       // as pack_tiles, for kFused
};

cl::Kernel ScoredSearch::build(const std::vector<std::string>& sources, const std::string& name,
                               std::size_t m) {
  const bool is_cpu = kernel_ == AssignKernel::kCpu;
  std::string options = is_cpu ? "-DSCORE=float16 -DINDEX=uint16" : "-DSCORE=float -DINDEX=uint";
  options += " -cl-mad-enable";
  for (const auto& [constant, value] :
       {std::pair("DIMENSIONS", dimensions_), std::pair("NEAREST", m), std::pair("TILE", kTileSize),
        std::pair("RESCAN_ITEMS", kRescanItems)}) {
    options += std::string(" -D") + constant + '=' + std::to_string(value);
  }
  return session_.kernel(sources, name, options);
}

void ScoredSearch::scan_cpu(const SearchBatch& batch, const Scan& scan) {
  cl::Kernel kernel = build({"assign/candidates.cl", "assign/cpu.cl"}, "scan_cpu", batch.m);
  const std::size_t groups = round_up(word_count_, kWordsPerGroup) / kWordsPerGroup;
  set_arguments(kernel, batch.descriptors, groups_, half_norms_, to_uint(batch.rows),
                to_uint(groups), scan.groups, scan.next_scores);
  session_.launch(kernel, "assign_cpu", {round_up(batch.rows, kPanelSize) / kPanelSize}, {{1}});
}

void ScoredSearch::scan_fused(const SearchBatch& batch, const Scan& scan) {
  const std::size_t padded_rows = round_up(batch.rows, kTileSize);
  const cl::Buffer tiles = session_.allocate(padded_rows * dimensions_ * sizeof(float));
  cl::Kernel pack = build({"assign/pack.cl"}, "pack_tiles", batch.m);
  set_arguments(pack, batch.descriptors, to_uint(batch.rows), tiles);
  session_.launch(pack, "assign_pack", {padded_rows, dimensions_ / 4}, {{kSearchGroupItems, 1}});

  cl::Kernel kernel = build({"assign/candidates.cl", "assign/fused.cl"}, "scan_fused", batch.m);
  set_arguments(kernel, tiles, tiles_, half_norms_, to_uint(batch.rows),
                to_uint(round_up(word_count_, kTileSize) / kTileSize), scan.groups,
                scan.next_scores);
  session_.launch(kernel, "assign_fused", {kFusedSide, padded_rows / kTileSize * kFusedSide},
                  {{kFusedSide, kFusedSide}});
}

void ScoredSearch::refine(const SearchBatch& batch, const Scan& scan) {
  const std::vector<std::string> sources = {"assign/nearest.cl", "assign/refine.cl"};
  const cl::Buffer doubtful = session_.allocate((batch.rows + 1) * sizeof(cl_uint));
  session_.clear(doubtful, sizeof(cl_uint));
  cl::Kernel look = build(sources, "refine", batch.m);
  set_arguments(look, batch.descriptors, groups_, scan.groups, scan.next_scores,
                to_uint(batch.rows), to_uint(word_count_), largest_norm_, batch.words,
                batch.squared_distances, doubtful);
  session_.launch(look, "assign_refine", {batch.rows}, {{kSearchGroupItems}});

  cl::Kernel rescan = build(sources, "rescan", batch.m);
  set_arguments(rescan, batch.descriptors, groups_, to_uint(word_count_), batch.words,
                batch.squared_distances, doubtful);
  const std::size_t groups = session_.device().compute_units * kRescanGroupsPerUnit;
  session_.launch(rescan, "assign_rescan", {groups * kRescanItems}, {{kRescanItems}});
}

}  // namespace

std::unique_ptr<WordSearch> make_scored_search(OpenClSession& session,
                                               MatrixView<const float> words, AssignKernel kernel) {
  return std::make_unique<ScoredSearch>(session, words, kernel);
}

}  // namespace lookalike
