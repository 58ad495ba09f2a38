#include "kernels/assign/assign.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "kernels/assign/word_layout.h"

namespace lookalike {
namespace {

// Descriptors a batch: enough to fill any device, 256 MiB of 64-D descriptors.
constexpr std::size_t kBatchRows = std::size_t{1} << 20;
// Cells of the histograms that are on the device at once: 256 MiB.
constexpr std::size_t kBatchCells = std::size_t{1} << 26;
// Descriptors of a panel of the cpu kernel: two float16.
constexpr std::size_t kPanelSize = 32;
// Work-items a side of the fused kernel's work-group.
constexpr std::size_t kFusedSide = 16;
// Work-items of a work-group where the kernel does not care. Left to choose, PoCL takes one for
// each global size and compiles the kernel anew.
constexpr std::size_t kGroupItems = 64;
// Work-items that share the second look at a doubtful row, and work-groups per compute unit.
constexpr std::size_t kRescanItems = 64;
constexpr std::size_t kRescanGroupsPerUnit = 8;

constexpr std::array<std::pair<AssignKernel, std::string_view>, 4> kNames = {{
    {AssignKernel::kAuto, "auto"},
    {AssignKernel::kGpu1, "gpu1"},
    {AssignKernel::kFused, "fused"},
    {AssignKernel::kCpu, "cpu"},
}};

AssignKernel resolve(AssignKernel kernel, const OpenClSession& session) {
  if (kernel != AssignKernel::kAuto) return kernel;
  return session.is_cpu() ? AssignKernel::kCpu : AssignKernel::kFused;
}

std::span<const float> values_of(MatrixView<const float> matrix) {
  return {matrix.data(), matrix.size()};
}

cl_uint to_uint(std::size_t value) {
  return static_cast<cl_uint>(value);
}

}  // namespace

std::string_view to_string(AssignKernel kernel) {
  return std::find_if(kNames.begin(), kNames.end(),
                      [&](const auto& entry) { return entry.first == kernel; })
      ->second;
}

AssignKernel parse_assign_kernel(std::string_view name) {
  for (const auto& [kernel, known] : kNames) {
    if (known == name) return kernel;
  }
  throw Error(ErrorKind::kUsage,
              "assign kernel: must be auto, gpu1, fused or cpu, was '" + std::string(name) + "'");
}

// Descriptors on their way through the kernels, and what is found of them.
struct WordAssigner::Batch {
  std::size_t rows;
  std::size_t m;
  cl::Buffer descriptors;        // [rows][d]
  cl::Buffer words;              // [rows][m]
  cl::Buffer squared_distances;  // [rows][m]
  cl::Buffer groups;             // [rows][m], of the scan
  cl::Buffer next_scores;        // [rows], of the scan
};

WordAssigner::WordAssigner(OpenClSession& session, MatrixView<const float> words,
                           AssignKernel kernel)
    : session_(session),
      kernel_(resolve(kernel, session)),
      word_count_(words.rows()),
      dimensions_(words.cols()) {
  require(word_count_ >= 1 && word_count_ <= std::size_t{1} << 31U,
          "WordAssigner: needs from 1 to 2^31 words");
  require(dimensions_ > 0 && dimensions_ % 8 == 0,
          "WordAssigner: the descriptor size must be a multiple of 8");
  if (kernel_ == AssignKernel::kGpu1) {
    rows_ = session_.upload(values_of(words));
    return;
  }
  largest_norm_ = largest_norm(words);
  groups_ = session_.upload<float>(pack_groups(words));
  half_norms_ = session_.upload<float>(half_squared_norms(words));
  if (kernel_ == AssignKernel::kFused) tiles_ = session_.upload<float>(pack_tiles(words));
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
    Batch batch{count,
                m,
                session_.upload(values_of(descriptors.middle_rows(first, count))),
                session_.allocate(bytes),
                session_.allocate(bytes),
                {},
                {}};
    if (kernel_ == AssignKernel::kGpu1) {
      assign_directly(batch);
    } else {
      batch.groups = session_.allocate(bytes);
      batch.next_scores = session_.allocate(count * sizeof(float));
      kernel_ == AssignKernel::kCpu ? scan_cpu(batch) : scan_fused(batch);
      refine(batch);
    }
    session_.read(batch.words, std::span(result.words).subspan(first * m, count * m));
    session_.read(batch.squared_distances,
                  std::span(result.squared_distances).subspan(first * m, count * m));
  });
  return result;
}

cl::Kernel WordAssigner::build(const std::vector<std::string>& sources, const std::string& name,
                               std::size_t m) {
  const bool is_cpu = kernel_ == AssignKernel::kCpu;
  std::string options = is_cpu ? "-DSCORE=float16 -DINDEX=uint16" : "-DSCORE=float -DINDEX=uint";
  // Any order will do for the baseline's sums, and lets a CPU add in vectors.
  options += kernel_ == AssignKernel::kGpu1 ? " -cl-unsafe-math-optimizations" : " -cl-mad-enable";
  for (const auto& [constant, value] :
       {std::pair("DIMENSIONS", dimensions_), std::pair("NEAREST", m), std::pair("TILE", kTileSize),
        std::pair("RESCAN_ITEMS", kRescanItems)}) {
    options += std::string(" -D") + constant + '=' + std::to_string(value);
  }
  return session_.kernel(sources, name, options);
}

void WordAssigner::assign_directly(const Batch& batch) {
  cl::Kernel kernel = build({"assign/nearest.cl", "assign/gpu1.cl"}, "assign_gpu1", batch.m);
  set_arguments(kernel, batch.descriptors, rows_, to_uint(batch.rows), to_uint(word_count_),
                batch.words, batch.squared_distances);
  session_.launch(kernel, "assign_gpu1", {batch.rows}, {{kGroupItems}});
}

void WordAssigner::scan_cpu(const Batch& batch) {
  cl::Kernel kernel = build({"assign/candidates.cl", "assign/cpu.cl"}, "scan_cpu", batch.m);
  const std::size_t groups = round_up(word_count_, kWordsPerGroup) / kWordsPerGroup;
  set_arguments(kernel, batch.descriptors, groups_, half_norms_, to_uint(batch.rows),
                to_uint(groups), batch.groups, batch.next_scores);
  session_.launch(kernel, "assign_cpu", {round_up(batch.rows, kPanelSize) / kPanelSize}, {{1}});
}

void WordAssigner::scan_fused(const Batch& batch) {
  const std::size_t padded_rows = round_up(batch.rows, kTileSize);
  const cl::Buffer tiles = session_.allocate(padded_rows * dimensions_ * sizeof(float));
  cl::Kernel pack = build({"assign/pack.cl"}, "pack_tiles", batch.m);
  set_arguments(pack, batch.descriptors, to_uint(batch.rows), tiles);
  session_.launch(pack, "assign_pack", {padded_rows, dimensions_ / 4}, {{kGroupItems, 1}});

  cl::Kernel scan = build({"assign/candidates.cl", "assign/fused.cl"}, "scan_fused", batch.m);
  set_arguments(scan, tiles, tiles_, half_norms_, to_uint(batch.rows),
                to_uint(round_up(word_count_, kTileSize) / kTileSize), batch.groups,
                batch.next_scores);
  session_.launch(scan, "assign_fused", {kFusedSide, padded_rows / kTileSize * kFusedSide},
                  {{kFusedSide, kFusedSide}});
}

void WordAssigner::refine(const Batch& batch) {
  const std::vector<std::string> sources = {"assign/nearest.cl", "assign/refine.cl"};
  const cl::Buffer doubtful = session_.allocate((batch.rows + 1) * sizeof(cl_uint));
  session_.clear(doubtful, sizeof(cl_uint));
  cl::Kernel refine = build(sources, "refine", batch.m);
  set_arguments(refine, batch.descriptors, groups_, batch.groups, batch.next_scores,
                to_uint(batch.rows), to_uint(word_count_), largest_norm_, batch.words,
                batch.squared_distances, doubtful);
  session_.launch(refine, "assign_refine", {batch.rows}, {{kGroupItems}});

  cl::Kernel rescan = build(sources, "rescan", batch.m);
  set_arguments(rescan, batch.descriptors, groups_, to_uint(word_count_), batch.words,
                batch.squared_distances, doubtful);
  const std::size_t groups = session_.device().compute_units * kRescanGroupsPerUnit;
  session_.launch(rescan, "assign_rescan", {groups * kRescanItems}, {{kRescanItems}});
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
  session_.launch(kernel, "histogram", {words.size()}, {{kGroupItems}});
  session_.read(counts, histograms);
}

}  // namespace lookalike
