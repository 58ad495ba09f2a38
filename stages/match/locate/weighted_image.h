#pragma once

#include <cstddef>
#include <vector>

namespace lookalike {

// An image of which each pixel counts by its weight, [0, 1]: [height][width].
struct WeightedImage {
  std::vector<float> values;
  std::vector<float> weights;
  int width = 0;
  int height = 0;

  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(x);
  }
};

inline constexpr float kMinWeight = 0.75F;  // from which a pixel of a coarser level counts

// [1 4 6 4 1] / 16 along both axes over what counts: every pixel, and every second one, so that
// pixel (x, y) lies at (2 x, 2 y). The weights of `halved` are the shares that counted; those of
// `smoothed` stay.
WeightedImage smoothed(const WeightedImage& from);
WeightedImage halved(const WeightedImage& from);

}  // namespace lookalike
