#include "stages/match/locate/weighted_image.h"

#include <array>

namespace lookalike {
namespace {

constexpr std::array kTaps = {0.0625F, 0.25F, 0.375F, 0.25F, 0.0625F};

// At every `step`-th pixel, the mean around it of what counts, and how much of the taps' weight
// that was.
WeightedImage filtered(const WeightedImage& from, int step) {
  WeightedImage rows{
      .values = {}, .weights = {}, .width = (from.width + step - 1) / step, .height = from.height};
  for (int y = 0; y < rows.height; ++y) {
    for (int x = 0; x < rows.width; ++x) {
      float value = 0;
      float weight = 0;
      for (int i = 0; i < 5; ++i) {
        const int column = step * x + i - 2;
        if (column < 0 || column >= from.width) continue;
        const std::size_t at = from.index(column, y);
        const float tap = kTaps[static_cast<std::size_t>(i)] * from.weights[at];
        value += tap * from.values[at];
        weight += tap;
      }
      rows.values.push_back(value);
      rows.weights.push_back(weight);
    }
  }
  WeightedImage to{
      .values = {}, .weights = {}, .width = rows.width, .height = (from.height + step - 1) / step};
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < to.width; ++x) {
      float value = 0;
      float weight = 0;
      for (int i = 0; i < 5; ++i) {
        const int row = step * y + i - 2;
        if (row < 0 || row >= from.height) continue;
        const std::size_t at = rows.index(x, row);
        value += kTaps[static_cast<std::size_t>(i)] * rows.values[at];
        weight += kTaps[static_cast<std::size_t>(i)] * rows.weights[at];
      }
      to.values.push_back(weight > 0 ? value / weight : 0);
      to.weights.push_back(weight);
    }
  }
  return to;
}

}  // namespace

WeightedImage smoothed(const WeightedImage& from) {
  WeightedImage to = filtered(from, 1);
  to.weights = from.weights;
  return to;
}

WeightedImage halved(const WeightedImage& from) {
  return filtered(from, 2);
}

}  // namespace lookalike
