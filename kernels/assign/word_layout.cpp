#include "kernels/assign/word_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/session/session.h"

namespace lookalike {
namespace {

double squared_norm(std::span<const float> word) {
  return std::accumulate(word.begin(), word.end(), 0.0, [](double sum, float value) {
    return sum + static_cast<double>(value) * static_cast<double>(value);
  });
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
