#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/matrix_view.h"

namespace lookalike {

// Words of a group lie side by side: the eight lanes of a float8 in the kernels.
inline constexpr std::size_t kWordsPerGroup = 8;
// Words, or descriptors, of a tile of the fused kernel: eight for each of 16 work-items a side.
inline constexpr std::size_t kTileSize = 128;

// The words in the order [group][dimension][8], padded with zeros to whole groups.
std::vector<float> pack_groups(MatrixView<const float> words);

// The words in the order [tile][dimension][kTileSize], padded with zeros to whole tiles. The eight
// words of group g of a tile stand in columns 4g to 4g + 3 and 64 + 4g to 64 + 4g + 3.
std::vector<float> pack_tiles(MatrixView<const float> words);

// The words for the matrix kernel, each value split into two bfloat16, high and low: blocks of 32
// words, padded with zeros to whole blocks, as [block][4][step of 16 dimensions][lane of 32][4].
// Lane l of quarter q of a block holds word 8 (l / 8) + 2 q + l / 4 % 2 at dimensions
// 2 (l % 4) + {0, 1} and + {8, 9} of the step: two pairs of high parts, then two of low parts, the
// first of a pair in the low half. So a lane of the result scores whole groups of words.
std::vector<std::uint32_t> pack_fragments(MatrixView<const float> words);
inline constexpr std::size_t kFragmentWords = 32;

// Half of each word's squared norm, padded with infinity to a multiple of kTileSize: what a word's
// score starts below, so that padding never wins.
std::vector<float> half_squared_norms(MatrixView<const float> words);

// The largest norm of a word, rounded up.
float largest_norm(MatrixView<const float> words);

}  // namespace lookalike
