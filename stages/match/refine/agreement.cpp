#include "stages/match/refine/agreement.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
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

// Sums over a cell, without the pixels that the mask leaves out or that lie beyond the rim.
// Branches and wider numbers would keep a compiler from using vectors.
PairSums<double> sums_of(const ImageView& object, const ImageView& seen, const ImageView& mask,
                         int column, int row) {
  PairSums<std::int32_t> sums;
  const int left = column * kDetailCellPx;
  const int width = std::min(mask.width - left, kDetailCellPx);
  const int bottom = std::min(mask.height, (row + 1) * kDetailCellPx);
  for (int y = row * kDetailCellPx; y < bottom; ++y) {
    const std::ptrdiff_t start = std::ptrdiff_t{y} * mask.width + left;
    const std::uint8_t* const a = object.pixels + start;
    const std::uint8_t* const b = seen.pixels + start;
    const std::uint8_t* const defined = mask.pixels + start;
    for (int x = 0; x < width; ++x) {
      const auto counts = static_cast<std::int16_t>(defined[x] != 0 ? 1 : 0);
      const auto one = static_cast<std::int16_t>(a[x] * counts);
      const auto other = static_cast<std::int16_t>(b[x] * counts);
      sums.add({counts, one, other, one * one, other * other, one * other});
    }
  }
  const auto real = [](std::int32_t sum) { return static_cast<double>(sum); };
  return {real(sums.count), real(sums.a),  real(sums.b),
          real(sums.aa),    real(sums.bb), real(sums.ab)};
}

// True if the cells of a row or a column are flat, and of one level in each view. Cells that the
// mask leaves out do not matter.
//   sums_at  returns the sums of a cell, by its number
template <typename SumsAt>
bool are_flat(std::size_t cells, const SumsAt& sums_at) {
  constexpr double kOneLevel = 10;
  PairSums<double> levels;
  for (std::size_t i = 0; i < cells; ++i) {
    const PairSums<double> cell = sums_at(static_cast<int>(i));
    if (cell.count == 0) continue;
    const double most = kMinVariance * cell.count;
    if (cell.spread_a() >= most || cell.spread_b() >= most) return false;
    levels.add(cell.a / cell.count, cell.b / cell.count);
  }
  const double most = kOneLevel * kOneLevel * levels.count;
  return levels.count > 0 && levels.spread_a() < most && levels.spread_b() < most;
}

// Returns the number of cells along a side, the last of which may not be whole.
std::size_t cells_along(int side) {
  return static_cast<std::size_t>(side + kDetailCellPx - 1) / kDetailCellPx;
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

// A cell that holds a feature.
struct Place {
  int column = 0;
  int row = 0;
};

// Returns the lowest and the highest position, strays left out.
std::pair<int, int> extent(std::vector<int> positions) {
  std::ranges::sort(positions);
  const auto strays = static_cast<std::size_t>(kStray * static_cast<double>(positions.size()));
  return {positions[strays], positions[positions.size() - 1 - strays]};
}

Box box_of(std::span<const Place> places) {
  std::vector<int> columns;
  std::vector<int> rows;
  for (const Place& place : places) {
    columns.push_back(place.column);
    rows.push_back(place.row);
  }
  const auto [left, right] = extent(std::move(columns));
  const auto [top, bottom] = extent(std::move(rows));
  return {left, top, right, bottom};
}

// Returns the places of the features whose cells agree; other features agree by chance.
std::vector<Place> agreeing_places(std::span<const DetailCell> cells,
                                   std::span<const Point> features) {
  std::vector<Place> places;
  for (const Point& feature : features) {
    const Place place{cell_at(feature.x), cell_at(feature.y)};
    const bool agrees = std::ranges::any_of(cells, [&](const DetailCell& cell) {
      return cell.column == place.column && cell.row == place.row && cell.correlation >= kAgrees;
    });
    if (agrees) places.push_back(place);
  }
  return places;
}

// Returns the boxes on both sides of the widest gap between places, or nothing if it is narrower
// than half of the view.
//   position    of a place along the axis of the gap, in cells
//   view_cells  length of the view along this axis
std::vector<Box> boxes_apart(std::vector<Place> places, int Place::*position, int view_cells) {
  std::ranges::sort(places, {}, position);
  std::size_t after = 0;
  for (std::size_t i = 1; i < places.size(); ++i) {
    const auto gap = [&](std::size_t at) {
      return places[at].*position - places[at - 1].*position;
    };
    if (after == 0 || gap(i) > gap(after)) after = i;
  }
  if (after == 0 || 2 * (places[after].*position - places[after - 1].*position) < view_cells) {
    return {};
  }
  const std::span<const Place> all(places);
  return {box_of(all.first(after)), box_of(all.subspan(after))};
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

// Returns the share of a view that lies outside of boxes that do not overlap.
double area_outside(std::span<const Box> boxes, int width, int height) {
  const int columns = width / kDetailCellPx;
  const int rows = height / kDetailCellPx;
  double inside = 0;
  for (const Box& box : boxes) {
    const int across = std::min(columns - 1, box.right) - std::max(0, box.left) + 1;
    const int down = std::min(rows - 1, box.bottom) - std::max(0, box.top) + 1;
    inside += static_cast<double>(across) * down;
  }
  return 1 - inside / (static_cast<double>(columns) * rows);
}

// True if all agreement lies in the boxes, which are a small part of the view.
bool hold_all_agreement(std::span<const Box> boxes, std::span<const DetailCell> cells, int width,
                        int height) {
  std::vector<Box> with_rims;  // with cells that are half of one and half of the other
  for (const Box& box : boxes) with_rims.push_back(box.wider(1));
  const auto any_holds = [](std::span<const Box> some, const DetailCell& cell) {
    return std::ranges::any_of(some, [&](const Box& box) { return box.holds(cell); });
  };
  Tally all;
  Tally inside;
  Tally outside;
  for (const DetailCell& cell : cells) {
    all.add(cell);
    if (any_holds(boxes, cell)) inside.add(cell);
    if (!any_holds(with_rims, cell)) outside.add(cell);
  }
  const bool rest_differs = outside.count >= kMinCellsOutside && outside.mean() <= kMaxOutside &&
                            outside.share_agreeing() <= kMaxOutside;
  const bool small = (all.share_agreeing() < kMaxAgreeing &&
                      Tally::share(outside.count, all.count) >= kMinShareOutside) ||
                     area_outside(with_rims, width, height) >= kMinAreaOutside;
  return rest_differs && small && inside.mean() >= kMinMeanInside;
}

}  // namespace

std::vector<DetailCell> compare_cells(const ImageView& object, const ImageView& seen,
                                      const ImageView& mask) {
  require(have_one_size(object, seen) && have_one_size(object, mask),
          "compare_cells: the views and the mask are of different sizes");
  std::vector<DetailCell> cells;
  for (int row = 0; (row + 1) * kDetailCellPx <= object.height; ++row) {
    for (int column = 0; (column + 1) * kDetailCellPx <= object.width; ++column) {
      const PairSums<double> sums = sums_of(object, seen, mask, column, row);
      if (sums.count < kDetailCellPx * kDetailCellPx) continue;
      if (sums.spread_a() < kMinVariance * sums.count) continue;
      cells.push_back({column, row, correlation_of(sums)});
    }
  }
  return cells;
}

GrayImage without_bars(const ImageView& object, const ImageView& seen, const ImageView& mask) {
  constexpr std::ptrdiff_t kFewestCells = 4;  // fewer do not show how well pictures agree
  std::vector<bool> flat_rows(cells_along(mask.height));
  std::vector<bool> flat_columns(cells_along(mask.width));
  for (std::size_t row = 0; row < flat_rows.size(); ++row) {
    flat_rows[row] = are_flat(flat_columns.size(), [&](int column) {
      return sums_of(object, seen, mask, column, static_cast<int>(row));
    });
  }
  for (std::size_t column = 0; column < flat_columns.size(); ++column) {
    flat_columns[column] = are_flat(flat_rows.size(), [&](int row) {
      return sums_of(object, seen, mask, static_cast<int>(column), row);
    });
  }
  GrayImage result = crop(mask, 0, 0, mask.width, mask.height);
  const auto others =
      std::ranges::count(flat_rows, false) * std::ranges::count(flat_columns, false);
  if (others < kFewestCells) return result;
  for (int y = 0; y < mask.height; ++y) {
    const bool is_flat = flat_rows[static_cast<std::size_t>(y / kDetailCellPx)];
    for (std::size_t column = 0; column < flat_columns.size(); ++column) {
      if (!is_flat && !flat_columns[column]) continue;
      const int left = static_cast<int>(column) * kDetailCellPx;
      std::fill_n(&result.at(left, y), std::min(mask.width - left, kDetailCellPx), std::uint8_t{0});
    }
  }
  return result;
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
  const std::vector<Place> places = agreeing_places(cells, features);
  if (places.size() < kMinFeatures) return std::nullopt;
  const Box box = box_of(places);
  const auto is_part = [&](std::span<const Box> boxes) {
    return !boxes.empty() && hold_all_agreement(boxes, cells, width, height);
  };
  if (!is_part({&box, 1}) && !is_part(boxes_apart(places, &Place::row, height / kDetailCellPx)) &&
      !is_part(boxes_apart(places, &Place::column, width / kDetailCellPx))) {
    return std::nullopt;
  }
  const double left = std::max(0, box.left * kDetailCellPx);
  const double top = std::max(0, box.top * kDetailCellPx);
  const double right = std::min(width, (box.right + 1) * kDetailCellPx);
  const double bottom = std::min(height, (box.bottom + 1) * kDetailCellPx);
  return Quad{{{left, top}, {right, top}, {right, bottom}, {left, bottom}}};
}

}  // namespace lookalike
