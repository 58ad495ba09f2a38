#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/geometry.h"
#include "base/image.h"

// How well the pixels of two views agree, cell by cell.
namespace lookalike {

// A square cell of kDetailCellPx, counted from the top left, and the correlation of two views in
// it, [-1, 1].
struct DetailCell {
  int column = 0;
  int row = 0;
  double correlation = 0;
};

// Compares two views cell by cell. Returns cells row by row, without those that are flat in the
// object or have a pixel that is undefined (0) in `mask`, and without the rest of a side that fills
// no cell. Cells correlate separately, so that light and large shapes, which unrelated pictures
// share too, do not count. Throws Error(kInternal) when the sizes differ.
//   object, seen, mask   [height][width], all of one size
std::vector<DetailCell> compare_cells(const ImageView& object, const ImageView& seen,
                                      const ImageView& mask);

// Returns the mask without bars: rows and columns of cells that are flat in both views, of one
// level each, such as black bars around a picture and empty paper around text. That they agree
// proves nothing. Returns all of the mask if fewer than four other cells are left.
GrayImage without_bars(const ImageView& object, const ImageView& seen, const ImageView& mask);

// Returns the agreement in detail, [-1, 1]: the mean correlation of the cells and of kPriorCells
// more that correlate at 0, so that a few cells are no proof.
double detail_agreement(std::span<const DetailCell> cells);

// Returns the share of the cells, and of kPriorCells more, that correlate by at least 0.9, [0, 1].
double share_of_exact(std::span<const DetailCell> cells);

inline constexpr int kDetailCellPx = 16;
inline constexpr double kPriorCells = 4;

// Returns the region that two views share if they share no more, such as a logo, a band or a seal,
// or two of these on opposite sides, such as the bars of a phone's screen: the box of the features
// whose cells agree, in px of the views. Returns nothing if the rest agrees as well, or if the
// region is too large for a part of something else: an object half covered or folded shows more.
// Thresholds: docs/measurements/quality.md, "Parts".
//   cells           of the two views
//   features        positions in the object's view that agree with the scene, px
//   width, height   of the views, px
std::optional<Quad> shared_part(std::span<const DetailCell> cells, std::span<const Point> features,
                                int width, int height);

}  // namespace lookalike
