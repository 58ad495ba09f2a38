#include "tests/kernels/correlation/pictures.h"

#include <cmath>

namespace lookalike {

GrayImage noise(int width, int height, std::uint64_t seed, int low, int high) {
  GrayImage image(width, height);
  std::uint64_t state = seed;
  for (std::uint8_t& pixel : image.pixels) {
    state += 0x9E3779B97F4A7C15ULL;
    std::uint64_t mixed = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
    pixel = static_cast<std::uint8_t>(low + static_cast<int>(mixed >> 40) % (high - low + 1));
  }
  return image;
}

GrayImage waves(int width, int height, double shift_x, double shift_y) {
  GrayImage image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double u = x - shift_x;
      const double v = y - shift_y;
      const double wave = 60 * std::sin(0.21 * u + 0.05 * v) + 50 * std::cos(0.17 * v - 0.08 * u);
      image.at(x, y) = static_cast<std::uint8_t>(std::lround(128 + wave));
    }
  }
  return image;
}

}  // namespace lookalike
