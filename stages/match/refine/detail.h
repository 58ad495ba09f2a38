#pragma once

#include <span>
#include <vector>

#include "base/image.h"

namespace lookalike {

// A square of kDetailCellPx, counted from the top-left, and how two views correlate in it, [-1, 1].
struct DetailCell {
  int column = 0;
  int row = 0;
  double correlation = 0;
};

// Two views cell by cell, row by row. Each cell correlates by itself, so that light and large
// shapes, which unrelated pictures have in common too, do not count.
//   object, seen, mask   [height][width], all of one size
// Left out are cells that are flat in the object, cells that `mask` (0: undefined) does not cover
// whole, and the rest of a side that fills no cell. Throws Error(kInternal) when the sizes differ.
std::vector<DetailCell> detail_cells(const ImageView& object, const ImageView& seen,
                                     const ImageView& mask);

// How well the views agree in detail, [-1, 1]: the mean over their cells, with kCellsOfDoubt more
// that agree in nothing, so that a few cells are no proof.
double detail_agreement(std::span<const DetailCell> cells);

inline constexpr int kDetailCellPx = 16;
inline constexpr double kCellsOfDoubt = 4;

}  // namespace lookalike
