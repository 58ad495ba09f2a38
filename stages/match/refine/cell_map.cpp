#include "stages/match/refine/cell_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <opencv2/imgproc.hpp>

namespace lookalike {
namespace {

constexpr double kNoise = 9;              // variance, squared grey levels
constexpr double kPenaltyOfShift = 0.01;  // correlation that the longest shift along an axis costs
constexpr double kCellArea = double{kMapCellPx} * kMapCellPx;
static_assert(kMapCellPx == 2 * kMapStepPx);

// Returns the sum of the products of two pictures over each cell.
cv::Mat sum_products(const cv::Mat& one, const cv::Mat& other) {
  const int rows = one.rows / kMapStepPx;
  const int columns = one.cols / kMapStepPx;
  cv::Mat blocks(rows, columns, CV_32S);
  std::vector<std::uint32_t> sums(static_cast<std::size_t>(columns) * kMapStepPx);
  for (int row = 0; row < rows; ++row) {
    std::ranges::fill(sums, 0);
    for (int y = row * kMapStepPx; y < (row + 1) * kMapStepPx; ++y) {
      const std::uint8_t* a = one.ptr(y);
      const std::uint8_t* b = other.ptr(y);
      for (std::size_t x = 0; x < sums.size(); ++x) sums[x] += std::uint32_t{a[x]} * b[x];
    }
    auto* block = blocks.ptr<std::int32_t>(row);
    for (int column = 0; column < columns; ++column) {
      std::uint32_t sum = 0;
      for (int x = column * kMapStepPx; x < (column + 1) * kMapStepPx; ++x) {
        sum += sums[static_cast<std::size_t>(x)];
      }
      block[column] = static_cast<std::int32_t>(sum);
    }
  }
  cv::Mat cells(rows - 1, columns - 1, CV_32F);
  for (int row = 0; row < cells.rows; ++row) {
    const auto* upper = blocks.ptr<std::int32_t>(row);
    const auto* lower = blocks.ptr<std::int32_t>(row + 1);
    auto* to = cells.ptr<float>(row);
    for (int i = 0; i < cells.cols; ++i) {
      to[i] = static_cast<float>(upper[i] + upper[i + 1] + lower[i] + lower[i + 1]);
    }
  }
  return cells;
}

// The sums over a window of a cell's size from each pixel on.
struct WindowSums {
  explicit WindowSums(const cv::Mat& picture) {
    const cv::Size cell(kMapCellPx, kMapCellPx);
    cv::boxFilter(picture, values, CV_32F, cell, {0, 0}, false, cv::BORDER_REPLICATE);
    cv::sqrBoxFilter(picture, squares, CV_32F, cell, {0, 0}, false, cv::BORDER_REPLICATE);
  }
  // Returns the sum of squared differences from the mean, in the window at a pixel.
  double spread(int x, int y) const {
    const double sum = values.at<float>(y, x);
    return std::max(0.0, squares.at<float>(y, x) - sum * sum / kCellArea);
  }

  cv::Mat values;
  cv::Mat squares;
};

// Samples a dense field at the middles of cells.
cv::Mat at_cells(const cv::Mat& dense) {
  const cv::Size cells = cells_of(dense.size());
  cv::Mat sampled(cells, CV_32F);
  for (int row = 0; row < cells.height; ++row) {
    for (int column = 0; column < cells.width; ++column) {
      sampled.at<float>(row, column) =
          dense.at<float>((row + 1) * kMapStepPx, (column + 1) * kMapStepPx);
    }
  }
  return sampled;
}

// Interpolates between the middles of cells, in a picture of a size.
cv::Mat between_cells(const cv::Mat& cells, cv::Size size) {
  constexpr double kStep = 1.0 / kMapStepPx;
  const double first = kMapStepPx - 0.5;
  const cv::Matx23d to_cells(kStep, 0, -first * kStep, 0, kStep, -first * kStep);
  cv::Mat dense;
  cv::warpAffine(cells, dense, to_cells, size, cv::INTER_LINEAR | cv::WARP_INVERSE_MAP,
                 cv::BORDER_REPLICATE);
  return dense;
}

// Returns a picture displaced by a dense field.
cv::Mat displaced(const cv::Mat& picture, const cv::Mat& dx, const cv::Mat& dy) {
  cv::Mat x(picture.size(), CV_32F);
  cv::Mat y(picture.size(), CV_32F);
  for (int row = 0; row < picture.rows; ++row) {
    for (int column = 0; column < picture.cols; ++column) {
      x.at<float>(row, column) = static_cast<float>(column) + dx.at<float>(row, column);
      y.at<float>(row, column) = static_cast<float>(row) + dy.at<float>(row, column);
    }
  }
  cv::Mat result;
  cv::remap(picture, result, x, y, cv::INTER_LINEAR, cv::BORDER_REPLICATE);
  return result;
}

}  // namespace

double peak_offset(double before, double peak, double after) {
  const double bend = before - 2 * peak + after;
  return std::abs(bend) > 1e-6 ? std::clamp(0.5 * (before - after) / bend, -0.5, 0.5) : 0;
}

cv::Size cells_of(cv::Size picture) {
  return {picture.width / kMapStepPx - 1, picture.height / kMapStepPx - 1};
}

cv::Size reduced_size(cv::Size picture, double factor) {
  const auto side = [factor](int length) {
    const int steps = static_cast<int>(std::lround(length * factor / kMapStepPx));
    return std::max(kLeastMapPx, steps * kMapStepPx);
  };
  return {side(picture.width), side(picture.height)};
}

cv::Mat reduced_to(const cv::Mat& picture, cv::Size size) {
  cv::Mat result;
  cv::resize(picture, result, size, 0, 0, cv::INTER_AREA);
  return result;
}

cv::Mat cell_variances(const cv::Mat& picture) {
  const WindowSums sums(picture);
  cv::Mat variances(cells_of(picture.size()), CV_32F);
  for (int row = 0; row < variances.rows; ++row) {
    for (int column = 0; column < variances.cols; ++column) {
      variances.at<float>(row, column) =
          static_cast<float>(sums.spread(column * kMapStepPx, row * kMapStepPx) / kCellArea);
    }
  }
  return variances;
}

cv::Mat whole_cells(const cv::Mat& mask) {
  cv::Mat seen(cells_of(mask.size()), CV_8U);
  for (int row = 0; row < seen.rows; ++row) {
    for (int column = 0; column < seen.cols; ++column) {
      const cv::Rect cell(column * kMapStepPx, row * kMapStepPx, kMapCellPx, kMapCellPx);
      seen.at<std::uint8_t>(row, column) = cv::countNonZero(mask(cell)) == cell.area() ? 255 : 0;
    }
  }
  return seen;
}

std::vector<cv::Mat> correlate_cells(const cv::Mat& object, const cv::Mat& scene, int reach) {
  cv::Mat wide;
  cv::copyMakeBorder(scene, wide, reach, reach, reach, reach, cv::BORDER_REPLICATE);
  const WindowSums of_object(object);
  const WindowSums of_scene(wide);
  constexpr double kFloor = kNoise * kCellArea;
  std::vector<cv::Mat> maps;
  for (int dy = 0; dy <= 2 * reach; ++dy) {
    for (int dx = 0; dx <= 2 * reach; ++dx) {
      cv::Mat map = sum_products(object, wide(cv::Rect({dx, dy}, object.size())));
      for (int row = 0; row < map.rows; ++row) {
        const int y = row * kMapStepPx;
        for (int column = 0; column < map.cols; ++column) {
          const int x = column * kMapStepPx;
          float& value = map.at<float>(row, column);
          const double means = double{of_object.values.at<float>(y, x)} *
                               of_scene.values.at<float>(y + dy, x + dx) / kCellArea;
          value = static_cast<float>((value - means) /
                                     std::sqrt((of_object.spread(x, y) + kFloor) *
                                               (of_scene.spread(x + dx, y + dy) + kFloor)));
        }
      }
      maps.push_back(std::move(map));
    }
  }
  return maps;
}

cv::Mat largest_of(const std::vector<cv::Mat>& maps) {
  cv::Mat largest = maps.front().clone();
  for (const cv::Mat& map : maps) cv::max(largest, map, largest);
  return largest;
}

CellMoves move_cells(const std::vector<cv::Mat>& correlations, const cv::Mat& variances,
                     int across) {
  const cv::Size window(across, across);
  cv::Mat weights = cv::min(variances / kFullWeight, 1.0) + 1e-3;
  cv::Mat all_weights;
  cv::blur(weights, all_weights, window);
  const int side = static_cast<int>(std::lround(std::sqrt(correlations.size())));
  const int reach = side / 2;
  std::vector<cv::Mat> means;
  for (std::size_t i = 0; i < correlations.size(); ++i) {
    const int far =
        std::abs(static_cast<int>(i) % side - reach) + std::abs(static_cast<int>(i) / side - reach);
    cv::Mat mean;
    cv::blur(correlations[i].mul(weights), mean, window);
    means.emplace_back(mean / all_weights - kPenaltyOfShift * far / reach);
  }
  const cv::Size cells = variances.size();
  CellMoves moves{cv::Mat(cells, CV_32F), cv::Mat(cells, CV_32F), cv::Mat(cells, CV_32F),
                  cv::Mat(cells, CV_8U)};
  for (int row = 0; row < cells.height; ++row) {
    for (int column = 0; column < cells.width; ++column) {
      const auto at = [&](int x, int y) {
        const int shift = y * side + x;
        return means[static_cast<std::size_t>(shift)].at<float>(row, column);
      };
      int x = 0;
      int y = 0;
      for (int i = 1; i < side * side; ++i) {
        if (at(i % side, i / side) > at(x, y)) {
          x = i % side;
          y = i / side;
        }
      }
      const bool is_inside_x = x > 0 && x + 1 < side;
      const bool is_inside_y = y > 0 && y + 1 < side;
      const double fine_x = is_inside_x ? peak_offset(at(x - 1, y), at(x, y), at(x + 1, y)) : 0;
      const double fine_y = is_inside_y ? peak_offset(at(x, y - 1), at(x, y), at(x, y + 1)) : 0;
      moves.x.at<float>(row, column) = static_cast<float>(x - reach + fine_x);
      moves.y.at<float>(row, column) = static_cast<float>(y - reach + fine_y);
      moves.correlation.at<float>(row, column) = at(x, y);
      moves.is_cut_off.at<std::uint8_t>(row, column) = is_inside_x && is_inside_y ? 0 : 255;
    }
  }
  return moves;
}

SmoothAgreement agree_smoothly(const cv::Mat& object, const cv::Mat& scene) {
  struct Level {
    double factor;
    int reach;
  };
  constexpr std::array<Level, 3> kLevels = {{{0.25, 4}, {0.5, 3}, {1, 2}}};
  constexpr int kAcross = 5;
  constexpr int kLeastReducedPx = 48;
  cv::Mat x;  // displacement of the cells at the last level
  cv::Mat y;
  cv::Size before;  // the picture at the last level
  for (const auto& [factor, reach] : kLevels) {
    if (factor < 1 && std::min(object.cols, object.rows) * factor < kLeastReducedPx) continue;
    const cv::Size size = reduced_size(object.size(), factor);
    const cv::Mat one = factor < 1 ? reduced_to(object, size) : object;
    cv::Mat two = factor < 1 ? reduced_to(scene, size) : scene;
    cv::Mat dense_x = cv::Mat::zeros(one.size(), CV_32F);
    cv::Mat dense_y = dense_x.clone();
    if (!x.empty()) {
      cv::resize(between_cells(x, before), dense_x, one.size());
      cv::resize(between_cells(y, before), dense_y, one.size());
      dense_x *= double{1} * one.cols / before.width;
      dense_y *= double{1} * one.rows / before.height;
      two = displaced(two, dense_x, dense_y);
    }
    const CellMoves moves =
        move_cells(correlate_cells(one, two, reach), cell_variances(one), kAcross);
    cv::blur(at_cells(dense_x) + moves.x, x, {3, 3});
    cv::blur(at_cells(dense_y) + moves.y, y, {3, 3});
    before = one.size();
  }
  SmoothAgreement found;
  const cv::Mat laid =
      displaced(scene, between_cells(x, object.size()), between_cells(y, object.size()));
  found.correlation = largest_of(correlate_cells(object, laid, 1));
  cv::magnitude(x, y, found.displaced_px);
  return found;
}

}  // namespace lookalike
