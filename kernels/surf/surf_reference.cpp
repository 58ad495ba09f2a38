#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/error.h"
#include "kernels/surf/surf.h"
#include "kernels/surf/surf_plan.h"
#include "kernels/surf/surf_reference_steps.h"

namespace lookalike {
namespace {

// A box of a filter on the 9-unit grid.
struct Box {
  int left, top, right, bottom, weight;
};
constexpr std::array<Box, 3> kXx = {{{0, 2, 3, 7, 1}, {3, 2, 6, 7, -2}, {6, 2, 9, 7, 1}}};
constexpr std::array<Box, 3> kYy = {{{2, 0, 7, 3, 1}, {2, 3, 7, 6, -2}, {2, 6, 7, 9, 1}}};
constexpr std::array<Box, 4> kXy = {
    {{1, 1, 4, 4, 1}, {5, 1, 8, 4, -1}, {1, 5, 4, 8, -1}, {5, 5, 8, 8, 1}}};

struct Hessian {
  float determinant = 0;
  float trace = 0;
};

// Determinants of one layer, at the places that SurfLayer describes; zero elsewhere.
struct Map {
  SurfLayer layer;
  std::vector<float> values;
  float at(int column, int row) const {
    return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(layer.columns) +
                  static_cast<std::size_t>(column)];
  }
};

// The boxes of one filter have one area, since 3 divides the side: the sum is exact until it is
// scaled.
float filter(const IntegralImage& integral, std::span<const Box> boxes, int side, int x, int y) {
  std::int64_t sum = 0;
  int area = 1;
  for (const Box& box : boxes) {
    const int left = grid_line(side, box.left);
    const int top = grid_line(side, box.top);
    const int right = grid_line(side, box.right);
    const int bottom = grid_line(side, box.bottom);
    area = (right - left) * (bottom - top);
    sum += box.weight * integral.sum(x + left, y + top, x + right, y + bottom);
  }
  return static_cast<float>(sum) * (1.0F / static_cast<float>(area));
}

Hessian hessian_at(const IntegralImage& integral, int side, int x, int y) {
  const float xx = filter(integral, kXx, side, x, y);
  const float yy = filter(integral, kYy, side, x, y);
  const float xy = filter(integral, kXy, side, x, y);
  return {xx * yy - kCrossShare * (xy * xy), xx + yy};
}

Map determinants(const IntegralImage& integral, const SurfLayer& layer) {
  Map map{layer, std::vector<float>(static_cast<std::size_t>(layer.columns) *
                                    static_cast<std::size_t>(layer.rows))};
  for (int row = 0; row < layer.sample_rows; ++row) {
    for (int column = 0; column < layer.sample_columns; ++column) {
      const auto at =
          static_cast<std::size_t>(row + layer.margin) * static_cast<std::size_t>(layer.columns) +
          static_cast<std::size_t>(column + layer.margin);
      map.values[at] =
          hessian_at(integral, layer.side, layer.step * column, layer.step * row).determinant;
    }
  }
  return map;
}

// The 3 x 3 x 3 samples around a place: [layer][row][column].
using Neighbourhood = std::array<std::array<std::array<float, 3>, 3>, 3>;

Neighbourhood neighbourhood(std::span<const Map> maps, int column, int row) {
  Neighbourhood values{};
  for (int s = 0; s < 3; ++s) {
    for (int y = 0; y < 3; ++y) {
      for (int x = 0; x < 3; ++x) {
        values[s][y][x] = maps[static_cast<std::size_t>(s)].at(column + x - 1, row + y - 1);
      }
    }
  }
  return values;
}

bool is_strict_maximum(const Neighbourhood& n) {
  int below = 0;
  for (const auto& layer : n) {
    for (const auto& row : layer) {
      for (const float value : row) below += value < n[1][1][1] ? 1 : 0;
    }
  }
  return below == 26;
}

using Vector = std::array<double, 3>;

// Gaussian elimination with pivots. Nothing when the matrix is singular.
std::optional<Vector> solve(std::array<Vector, 3> matrix, Vector right) {
  for (std::size_t step = 0; step < 3; ++step) {
    std::size_t pivot = step;
    for (std::size_t row = step + 1; row < 3; ++row) {
      if (std::abs(matrix[row][step]) > std::abs(matrix[pivot][step])) pivot = row;
    }
    if (matrix[pivot][step] == 0) return std::nullopt;
    std::swap(matrix[step], matrix[pivot]);
    std::swap(right[step], right[pivot]);
    for (std::size_t row = 0; row < 3; ++row) {
      if (row == step) continue;
      const double factor = matrix[row][step] / matrix[step][step];
      for (std::size_t i = step; i < 3; ++i) matrix[row][i] -= factor * matrix[step][i];
      right[row] -= factor * right[step];
    }
  }
  return Vector{right[0] / matrix[0][0], right[1] / matrix[1][1], right[2] / matrix[2][2]};
}

// Where the quadratic through the neighbours has its peak: x, y, layer, from the middle.
std::optional<Vector> peak_offset(const Neighbourhood& n) {
  const double middle = n[1][1][1];
  const double xx = n[1][1][0] - 2 * middle + n[1][1][2];
  const double yy = n[1][0][1] - 2 * middle + n[1][2][1];
  const double ss = n[0][1][1] - 2 * middle + n[2][1][1];
  const double xy = (n[1][2][2] - n[1][2][0] - n[1][0][2] + n[1][0][0]) / 4;
  const double xs = (n[2][1][2] - n[2][1][0] - n[0][1][2] + n[0][1][0]) / 4;
  const double ys = (n[2][2][1] - n[2][0][1] - n[0][2][1] + n[0][0][1]) / 4;
  const Vector slope = {(n[1][1][2] - n[1][1][0]) / -2, (n[1][2][1] - n[1][0][1]) / -2,
                        (n[2][1][1] - n[0][1][1]) / -2};
  return solve({{{xx, xy, xs}, {xy, yy, ys}, {xs, ys, ss}}}, slope);
}

std::optional<Keypoint> fit(const IntegralImage& integral, const SurfLayer& layer, int column,
                            int row, const Neighbourhood& n) {
  const std::optional<Vector> offset = peak_offset(n);
  if (!offset || *offset == Vector{}) return std::nullopt;
  for (const double component : *offset) {
    if (!(std::abs(component) <= 1)) return std::nullopt;
  }
  const int left = layer.step * (column - layer.margin);
  const int top = layer.step * (row - layer.margin);
  const double middle = (layer.side - 1) * 0.5;
  const float trace = hessian_at(integral, layer.side, left, top).trace;
  Keypoint keypoint;
  keypoint.x = static_cast<float>(left + middle + (*offset)[0] * layer.step);
  keypoint.y = static_cast<float>(top + middle + (*offset)[1] * layer.step);
  keypoint.size = static_cast<float>(
      std::nearbyint(layer.side + (*offset)[2] * (kSurfSideStep << layer.octave)));
  keypoint.response = n[1][1][1];
  keypoint.octave = layer.octave;
  keypoint.laplacian_sign = (trace > 0 ? 1 : 0) - (trace < 0 ? 1 : 0);
  return keypoint;
}

// Keypoints of the middle of three maps.
void search(const IntegralImage& integral, std::span<const Map> maps, float threshold,
            std::vector<Keypoint>& keypoints) {
  const SurfLayer& layer = maps[1].layer;
  for (int row = layer.border; row < layer.rows - layer.border; ++row) {
    for (int column = layer.border; column < layer.columns - layer.border; ++column) {
      if (!(maps[1].at(column, row) > threshold)) continue;
      const Neighbourhood n = neighbourhood(maps, column, row);
      if (!is_strict_maximum(n)) continue;
      if (const auto keypoint = fit(integral, layer, column, row, n)) {
        keypoints.push_back(*keypoint);
      }
    }
  }
}

std::vector<Keypoint> find_keypoints(const IntegralImage& integral,
                                     const SurfParameters& parameters) {
  std::vector<Map> maps;
  for (const SurfLayer& layer : plan_surf(integral.width(), integral.height(), parameters).layers) {
    maps.push_back(determinants(integral, layer));
  }
  std::vector<Keypoint> keypoints;
  for (std::size_t i = 1; i + 1 < maps.size(); ++i) {
    if (maps[i].layer.border == 0) continue;
    search(integral, std::span(maps).subspan(i - 1, 3), parameters.hessian_threshold, keypoints);
  }
  return keypoints;
}

}  // namespace

FeatureSet surf_reference(const ImageView& image, const SurfParameters& parameters,
                          const ImageView& mask) {
  check_parameters(parameters);
  require(mask.empty() || (mask.width == image.width && mask.height == image.height),
          "surf_reference: the mask has not the image's size");
  FeatureSet features;
  features.descriptor_size = parameters.descriptor_size;
  const IntegralImage integral(image);
  for (Keypoint keypoint : find_keypoints(integral, parameters)) {
    const auto angle = reference_orientation(integral, keypoint, parameters.upright);
    if (!angle) continue;
    keypoint.angle_degrees = *angle;
    features.keypoints.push_back(keypoint);
  }
  select_keypoints(features.keypoints, mask, parameters.max_features);
  for (const Keypoint& keypoint : features.keypoints) {
    const std::vector<float> descriptor =
        reference_descriptor(image, keypoint, parameters.descriptor_size, parameters.upright);
    features.descriptors.insert(features.descriptors.end(), descriptor.begin(), descriptor.end());
  }
  return features;
}

}  // namespace lookalike
