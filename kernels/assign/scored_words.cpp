#include "kernels/assign/scored_words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

// Work-items that share the rescan of an uncertain row, and work-groups per compute unit.
constexpr std::size_t kRescanItems = 64;
constexpr std::size_t kRescanGroupsPerUnit = 8;

double squared_norm(std::span<const float> word) {
  return std::accumulate(word.begin(), word.end(), 0.0, [](double sum, float value) {
    return sum + static_cast<double>(value) * static_cast<double>(value);
  });
}

// Rounds to the nearest bfloat16, ties to even: the upper half of a float.
std::uint32_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U;
}

float from_bfloat16(std::uint32_t value) {
  return std::bit_cast<float>(value << 16U);
}

// Splits two values of a word, zero past its end, into the pair of high and the pair of low parts.
std::pair<std::uint32_t, std::uint32_t> split_pair(std::span<const float> word, std::size_t i) {
  std::pair<std::uint32_t, std::uint32_t> pairs = {0, 0};
  for (std::size_t j = 0; j < 2 && i + j < word.size(); ++j) {
    const std::uint32_t high = to_bfloat16(word[i + j]);
    pairs.first |= high << 16U * j;
    pairs.second |= to_bfloat16(word[i + j] - from_bfloat16(high)) << 16U * j;
  }
  return pairs;
}

// Packs blocks of `width` words; column_of(i) is the column of the block's word i.
template <typename ColumnOf>
std::vector<float> pack(MatrixView<const float> words, std::size_t width, ColumnOf column_of) {
  std::vector<float> packed(round_up(words.rows(), width) * words.cols(), 0.0F);
  for (std::size_t word = 0; word < words.rows(); ++word) {
    float* block = packed.data() + word / width * width * words.cols();
    const std::size_t column = column_of(word % width);
    for (std::size_t i = 0; i < words.cols(); ++i) block[i * width + column] = words.row(word)[i];
  }
  return packed;
}

// Packs words as [group][dimension][8], padded with zeros to whole groups.
std::vector<float> pack_groups(MatrixView<const float> words) {
  return pack(words, kWordsPerGroup, [](std::size_t i) { return i; });
}

// Packs words as [tile][dimension][kTileSize], padded with zeros to whole tiles. The eight words of
// group g of a tile stand in columns 4g to 4g + 3 and 64 + 4g to 64 + 4g + 3.
std::vector<float> pack_tiles(MatrixView<const float> words) {
  constexpr std::size_t kHalf = kWordsPerGroup / 2;
  return pack(words, kTileSize, [](std::size_t i) {
    const std::size_t group = i / kWordsPerGroup;
    const std::size_t lane = i % kWordsPerGroup;
    return lane / kHalf * (kTileSize / 2) + group * kHalf + lane % kHalf;
  });
}

// Packs words for kMatrix, each value split into two bfloat16, high and low: blocks of 32 words,
// padded with zeros to whole blocks, as [block][4][step of 16 dimensions][lane of 32][4]. Lane l of
// quarter q of a block holds word 8 (l / 8) + 2 q + l / 4 % 2 at dimensions 2 (l % 4) + {0, 1} and
// + {8, 9} of the step: two pairs of high parts, then two of low parts, the first of a pair in the
// low half. Thus a lane of the result scores whole groups of words.
std::vector<std::uint32_t> pack_fragments(MatrixView<const float> words) {
  const std::size_t steps = parts(words.cols(), 16);
  std::vector<std::uint32_t> packed(round_up(words.rows(), kBlockWords) * steps * 16);
  for (std::size_t word = 0; word < words.rows(); ++word) {
    const std::size_t in_block = word % kBlockWords;
    const std::size_t quarter = word / kBlockWords * 4 + in_block % 8 / 2;
    const std::size_t column = in_block / 8 * 2 + in_block % 2;
    for (std::size_t step = 0; step < steps; ++step) {
      for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t lane = (quarter * steps + step) * kWarp + column * 4 + i;
        const auto [high, low] = split_pair(words.row(word), step * 16 + i * 2);
        const auto [high_8, low_8] = split_pair(words.row(word), step * 16 + i * 2 + 8);
        const std::array<std::uint32_t, 4> fragment = {high, high_8, low, low_8};
        std::copy(fragment.begin(), fragment.end(), packed.data() + lane * 4);
      }
    }
  }
  return packed;
}

// Returns half of each word's squared norm, which its score begins below, padded with infinity to a
// multiple of kTileSize, so that padding never wins.
std::vector<float> half_squared_norms(MatrixView<const float> words) {
  std::vector<float> norms(round_up(words.rows(), kTileSize),
                           std::numeric_limits<float>::infinity());
  for (std::size_t word = 0; word < words.rows(); ++word) {
    norms[word] = static_cast<float>(0.5 * squared_norm(words.row(word)));
  }
  return norms;
}

}  // namespace

float largest_norm(MatrixView<const float> words) {
  double largest = 0;
  for (std::size_t word = 0; word < words.rows(); ++word) {
    largest = std::max(largest, squared_norm(words.row(word)));
  }
  return std::nextafter(static_cast<float>(std::sqrt(largest)),
                        std::numeric_limits<float>::infinity());
}

ScoredWords::ScoredWords(OpenClSession& session, MatrixView<const float> words, float largest_norm,
                         AssignKernel kernel, MoreKernels more)
    : session_(session),
      kernel_(kernel),
      more_(std::move(more)),
      word_count_(words.rows()),
      dimensions_(words.cols()),
      largest_norm_(largest_norm),
      groups_(session.upload<float>(pack_groups(words))),
      half_norms_(session.upload<float>(half_squared_norms(words))) {
  if (kernel == AssignKernel::kFused) scanned_ = session.upload<float>(pack_tiles(words));
  if (kernel == AssignKernel::kMatrix) {
    scanned_ = session.upload<std::uint32_t>(pack_fragments(words));
  }
  if (kernel == AssignKernel::kCpu) scanned_ = groups_;
}

// Returns how far a score may be off, in units of 2^-24 (|x||c| + |c|^2 / 2). In float, it is
// Higham's bound for an inner product. On matrix units, splitting drops low * low and the remainder
// of the low parts, each at most 2^-16 |x||c|; and each of three products of 16 dimensions is a sum
// of 17 values, which the units align to the largest and cut to 24 bits or more: 20 units of 2^-23
// (Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ Computer
// Science, 2021).
std::size_t ScoredWords::error_units() const {
  if (kernel_ != AssignKernel::kMatrix) return dimensions_ + 2;
  constexpr std::size_t kSplitUnits = 800;  // 3 * 2^8 and terms of higher order
  return kSplitUnits + parts(dimensions_, 16) * 3 * 40;
}

// Most of what a program costs PoCL comes before its kernels.
cl::Kernel ScoredWords::build(const std::string& name, std::size_t m) {
  const char* const scan = kernel_ == AssignKernel::kCpu     ? "assign/cpu.cl"
                           : kernel_ == AssignKernel::kFused ? "assign/fused.cl"
                                                             : "assign/matrix.cl";
  const bool is_cpu = kernel_ == AssignKernel::kCpu;
  std::string options = "-cl-mad-enable" + define("SCORE", is_cpu ? "float16" : "float") +
                        define("INDEX", is_cpu ? "uint16" : "uint") + more_.options;
  for (const auto& [constant, value] :
       {std::pair("DIMENSIONS", dimensions_), std::pair("NEAREST", m),
        std::pair("CANDIDATES", candidates(m)), std::pair("TILE", kTileSize),
        std::pair("ERROR_UNITS", error_units()), std::pair("ROW_TILES", row_tiles(dimensions_)),
        std::pair("GROUP_ITEMS", kSearchGroupItems), std::pair("RESCAN_ITEMS", kRescanItems)}) {
    options += define(constant, value);
  }
  std::vector<std::string> files = {"assign/candidates.cl", scan, "assign/nearest.cl",
                                    "assign/refine.cl"};
  files.insert(files.end(), more_.files.begin(), more_.files.end());
  return session_.kernel(files, name, options);
}

Scan ScoredWords::room_for_scan(const SearchBatch& batch) {
  work_.groups.reserve(session_, batch.rows * candidates(batch.m) * sizeof(cl_uint));
  work_.next_scores.reserve(session_, batch.rows * sizeof(float));
  return {work_.groups.buffer, work_.next_scores.buffer};
}

void ScoredWords::refine(const SearchBatch& batch, const Scan& scan) {
  work_.uncertain.reserve(session_, (batch.rows + 1) * sizeof(cl_uint));
  session_.clear(work_.uncertain.buffer, sizeof(cl_uint));
  const bool by_lanes = kernel_ != AssignKernel::kCpu;
  cl::Kernel refine = build(by_lanes ? "refine_lanes" : "refine", batch.m);
  set_arguments(refine, batch.descriptors, groups_, scan.groups, scan.next_scores,
                to_uint(batch.rows), to_uint(word_count_), largest_norm_, batch.words,
                batch.squared_distances, work_.uncertain.buffer);
  session_.launch(refine, "assign_refine", {batch.rows * (by_lanes ? kWordsPerGroup : 1)},
                  {{kSearchGroupItems}});
}

void ScoredWords::rescan(const SearchBatch& batch) {
  cl::Kernel kernel = build("rescan", batch.m);
  set_arguments(kernel, batch.descriptors, groups_, to_uint(word_count_), batch.words,
                batch.squared_distances, work_.uncertain.buffer);
  launch_rescan(kernel);
}

void ScoredWords::rescan(const SearchBatch& batch, const cl::Buffer& cells,
                         const cl::Buffer& starts) {
  cl::Kernel kernel = build("rescan_cells", batch.m);
  set_arguments(kernel, batch.descriptors, groups_, to_uint(word_count_), cells, starts,
                batch.words, batch.squared_distances, work_.uncertain.buffer);
  launch_rescan(kernel);
}

void ScoredWords::launch_rescan(const cl::Kernel& kernel) {
  const std::size_t groups = session_.device().compute_units * kRescanGroupsPerUnit;
  session_.launch(kernel, "assign_rescan", {groups * kRescanItems}, {{kRescanItems}});
}

}  // namespace lookalike
