#include "kernels/surf/tone.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "kernels/device_images.h"

namespace lookalike {

std::array<std::uint8_t, 256> tone_curve(int level, int target) {
  constexpr double kWhite = 255;
  constexpr int kDarkest = 8;
  std::array<std::uint8_t, 256> curve{};
  std::iota(curve.begin(), curve.end(), std::uint8_t{0});
  if (level >= target) return curve;
  const double exponent = std::log(target / kWhite) / std::log(std::max(level, kDarkest) / kWhite);
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const double toned = kWhite * std::pow(static_cast<double>(i) / kWhite, exponent);
    curve[i] = static_cast<std::uint8_t>(std::lround(toned));
  }
  return curve;
}

void brighten(GrayImage& image, int target) {
  const int level = mean_level(image.view());
  if (level >= target) return;
  const auto curve = tone_curve(level, target);
  for (std::uint8_t& pixel : image.pixels) pixel = curve[pixel];
}

}  // namespace lookalike
