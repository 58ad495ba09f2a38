#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/geometry.h"
#include "base/image.h"

// How well the pixels of two views agree, cell by cell.
namespace lookalike {

// A square of kDetailCellPx, counted from the top-left, and how two views correlate in it, [-1, 1].
struct DetailCell {
  int column = 0;
  int row = 0;
  double correlation = 0;
};

// Two views cell by cell.
struct CellComparison {
  // Row by row, without those that are flat in the object. Cells correlate separately, so that
  // light and large shapes, which unrelated pictures have in common too, do not count.
  std::vector<DetailCell> cells{};
  // By how many grey levels of the object the means of a cell differ, flat or not, where they
  // differ most, once the views have the same mean and spread. Nothing where a view is flat. A
  // label, a reflection or another thing in the picture shows here.
  std::optional<double> largest_difference{};
};

//   object, seen, mask   [height][width], all of one size
// Left out are cells that `mask` (0: undefined) does not cover whole, and the rest of a side that
// fills no cell. Throws Error(kInternal) when the sizes differ.
CellComparison compare_cells(const ImageView& object, const ImageView& seen, const ImageView& mask);

// How well the views agree in detail, [-1, 1]: the mean over their cells and kPriorCells more that
// agree in nothing, so that a few cells are no proof.
double detail_agreement(std::span<const DetailCell> cells);

inline constexpr int kDetailCellPx = 16;
inline constexpr double kPriorCells = 4;

// The region that two views share when they share no more: a logo, a band, a seal. It is the box of
// the features that agree, where the pixels around each agree too. Nothing when
//   - the rest agrees as well, or
//   - the region is too large for a part of something else: an object that is half covered, or
//     folded, shows more.
//   cells           of the two views
//   features        positions in the object's view that agree with the scene, px
//   width, height   of the views, px
// The outline is in px of the views. Thresholds: docs/measurements/quality.md, "Parts".
std::optional<Quad> shared_part(std::span<const DetailCell> cells, std::span<const Point> features,
                                int width, int height);

}  // namespace lookalike
