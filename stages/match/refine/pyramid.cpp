#include "stages/match/refine/pyramid.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lookalike {
namespace {

constexpr double kSlack = 1.0 / 64;  // as that of warps

}  // namespace

GrayImage halved(const ImageView& image) {
  GrayImage half(image.width / 2, image.height / 2);
  for (int y = 0; y < half.height; ++y) {
    const std::uint8_t* upper = image.pixels + std::ptrdiff_t{2} * y * image.width;
    const std::uint8_t* lower = upper + image.width;
    std::uint8_t* row = half.pixels.data() + std::ptrdiff_t{y} * half.width;
    for (std::ptrdiff_t x = 0; x < half.width; ++x) {
      const int sum = upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1];
      row[x] = static_cast<std::uint8_t>((sum + 2) / 4);
    }
  }
  return half;
}

Homography reduction(const DecodedImage& image) {
  const double shift = to_reduced(0, image.scale);
  return {{image.scale, 0, shift, 0, image.scale, shift, 0, 0, 1}};
}

Pyramid::Pyramid(const DecodedImage& image) : image_(image) {
  levels_.push_back({image.pixels.view(), {}});
  while (std::min(levels_.back().image.width, levels_.back().image.height) >= 2 * kLeastSidePx) {
    halves_.push_back(halved(levels_.back().image));  // moving an image leaves its pixels in place
    levels_.push_back({halves_.back().view(), levels_.back().to_full * kHalvedToFull});
  }
}

const Pyramid::Level& Pyramid::level_for(double shrink) const {
  std::size_t level = 0;
  while (level + 1 < levels_.size() && shrink > 1 + kSlack) {
    shrink /= 2;
    ++level;
  }
  return levels_[level];
}

}  // namespace lookalike
