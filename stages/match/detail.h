#pragma once

#include "pipeline/image.h"

namespace lookalike {

// How well two views of the same size agree in detail, [-1, 1]: the correlation of each cell of
// 16 x 16 px by itself, so that light and large shapes, which unrelated pictures have in common
// too, do not count; the mean over the cells, with kCellsOfDoubt more that agree in nothing, so
// that a few cells are no proof. Cells that are flat in the object, or that `mask` (0: undefined)
// does not cover, are left out.
double detail_agreement(const ImageView& object, const ImageView& seen, const ImageView& mask);

inline constexpr int kDetailCellPx = 16;
inline constexpr double kCellsOfDoubt = 4;

}  // namespace lookalike
