#pragma once

#include "pipeline/image.h"

namespace lookalike {

// How well two views agree in detail, [-1, 1]: the correlation of each cell of kDetailCellPx square
// by itself, so that light and large shapes, which unrelated pictures have in common too, do not
// count; the mean over the cells, with kCellsOfDoubt more that agree in nothing, so that a few
// cells are no proof.
//   object, seen, mask   [height][width], all of one size
// Left out are cells that are flat in the object, cells that `mask` (0: undefined) does not cover
// whole, and the rest of a side that fills no cell; 0 when no cell is left.
// Throws Error(kInternal) when the sizes differ.
double detail_agreement(const ImageView& object, const ImageView& seen, const ImageView& mask);

inline constexpr int kDetailCellPx = 16;
inline constexpr double kCellsOfDoubt = 4;

}  // namespace lookalike
