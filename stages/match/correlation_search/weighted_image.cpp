#include "stages/match/correlation_search/weighted_image.h"

#include <array>
#include <utility>

namespace lookalike {
namespace {

constexpr std::array kTaps = {0.0625F, 0.25F, 0.375F, 0.25F, 0.0625F};

// Mean around a pixel, and how much of the taps' weight counted.
std::pair<float, float> mean_around(const WeightedImage& from, int x, int y) {
  float value = 0;
  float weight = 0;
  for (int i = 0; i < 25; ++i) {
    const int column = x + i % 5 - 2;
    const int row = y + i / 5 - 2;
    if (column < 0 || row < 0 || column >= from.width || row >= from.height) continue;
    const std::size_t at = from.index(column, row);
    const float tap = kTaps[static_cast<std::size_t>(i % 5)] *
                      kTaps[static_cast<std::size_t>(i / 5)] * from.weights[at];
    value += tap * from.values[at];
    weight += tap;
  }
  return {weight > 0 ? value / weight : 0, weight};
}

}  // namespace

WeightedImage smoothed(const WeightedImage& from) {
  WeightedImage to = from;
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < to.width; ++x) {
      to.values[to.index(x, y)] = mean_around(from, x, y).first;
    }
  }
  return to;
}

WeightedImage halved(const WeightedImage& from) {
  WeightedImage to{
      .values = {}, .weights = {}, .width = (from.width + 1) / 2, .height = (from.height + 1) / 2};
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < to.width; ++x) {
      const auto [value, weight] = mean_around(from, 2 * x, 2 * y);
      to.values.push_back(value);
      to.weights.push_back(weight);
    }
  }
  return to;
}

}  // namespace lookalike
