#pragma once

#include <cstddef>
#include <vector>

#include "pipeline/matrix_view.h"

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

// Half of each word's squared norm, padded with infinity to a multiple of kTileSize: what a word's
// score starts below, so that padding never wins.
std::vector<float> half_squared_norms(MatrixView<const float> words);

// The largest norm of a word, rounded up.
float largest_norm(MatrixView<const float> words);

}  // namespace lookalike
