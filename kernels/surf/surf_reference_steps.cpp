#include "kernels/surf/surf_reference_steps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/surf/surf_plan.h"

namespace lookalike {
namespace {

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

// Weighted Haar gradients of side `wavelet` at the samples that lie in the image.
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

// The window's pixels [side][side], 8 bits each.
std::vector<float> sample_window(const ImageView& image, const Keypoint& keypoint, int side,
                                 bool upright) {
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
  std::vector<float> window;
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      const double x = start_x + column * cosine + row * sine;
      const double y = start_y - column * sine + row * cosine;
      const int left = static_cast<int>(std::floor(x));
      const int top = static_cast<int>(std::floor(y));
      if (left < 0 || top < 0 || left >= image.width - 1 || top >= image.height - 1) {
        window.push_back(image.at(std::clamp(round_to_int(x), 0, image.width - 1),
                                  std::clamp(round_to_int(y), 0, image.height - 1)));
        continue;
      }
      const double a = x - left;
      const double b = y - top;
      window.push_back(static_cast<float>(std::nearbyint(
          (1 - b) * ((1 - a) * image.at(left, top) + a * image.at(left + 1, top)) +
          b * ((1 - a) * image.at(left, top + 1) + a * image.at(left + 1, top + 1)))));
    }
  }
  return window;
}

// How much of pixel `i` lies in [p, p + 1) of a patch that `side` pixels make, in parts of
// 1 / kPatchSide pixel.
int overlap(int side, int p, int i) {
  const int begin = std::max(i * kPatchSide, p * side);
  const int end = std::min((i + 1) * kPatchSide, (p + 1) * side);
  return std::max(0, end - begin);
}

// The window averaged to [kPatchSide][kPatchSide], 8 bits each, halves up.
std::vector<float> average_patch(const std::vector<float>& window, int side) {
  std::vector<float> patch;
  for (int row = 0; row < kPatchSide; ++row) {
    for (int column = 0; column < kPatchSide; ++column) {
      double sum = 0;
      for (int y = row * side / kPatchSide; y * kPatchSide < (row + 1) * side; ++y) {
        for (int x = column * side / kPatchSide; x * kPatchSide < (column + 1) * side; ++x) {
          const int weight = overlap(side, row, y) * overlap(side, column, x);
          sum += static_cast<double>(weight) *
                 window[static_cast<std::size_t>(y) * static_cast<std::size_t>(side) +
                        static_cast<std::size_t>(x)];
        }
      }
      patch.push_back(
          static_cast<float>(std::floor(sum / (static_cast<double>(side) * side) + 0.5)));
    }
  }
  return patch;
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

IntegralImage::IntegralImage(const ImageView& image)
    : width_(image.width),
      height_(image.height),
      sums_((static_cast<std::size_t>(width_) + 1) * (static_cast<std::size_t>(height_) + 1)) {
  const std::size_t pitch = static_cast<std::size_t>(width_) + 1;
  for (int y = 0; y < height_; ++y) {
    std::int64_t along = 0;
    for (int x = 0; x < width_; ++x) {
      along += image.at(x, y);
      const std::size_t at =
          (static_cast<std::size_t>(y) + 1) * pitch + static_cast<std::size_t>(x) + 1;
      sums_[at] = sums_[at - pitch] + along;
    }
  }
}

std::optional<float> reference_orientation(const IntegralImage& integral, const Keypoint& keypoint,
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

std::vector<float> reference_descriptor(const ImageView& image, const Keypoint& keypoint,
                                        std::size_t descriptor_size, bool upright) {
  const int side = static_cast<int>(kPatchSide * sampling_interval(keypoint.size));
  const std::vector<float> patch =
      average_patch(sample_window(image, keypoint, side, upright), side);
  const auto pixel = [&](int x, int y) {
    return patch[static_cast<std::size_t>(y) * kPatchSide + static_cast<std::size_t>(x)];
  };
  constexpr int kGradients = kPatchSide - 1;
  constexpr int kCell = kGradients / 4;
  const std::vector<float> weights = gaussian(kGradients, kDescriptorSigma);
  const std::size_t kinds = descriptor_size / 16;
  std::vector<float> descriptor(descriptor_size);
  for (int y = 0; y < kGradients; ++y) {
    for (int x = 0; x < kGradients; ++x) {
      const float weight =
          weights[static_cast<std::size_t>(x)] * weights[static_cast<std::size_t>(y)];
      const float right = pixel(x + 1, y) + pixel(x + 1, y + 1);
      const float left = pixel(x, y) + pixel(x, y + 1);
      const float lower = pixel(x, y + 1) + pixel(x + 1, y + 1);
      const float upper = pixel(x, y) + pixel(x + 1, y);
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

}  // namespace lookalike
