#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>
#include <tuple>

#include "base/error.h"
#include "kernels/published/integral_image/integral_image.h"
#include "kernels/surf/surf_plan.h"
#include "kernels/surf/tone.h"

namespace lookalike {
namespace {

// Sums over rectangles of an image.
class IntegralImage {
 public:
  explicit IntegralImage(const ImageView& image)
      : width_(image.width), height_(image.height), sums_(integral_image_reference(image)) {}

  int width() const { return width_; }
  int height() const { return height_; }
  // Sum of the pixels in [left, right) x [top, bottom).
  std::int64_t sum(int left, int top, int right, int bottom) const {
    return at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top);
  }

 private:
  std::int64_t at(int x, int y) const {
    return static_cast<std::int64_t>(
        sums_[static_cast<std::size_t>(y) * (static_cast<std::size_t>(width_) + 1) +
              static_cast<std::size_t>(x)]);
  }

  int width_;
  int height_;
  std::vector<std::uint64_t> sums_;
};

// Values by column and row, initially zero.
class Grid {
 public:
  Grid(int columns, int rows)
      : columns_(static_cast<std::size_t>(columns)),
        values_(columns_ * static_cast<std::size_t>(rows)) {}

  float& at(int column, int row) { return values_[index(column, row)]; }
  float at(int column, int row) const { return values_[index(column, row)]; }

 private:
  std::size_t index(int column, int row) const {
    return static_cast<std::size_t>(row) * columns_ + static_cast<std::size_t>(column);
  }

  std::size_t columns_;
  std::vector<float> values_;
};

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

// Applies a filter. Its boxes have one area, since 3 divides the side, so that the sum is exact
// until it is scaled.
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

// Returns the determinants of one layer, at the places that SurfLayer describes; zero elsewhere.
Grid determinants(const IntegralImage& integral, const SurfLayer& layer) {
  Grid map(layer.columns, layer.rows);
  for (int row = 0; row < layer.sample_rows; ++row) {
    for (int column = 0; column < layer.sample_columns; ++column) {
      map.at(column + layer.margin, row + layer.margin) =
          hessian_at(integral, layer.side, layer.step * column, layer.step * row).determinant;
    }
  }
  return map;
}

// The 3 x 3 x 3 samples around a place: [layer][row][column].
using Neighbourhood = std::array<std::array<std::array<float, 3>, 3>, 3>;

Neighbourhood neighbourhood(std::span<const Grid> maps, int column, int row) {
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

// Returns the peak of the quadratic through the neighbours: x, y, layer, from the middle, by
// Cramer's rule; not finite without a single peak.
Vector peak_offset(const Neighbourhood& n) {
  const double middle = n[1][1][1];
  const double xx = n[1][1][0] - 2 * middle + n[1][1][2];
  const double yy = n[1][0][1] - 2 * middle + n[1][2][1];
  const double ss = n[0][1][1] - 2 * middle + n[2][1][1];
  const double xy = (n[1][2][2] - n[1][2][0] - n[1][0][2] + n[1][0][0]) / 4;
  const double xs = (n[2][1][2] - n[2][1][0] - n[0][1][2] + n[0][1][0]) / 4;
  const double ys = (n[2][2][1] - n[2][0][1] - n[0][2][1] + n[0][0][1]) / 4;
  const Vector slope = {(n[1][1][2] - n[1][1][0]) / -2, (n[1][2][1] - n[1][0][1]) / -2,
                        (n[2][1][1] - n[0][1][1]) / -2};
  const std::array<Vector, 3> adjugate = {
      {{yy * ss - ys * ys, xs * ys - xy * ss, xy * ys - xs * yy},
       {xs * ys - xy * ss, xx * ss - xs * xs, xy * xs - xx * ys},
       {xy * ys - xs * yy, xy * xs - xx * ys, xx * yy - xy * xy}}};
  const double determinant = xx * adjugate[0][0] + xy * adjugate[0][1] + xs * adjugate[0][2];
  Vector offset{};
  for (std::size_t i = 0; i < 3; ++i) {
    offset[i] =
        (adjugate[i][0] * slope[0] + adjugate[i][1] * slope[1] + adjugate[i][2] * slope[2]) /
        determinant;
  }
  return offset;
}

std::optional<Keypoint> fit(const IntegralImage& integral, const SurfLayer& layer, int column,
                            int row, const Neighbourhood& n) {
  const Vector offset = peak_offset(n);
  if (offset == Vector{}) return std::nullopt;
  for (const double component : offset) {
    if (!(std::abs(component) <= 1)) return std::nullopt;
  }
  const int left = layer.step * (column - layer.margin);
  const int top = layer.step * (row - layer.margin);
  const double middle = (layer.side - 1) * 0.5;
  const float trace = hessian_at(integral, layer.side, left, top).trace;
  Keypoint keypoint;
  keypoint.x = static_cast<float>(left + middle + offset[0] * layer.step);
  keypoint.y = static_cast<float>(top + middle + offset[1] * layer.step);
  keypoint.size =
      static_cast<float>(std::nearbyint(layer.side + offset[2] * (kSurfSideStep << layer.octave)));
  keypoint.response = n[1][1][1];
  keypoint.octave = layer.octave;
  keypoint.laplacian_sign = (trace > 0 ? 1 : 0) - (trace < 0 ? 1 : 0);
  return keypoint;
}

// Finds the keypoints of `layer`, the middle of three maps.
void search(const IntegralImage& integral, std::span<const Grid> maps, const SurfLayer& layer,
            float threshold, std::vector<Keypoint>& keypoints) {
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
  const SurfPlan plan = plan_surf(integral.width(), integral.height(), parameters);
  std::vector<Grid> maps;
  for (const SurfLayer& layer : plan.layers) maps.push_back(determinants(integral, layer));
  std::vector<Keypoint> keypoints;
  for (std::size_t i = 1; i + 1 < maps.size(); ++i) {
    if (plan.layers[i].border == 0) continue;
    search(integral, std::span(maps).subspan(i - 1, 3), plan.layers[i],
           parameters.hessian_threshold, keypoints);
  }
  return keypoints;
}

struct Gradient {
  float x = 0;
  float y = 0;
  int degrees = 0;
};

int round_to_int(double value) {
  return static_cast<int>(std::nearbyint(value));
}

float direction_degrees(float x, float y) {
  const double degrees = std::atan2(y, x) * 180 / std::numbers::pi;
  const auto turned = static_cast<float>(degrees < 0 ? degrees + 360 : degrees);
  return turned < 360 ? turned : 0;
}

// Returns weighted Haar gradients of side `wavelet` at the samples that lie in the image.
std::vector<Gradient> sample_gradients(const IntegralImage& integral, const Keypoint& keypoint,
                                       float interval, int wavelet) {
  std::vector<Gradient> gradients;
  const int half = wavelet / 2;
  const float middle = static_cast<float>(wavelet - 1) / 2;
  const auto area = static_cast<float>(half * wavelet);
  for (const OrientationSample& sample : orientation_samples()) {
    const int x = round_to_int(keypoint.x + sample.x * interval - middle);
    const int y = round_to_int(keypoint.y + sample.y * interval - middle);
    if (x < 0 || y < 0 || x > integral.width() - wavelet || y > integral.height() - wavelet) {
      continue;
    }
    const auto right = integral.sum(x + half, y, x + wavelet, y + wavelet);
    const auto left = integral.sum(x, y, x + half, y + wavelet);
    const auto top = integral.sum(x, y, x + wavelet, y + half);
    const auto bottom = integral.sum(x, y + half, x + wavelet, y + wavelet);
    Gradient gradient;
    gradient.x = static_cast<float>(right - left) / area * sample.weight;
    gradient.y = static_cast<float>(top - bottom) / area * sample.weight;
    gradient.degrees = round_to_int(direction_degrees(gradient.x, gradient.y));
    gradients.push_back(gradient);
  }
  return gradients;
}

// Returns the dominant direction in [0, 360), or nothing when it cannot be sampled in this image.
std::optional<float> orientation(const IntegralImage& integral, const Keypoint& keypoint,
                                 bool upright) {
  const float interval = sampling_interval(keypoint.size);
  const int wavelet = 2 * round_to_int(2 * interval);
  if (wavelet > std::min(integral.width(), integral.height())) return std::nullopt;
  if (upright) return kUprightAngleDegrees;
  const std::vector<Gradient> gradients = sample_gradients(integral, keypoint, interval, wavelet);
  if (gradients.empty()) return std::nullopt;
  float longest = 0;
  Gradient best;
  for (int window = 0; window < 360; window += kOrientationStepDegrees) {
    Gradient sum;
    for (const Gradient& gradient : gradients) {
      const int apart = std::abs(gradient.degrees - window);
      if (apart >= kOrientationHalfWindowDegrees && apart <= 360 - kOrientationHalfWindowDegrees) {
        continue;
      }
      sum.x += gradient.x;
      sum.y += gradient.y;
    }
    const float length = sum.x * sum.x + sum.y * sum.y;
    if (length <= longest) continue;
    longest = length;
    best = sum;
  }
  return direction_degrees(best.x, -best.y);
}

// Drops the keypoints whose rounded centre is masked out, orders the others as Surf does and keeps
// the first max_features.
void select_keypoints(std::vector<Keypoint>& keypoints, const ImageView& mask,
                      std::size_t max_features) {
  if (!mask.empty()) {
    std::erase_if(keypoints, [&](const Keypoint& keypoint) {
      const int x = std::clamp(static_cast<int>(std::lround(keypoint.x)), 0, mask.width - 1);
      const int y = std::clamp(static_cast<int>(std::lround(keypoint.y)), 0, mask.height - 1);
      return mask.at(x, y) == 0;
    });
  }
  std::sort(keypoints.begin(), keypoints.end(), [](const Keypoint& a, const Keypoint& b) {
    return std::tie(a.response, a.size, a.octave, a.y, b.x) >
           std::tie(b.response, b.size, b.octave, b.y, a.x);
  });
  if (max_features > 0 && keypoints.size() > max_features) keypoints.resize(max_features);
}

// Samples the window's side x side pixels, 8 bits each.
Grid sample_window(const ImageView& image, const Keypoint& keypoint, int side, bool upright) {
  const double radians = keypoint.angle_degrees * std::numbers::pi / 180;
  const double cosine = upright ? 0 : std::cos(radians);
  const double sine = upright ? 1 : -std::sin(radians);
  const double middle = (side - 1) * 0.5;
  double start_x = keypoint.x - middle * (cosine + sine);
  double start_y = keypoint.y + middle * (sine - cosine);
  if (upright) {
    start_x = std::nearbyint(start_x);
    start_y = std::nearbyint(start_y);
  }
  Grid window(side, side);
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      const double x = start_x + column * cosine + row * sine;
      const double y = start_y - column * sine + row * cosine;
      const int left = static_cast<int>(std::floor(x));
      const int top = static_cast<int>(std::floor(y));
      if (left < 0 || top < 0 || left >= image.width - 1 || top >= image.height - 1) {
        window.at(column, row) = image.at(std::clamp(round_to_int(x), 0, image.width - 1),
                                          std::clamp(round_to_int(y), 0, image.height - 1));
        continue;
      }
      const double a = x - left;
      const double b = y - top;
      const double upper = (1 - a) * image.at(left, top) + a * image.at(left + 1, top);
      const double lower = (1 - a) * image.at(left, top + 1) + a * image.at(left + 1, top + 1);
      window.at(column, row) = static_cast<float>(std::nearbyint((1 - b) * upper + b * lower));
    }
  }
  return window;
}

// Returns how much of pixel `i` lies in [p, p + 1) of a patch made of `side` pixels, in parts of 1
// / kPatchSide pixel.
int overlap(int side, int p, int i) {
  const int begin = std::max(i * kPatchSide, p * side);
  const int end = std::min((i + 1) * kPatchSide, (p + 1) * side);
  return std::max(0, end - begin);
}

// Averages the window to kPatchSide by kPatchSide pixels, 8 bits each, halves up.
Grid average_patch(const Grid& window, int side) {
  Grid patch(kPatchSide, kPatchSide);
  for (int row = 0; row < kPatchSide; ++row) {
    for (int column = 0; column < kPatchSide; ++column) {
      double sum = 0;
      for (int y = row * side / kPatchSide; y * kPatchSide < (row + 1) * side; ++y) {
        for (int x = column * side / kPatchSide; x * kPatchSide < (column + 1) * side; ++x) {
          const int weight = overlap(side, row, y) * overlap(side, column, x);
          sum += static_cast<double>(weight) * static_cast<double>(window.at(x, y));
        }
      }
      patch.at(column, row) =
          static_cast<float>(std::floor(sum / (static_cast<double>(side) * side) + 0.5));
    }
  }
  return patch;
}

// Returns rounded means of two by two pixels, without a last odd column or row.
GrayImage halved(const ImageView& image) {
  GrayImage half(image.width / 2, image.height / 2);
  for (int y = 0; y < half.height; ++y) {
    for (int x = 0; x < half.width; ++x) {
      const int sum = image.at(2 * x, 2 * y) + image.at(2 * x + 1, 2 * y) +
                      image.at(2 * x, 2 * y + 1) + image.at(2 * x + 1, 2 * y + 1);
      half.at(x, y) = static_cast<std::uint8_t>((sum + 2) / 4);
    }
  }
  return half;
}

// Adds a gradient to the sums of its cell.
void add_gradient(float dx, float dy, bool split, float* sums) {
  if (!split) {
    sums[0] += dx;
    sums[1] += dy;
    sums[2] += std::abs(dx);
    sums[3] += std::abs(dy);
    return;
  }
  float* by_dy = sums + (dy >= 0 ? 0 : 2);
  by_dy[0] += dx;
  by_dy[1] += std::abs(dx);
  float* by_dx = sums + (dx >= 0 ? 4 : 6);
  by_dx[0] += dy;
  by_dx[1] += std::abs(dy);
}

}  // namespace

std::vector<float> surf_descriptor_reference(const ImageView& image, const Keypoint& keypoint,
                                             const SurfParameters& parameters) {
  const float interval = sampling_interval(keypoint.size);
  if (parameters.max_interval > 0 && interval > static_cast<float>(parameters.max_interval)) {
    Keypoint there = keypoint;
    there.x = keypoint.x / 2 - 0.25F;
    there.y = keypoint.y / 2 - 0.25F;
    there.size = keypoint.size / 2;
    return surf_descriptor_reference(halved(image).view(), there, parameters);
  }
  const int side = static_cast<int>(kPatchSide * interval);
  const Grid patch = average_patch(sample_window(image, keypoint, side, parameters.upright), side);
  constexpr int kGradients = kPatchSide - 1;
  constexpr int kCell = kGradients / 4;
  const std::vector<float> weights = gaussian(kGradients, kDescriptorSigma);
  const std::size_t kinds = parameters.descriptor_size / 16;
  std::vector<float> descriptor(parameters.descriptor_size);
  for (int y = 0; y < kGradients; ++y) {
    for (int x = 0; x < kGradients; ++x) {
      const float weight =
          weights[static_cast<std::size_t>(x)] * weights[static_cast<std::size_t>(y)];
      const float right = patch.at(x + 1, y) + patch.at(x + 1, y + 1);
      const float left = patch.at(x, y) + patch.at(x, y + 1);
      const float lower = patch.at(x, y + 1) + patch.at(x + 1, y + 1);
      const float upper = patch.at(x, y) + patch.at(x + 1, y);
      const int cell = y / kCell * 4 + x / kCell;
      add_gradient((right - left) * weight, (lower - upper) * weight, kinds == 8,
                   descriptor.data() + static_cast<std::size_t>(cell) * kinds);
    }
  }
  double square = 0;
  for (const float value : descriptor) square += static_cast<double>(value) * value;
  const auto scale = static_cast<float>(1 / (std::sqrt(square) + kNormEpsilon));
  for (float& value : descriptor) value *= scale;
  return descriptor;
}

void take_signed_roots(std::span<float> descriptor) {
  float squares = 0;
  for (float& value : descriptor) {
    value = std::copysign(std::sqrt(std::abs(value)), value);
    squares += value * value;
  }
  if (squares <= 0) return;
  const float length = std::sqrt(squares);
  for (float& value : descriptor) value /= length;
}

FeatureSet surf_reference(const ImageView& given, const SurfParameters& parameters,
                          const ImageView& mask) {
  check_parameters(parameters);
  require(mask.empty() || (mask.width == given.width && mask.height == given.height),
          "surf_reference: the image and its mask differ in size");
  GrayImage toned(given.width, given.height);
  std::copy_n(given.pixels, given.size(), toned.pixels.begin());
  brighten(toned, parameters.brighten_to);
  const ImageView image = toned.view();
  FeatureSet features;
  features.descriptor_size = parameters.descriptor_size;
  const IntegralImage integral(image);
  for (Keypoint keypoint : find_keypoints(integral, parameters)) {
    const auto angle = orientation(integral, keypoint, parameters.upright);
    if (!angle) continue;
    keypoint.angle_degrees = *angle;
    features.keypoints.push_back(keypoint);
  }
  select_keypoints(features.keypoints, mask, parameters.max_features);
  for (const Keypoint& keypoint : features.keypoints) {
    const std::vector<float> descriptor = surf_descriptor_reference(image, keypoint, parameters);
    features.descriptors.insert(features.descriptors.end(), descriptor.begin(), descriptor.end());
  }
  if (!parameters.signed_roots) return features;
  for (std::size_t i = 0; i < features.size(); ++i) {
    const std::size_t length = features.descriptor_size;
    take_signed_roots(std::span(features.descriptors).subspan(i * length, length));
  }
  return features;
}

}  // namespace lookalike
