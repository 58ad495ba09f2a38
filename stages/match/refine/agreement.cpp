#include "stages/match/refine/agreement.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/pair_sums.h"

namespace lookalike {
namespace {

constexpr double kMinVariance = 25;  // grey levels squared; flatter cells are noise

bool have_one_size(const ImageView& a, const ImageView& b) {
  return a.width == b.width && a.height == b.height;
}

// Sums over a cell; returns nothing if the mask leaves out a pixel.
std::optional<PairSums<double>> sums_of(const ImageView& object, const ImageView& seen,
                                        const ImageView& mask, int left, int top) {
  PairSums<double> sums;
  for (int y = top; y < top + kDetailCellPx; ++y) {
    for (int x = left; x < left + kDetailCellPx; ++x) {
      if (mask.at(x, y) == 0) return std::nullopt;
      sums.add(object.at(x, y), seen.at(x, y));
    }
  }
  return sums;
}

constexpr double kAgrees = 0.5;  // minimum correlation of a cell that agrees
constexpr double kStray = 0.05;  // share of features at either end that may be chance
// Limits of a region.
constexpr std::size_t kMinFeatures = 6;
constexpr std::size_t kMinCellsOutside = 10;
constexpr double kMinMeanInside = 0.5;     // mean correlation
constexpr double kMaxOutside = 0.15;       // mean correlation, and share of cells that agree
constexpr double kMaxAgreeing = 0.4;       // share of all cells that agree
constexpr double kMinShareOutside = 0.55;  // share of cells
constexpr double kMinAreaOutside = 0.78;   // share of the area, where few cells have texture

// Cells from first to last, both included.
struct Box {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;

  bool holds(const DetailCell& cell) const {
    return left <= cell.column && cell.column <= right && top <= cell.row && cell.row <= bottom;
  }
  Box wider(int by) const { return {left - by, top - by, right + by, bottom + by}; }
};

int cell_at(double position) {
  return static_cast<int>(std::floor((position + 0.5) / kDetailCellPx));
}

// Returns the lowest and the highest position, strays left out.
std::pair<int, int> extent(std::vector<int> positions) {
  std::ranges::sort(positions);
  const auto strays = static_cast<std::size_t>(kStray * static_cast<double>(positions.size()));
  return {positions[strays], positions[positions.size() - 1 - strays]};
}

// Returns the box around the features whose cells agree; other features agree by chance.
std::optional<Box> box_of(std::span<const DetailCell> cells, std::span<const Point> features) {
  std::vector<int> columns;
  std::vector<int> rows;
  for (const Point& feature : features) {
    const int column = cell_at(feature.x);
    const int row = cell_at(feature.y);
    const bool agrees = std::ranges::any_of(cells, [&](const DetailCell& cell) {
      return cell.column == column && cell.row == row && cell.correlation >= kAgrees;
    });
    if (!agrees) continue;
    columns.push_back(column);
    rows.push_back(row);
  }
  if (columns.size() < kMinFeatures) return std::nullopt;
  const auto [left, right] = extent(std::move(columns));
  const auto [top, bottom] = extent(std::move(rows));
  return Box{left, top, right, bottom};
}

// Statistics of the correlations of some cells.
struct Tally {
  std::size_t count = 0;
  std::size_t agreeing = 0;
  double sum = 0;

  void add(const DetailCell& cell) {
    ++count;
    agreeing += cell.correlation >= kAgrees ? 1 : 0;
    sum += cell.correlation;
  }
  double mean() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
  double share_agreeing() const { return share(agreeing, count); }
  static double share(std::size_t part, std::size_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
  }
};

// Returns the share of a view that lies outside a box.
double area_outside(const Box& box, int width, int height) {
  const int columns = width / kDetailCellPx;
  const int rows = height / kDetailCellPx;
  const int across = std::min(columns - 1, box.right) - std::max(0, box.left) + 1;
  const int down = std::min(rows - 1, box.bottom) - std::max(0, box.top) + 1;
  return 1 - static_cast<double>(across) * down / (static_cast<double>(columns) * rows);
}

}  // namespace

std::vector<DetailCell> compare_cells(const ImageView& object, const ImageView& seen,
                                      const ImageView& mask) {
  require(have_one_size(object, seen) && have_one_size(object, mask),
          "compare_cells: the views and the mask are of different sizes");
  std::vector<DetailCell> cells;
  for (int row = 0; (row + 1) * kDetailCellPx <= object.height; ++row) {
    for (int column = 0; (column + 1) * kDetailCellPx <= object.width; ++column) {
      const auto sums = sums_of(object, seen, mask, column * kDetailCellPx, row * kDetailCellPx);
      if (!sums) continue;
      if (sums->spread_a() < kMinVariance * sums->count) continue;
      cells.push_back({column, row, correlation_of(*sums)});
    }
  }
  return cells;
}

double detail_agreement(std::span<const DetailCell> cells) {
  double sum = 0;
  for (const DetailCell& cell : cells) sum += cell.correlation;
  return sum / (static_cast<double>(cells.size()) + kPriorCells);
}

double share_of_exact(std::span<const DetailCell> cells) {
  constexpr double kExact = 0.9;
  const auto exact = std::ranges::count_if(
      cells, [](const DetailCell& cell) { return cell.correlation >= kExact; });
  return static_cast<double>(exact) / (static_cast<double>(cells.size()) + kPriorCells);
}

std::optional<Quad> shared_part(std::span<const DetailCell> cells, std::span<const Point> features,
                                int width, int height) {
  const std::optional<Box> box = box_of(cells, features);
  if (!box) return std::nullopt;
  const Box with_rim = box->wider(1);  // cells that are half of one and half of the other
  Tally all;
  Tally inside;
  Tally outside;
  for (const DetailCell& cell : cells) {
    all.add(cell);
    if (box->holds(cell)) inside.add(cell);
    if (!with_rim.holds(cell)) outside.add(cell);
  }
  const bool rest_differs = outside.count >= kMinCellsOutside && outside.mean() <= kMaxOutside &&
                            outside.share_agreeing() <= kMaxOutside;
  const bool small = (all.share_agreeing() < kMaxAgreeing &&
                      Tally::share(outside.count, all.count) >= kMinShareOutside) ||
                     area_outside(with_rim, width, height) >= kMinAreaOutside;
  if (!rest_differs || !small || inside.mean() < kMinMeanInside) return std::nullopt;
  const double left = std::max(0, box->left * kDetailCellPx);
  const double top = std::max(0, box->top * kDetailCellPx);
  const double right = std::min(width, (box->right + 1) * kDetailCellPx);
  const double bottom = std::min(height, (box->bottom + 1) * kDetailCellPx);
  return Quad{{{left, top}, {right, top}, {right, bottom}, {left, bottom}}};
}

}  // namespace lookalike
