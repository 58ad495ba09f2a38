#include "stages/match/refine/detail.h"

#include <cmath>

#include "base/error.h"

namespace lookalike {
namespace {

constexpr double kMinVariance = 25;  // grey levels squared; flatter cells are noise

// Sums over a cell.
struct Sums {
  double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  int undefined = 0;
};

bool are_of_one_size(const ImageView& a, const ImageView& b) {
  return a.width == b.width && a.height == b.height;
}

Sums sums_of(const ImageView& object, const ImageView& seen, const ImageView& mask, int left,
             int top) {
  Sums sums;
  for (int y = top; y < top + kDetailCellPx; ++y) {
    for (int x = left; x < left + kDetailCellPx; ++x) {
      const double a = object.at(x, y);
      const double b = seen.at(x, y);
      sums.a += a;
      sums.b += b;
      sums.aa += a * a;
      sums.bb += b * b;
      sums.ab += a * b;
      sums.undefined += mask.at(x, y) == 0 ? 1 : 0;
    }
  }
  return sums;
}

}  // namespace

std::vector<DetailCell> detail_cells(const ImageView& object, const ImageView& seen,
                                     const ImageView& mask) {
  require(are_of_one_size(object, seen) && are_of_one_size(object, mask),
          "detail_cells: the views and the mask are of different sizes");
  constexpr double kPixels = double{kDetailCellPx} * kDetailCellPx;
  std::vector<DetailCell> cells;
  for (int row = 0; (row + 1) * kDetailCellPx <= object.height; ++row) {
    for (int column = 0; (column + 1) * kDetailCellPx <= object.width; ++column) {
      const Sums sums = sums_of(object, seen, mask, column * kDetailCellPx, row * kDetailCellPx);
      const double object_variance = sums.aa - sums.a * sums.a / kPixels;
      if (sums.undefined > 0 || object_variance < kMinVariance * kPixels) continue;
      const double seen_variance = sums.bb - sums.b * sums.b / kPixels;
      const double both = sums.ab - sums.a * sums.b / kPixels;
      cells.push_back(
          {column, row, seen_variance > 0 ? both / std::sqrt(object_variance * seen_variance) : 0});
    }
  }
  return cells;
}

double detail_agreement(std::span<const DetailCell> cells) {
  double sum = 0;
  for (const DetailCell& cell : cells) sum += cell.correlation;
  return sum / (static_cast<double>(cells.size()) + kCellsOfDoubt);
}

}  // namespace lookalike
