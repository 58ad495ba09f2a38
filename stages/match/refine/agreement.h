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

// The comparison of two views cell by cell.
struct CellComparison {
  // Row by row, without cells that are flat in the object. Cells correlate separately, so that
  // light and large shapes, which unrelated pictures share too, do not count.
  std::vector<DetailCell> cells{};
  // The largest difference between the means of a cell, flat or not, in grey levels of the object,
  // once the views have the same mean and spread. Unset if a view is flat. Shows a label, a
  // reflection or another thing in the picture.
  std::optional<double> largest_difference{};
};

// Compares two views cell by cell. Leaves out cells with a pixel that is undefined (0) in `mask`,
// and the rest of a side that fills no cell. Throws Error(kInternal) when the sizes differ.
//   object, seen, mask   [height][width], all of one size
CellComparison compare_cells(const ImageView& object, const ImageView& seen, const ImageView& mask);

// Returns the agreement in detail, [-1, 1]: the mean correlation of the cells and of kPriorCells
// more that correlate at 0, so that a few cells are no proof.
double detail_agreement(std::span<const DetailCell> cells);

inline constexpr int kDetailCellPx = 16;
inline constexpr double kPriorCells = 4;

// Returns the region that two views share if they share no more, such as a logo, a band or a seal:
// the box of the features whose cells agree, in px of the views. Returns nothing if the rest agrees
// as well, or if the region is too large for a part of something else: an object half covered or
// folded shows more. Thresholds: docs/measurements/quality.md, "Parts".
//   cells           of the two views
//   features        positions in the object's view that agree with the scene, px
//   width, height   of the views, px
std::optional<Quad> shared_part(std::span<const DetailCell> cells, std::span<const Point> features,
                                int width, int height);

}  // namespace lookalike
