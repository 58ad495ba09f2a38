#include "kernels/synthetic_data.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/error.h"
#include "base/random.h"

namespace lookalike {
namespace {

constexpr int kLargestCell = 64;

// Adds random values on a grid of side `cell`, interpolated linearly.
void add_smooth_noise(std::vector<float>& sums, int width, int height, int cell, float amplitude,
                      Random& random) {
  const int columns = width / cell + 2;
  const int rows = height / cell + 2;
  std::vector<float> grid(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
  for (float& value : grid) value = amplitude * static_cast<float>(random.uniform() - 0.5);
  for (int y = 0; y < height; ++y) {
    const float v = static_cast<float>(y % cell) / static_cast<float>(cell);
    const float* upper = grid.data() + static_cast<std::ptrdiff_t>(y / cell) * columns;
    float* row = sums.data() + static_cast<std::ptrdiff_t>(y) * width;
    for (int x = 0; x < width; ++x) {
      const float u = static_cast<float>(x % cell) / static_cast<float>(cell);
      const float* corner = upper + x / cell;
      const float top = corner[0] + u * (corner[1] - corner[0]);
      const float bottom = corner[columns] + u * (corner[columns + 1] - corner[columns]);
      row[x] += top + v * (bottom - top);
    }
  }
}

void fill_descriptor(std::span<float> values, Random& random) {
  float squared_norm = 0;
  for (std::size_t i = 0; i < values.size(); i += 4) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const float magnitude = static_cast<float>(random.uniform());
      const float sum = magnitude * static_cast<float>(random.between(-1, 1));
      values[i + axis] = sum;
      values[i + axis + 2] = magnitude;
      squared_norm += sum * sum + magnitude * magnitude;
    }
  }
  if (squared_norm == 0) return;
  for (float& value : values) value /= std::sqrt(squared_norm);
}

}  // namespace

GrayImage noise_picture(int width, int height, std::uint64_t seed) {
  GrayImage image(width, height);
  Random random(seed);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    if (i % 8 == 0) bits = random.bits();
    image.pixels[i] = static_cast<std::uint8_t>(bits >> (8 * (i % 8)));
  }
  return image;
}

GrayImage textured_picture(int width, int height, std::uint64_t seed) {
  GrayImage image(width, height);
  std::vector<float> sums(image.pixels.size(), 128);
  Random random(seed);
  for (int cell = kLargestCell; cell >= 4; cell /= 2) {
    add_smooth_noise(sums, width, height, cell, 90, random);
  }
  std::transform(sums.begin(), sums.end(), image.pixels.begin(), [](float value) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0F, 255.0F)));
  });
  return image;
}

std::vector<float> noise_values(std::size_t count, std::uint64_t seed) {
  std::vector<float> values(count);
  Random random(seed);
  for (float& value : values) value = static_cast<float>(random.uniform());
  return values;
}

std::vector<float> synthetic_descriptors(std::size_t count, std::size_t dimensions,
                                         std::uint32_t seed) {
  require(dimensions % 4 == 0, "synthetic_descriptors: dimensions must be a multiple of 4");
  Random random(seed);
  std::vector<float> values(count * dimensions);
  for (std::size_t row = 0; row < count; ++row) {
    fill_descriptor(std::span(values).subspan(row * dimensions, dimensions), random);
  }
  return values;
}

}  // namespace lookalike
