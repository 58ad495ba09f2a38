#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/image.h"
#include "base/random.h"

namespace lookalike {

inline std::uint8_t to_pixel(double value) {
  return static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L));
}

inline GrayImage flat_image(int width, int height, std::uint8_t value) {
  GrayImage image(width, height);
  std::fill(image.pixels.begin(), image.pixels.end(), value);
  return image;
}

// Returns independent pixels.
inline GrayImage noise_image(int width, int height, std::uint64_t seed) {
  GrayImage image(width, height);
  Random random(seed);
  for (std::uint8_t& pixel : image.pixels) pixel = to_pixel(255 * random.uniform());
  return image;
}

// Adds a Gaussian bump of this height, centre and standard deviation.
inline void add_blob(GrayImage& image, double x, double y, double sigma, double height) {
  for (int row = 0; row < image.height; ++row) {
    for (int column = 0; column < image.width; ++column) {
      const double square = (column - x) * (column - x) + (row - y) * (row - y);
      std::uint8_t& pixel = image.at(column, row);
      pixel = to_pixel(pixel + height * std::exp(-square / (2 * sigma * sigma)));
    }
  }
}

// Returns bright and dark blobs of many sizes on grey, with a little noise so that no two are
// alike.
inline GrayImage blob_image(int width, int height, std::uint64_t seed) {
  GrayImage image = flat_image(width, height, 128);
  Random random(seed);
  const int count = width * height / 400;
  for (int i = 0; i < count; ++i) {
    const double x = random.uniform() * width;
    const double y = random.uniform() * height;
    add_blob(image, x, y, 1.5 + 10 * std::pow(random.uniform(), 3), 160 * random.uniform() - 80);
  }
  for (std::uint8_t& pixel : image.pixels) pixel = to_pixel(pixel + 6 * random.uniform() - 3);
  return image;
}

// Returns a checkerboard of this cell side, turned by this angle.
inline GrayImage checker_image(int width, int height, double cell, double radians) {
  GrayImage image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double u = (x * std::cos(radians) + y * std::sin(radians)) / cell;
      const double v = (y * std::cos(radians) - x * std::sin(radians)) / cell;
      const bool odd = (static_cast<int>(std::floor(u)) + static_cast<int>(std::floor(v))) % 2 != 0;
      image.at(x, y) = odd ? 220 : 40;
    }
  }
  return image;
}

// Returns the image turned clockwise by 90 degrees.
inline GrayImage turned_image(const GrayImage& image) {
  GrayImage turned(image.height, image.width);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      turned.at(image.height - 1 - y, x) = image.view().at(x, y);
    }
  }
  return turned;
}

}  // namespace lookalike
