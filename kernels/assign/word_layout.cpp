#include "kernels/assign/word_layout.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "kernels/session/build_options.h"
#include "kernels/session/session.h"

namespace lookalike {
namespace {

double squared_norm(std::span<const float> word) {
  return std::accumulate(word.begin(), word.end(), 0.0, [](double sum, float value) {
    return sum + static_cast<double>(value) * static_cast<double>(value);
  });
}

// The nearest bfloat16, ties to even: the upper half of a float.
std::uint32_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U;
}

float from_bfloat16(std::uint32_t value) {
  return std::bit_cast<float>(value << 16U);
}

// The pairs of high and of low parts of two values of a word; values past its end are zero.
std::pair<std::uint32_t, std::uint32_t> split_pair(std::span<const float> word, std::size_t i) {
  std::pair<std::uint32_t, std::uint32_t> pairs = {0, 0};
  for (std::size_t j = 0; j < 2 && i + j < word.size(); ++j) {
    const std::uint32_t high = to_bfloat16(word[i + j]);
    pairs.first |= high << 16U * j;
    pairs.second |= to_bfloat16(word[i + j] - from_bfloat16(high)) << 16U * j;
  }
  return pairs;
}

// Packs blocks of `width` words; column_of(i) is where the block's word i stands.
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

}  // namespace

std::vector<float> pack_groups(MatrixView<const float> words) {
  return pack(words, kWordsPerGroup, [](std::size_t i) { return i; });
}

std::vector<float> pack_tiles(MatrixView<const float> words) {
  constexpr std::size_t kHalf = kWordsPerGroup / 2;
  return pack(words, kTileSize, [](std::size_t i) {
    const std::size_t group = i / kWordsPerGroup;
    const std::size_t lane = i % kWordsPerGroup;
    return lane / kHalf * (kTileSize / 2) + group * kHalf + lane % kHalf;
  });
}

std::vector<std::uint32_t> pack_fragments(MatrixView<const float> words) {
  constexpr std::size_t kLanes = 32;
  const std::size_t steps = parts(words.cols(), 16);
  std::vector<std::uint32_t> packed(round_up(words.rows(), kFragmentWords) * steps * 16);
  for (std::size_t word = 0; word < words.rows(); ++word) {
    const std::size_t in_block = word % kFragmentWords;
    const std::size_t quarter = word / kFragmentWords * 4 + in_block % 8 / 2;
    const std::size_t column = in_block / 8 * 2 + in_block % 2;
    for (std::size_t step = 0; step < steps; ++step) {
      for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t lane = (quarter * steps + step) * kLanes + column * 4 + i;
        const auto [high, low] = split_pair(words.row(word), step * 16 + i * 2);
        const auto [high_8, low_8] = split_pair(words.row(word), step * 16 + i * 2 + 8);
        const std::array<std::uint32_t, 4> fragment = {high, high_8, low, low_8};
        std::copy(fragment.begin(), fragment.end(), packed.data() + lane * 4);
      }
    }
  }
  return packed;
}

std::vector<float> half_squared_norms(MatrixView<const float> words) {
  std::vector<float> norms(round_up(words.rows(), kTileSize),
                           std::numeric_limits<float>::infinity());
  for (std::size_t word = 0; word < words.rows(); ++word) {
    norms[word] = static_cast<float>(0.5 * squared_norm(words.row(word)));
  }
  return norms;
}

float largest_norm(MatrixView<const float> words) {
  double largest = 0;
  for (std::size_t word = 0; word < words.rows(); ++word) {
    largest = std::max(largest, squared_norm(words.row(word)));
  }
  return std::nextafter(static_cast<float>(std::sqrt(largest)),
                        std::numeric_limits<float>::infinity());
}

}  // namespace lookalike
