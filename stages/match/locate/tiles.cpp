#include "stages/match/locate/tiles.h"

#include <algorithm>

namespace lookalike {

std::vector<Tile> cut_into_tiles(int width, int height, int core_px, int overlap_px, int align_px) {
  const auto aligned = [&](int px) { return (px + align_px - 1) / align_px * align_px; };
  const int core = aligned(std::max(1, core_px));
  const int overlap = aligned(overlap_px);
  if (width <= core && height <= core) return {{0, 0, width, height, 0, 0, width, height}};
  std::vector<Tile> tiles;
  for (int y = 0; y < height; y += core) {
    for (int x = 0; x < width; x += core) {
      Tile tile{.core_left = x,
                .core_top = y,
                .core_right = std::min(x + core, width),
                .core_bottom = std::min(y + core, height)};
      tile.left = std::max(0, x - overlap);
      tile.top = std::max(0, y - overlap);
      tile.width = std::min(tile.core_right + overlap, width) - tile.left;
      tile.height = std::min(tile.core_bottom + overlap, height) - tile.top;
      tiles.push_back(tile);
    }
  }
  return tiles;
}

}  // namespace lookalike
