#pragma once

#include <cstddef>
#include <vector>

namespace lookalike {

// A part of a scene that is searched at a time: what is read, and the part of it that answers for
// itself. Cores cover the scene without overlap.
struct Tile {
  int left = 0;  // of what is read, px of the scene
  int top = 0;
  int width = 0;
  int height = 0;
  int core_left = 0;  // px of the scene
  int core_top = 0;
  int core_right = 0;  // one past
  int core_bottom = 0;

  bool owns(double x, double y) const {
    return x >= core_left - 0.5 && y >= core_top - 0.5 && x < core_right - 0.5 &&
           y < core_bottom - 0.5;
  }
};

// Cuts a scene into tiles whose cores have sides of `core_px`, each read `overlap_px` further on
// every side. Both are rounded up to multiples of `align_px`, so that every tile's pyramid meets
// the same pixels. One tile where the scene is no larger than a core.
std::vector<Tile> cut_into_tiles(int width, int height, int core_px, int overlap_px, int align_px);

}  // namespace lookalike
