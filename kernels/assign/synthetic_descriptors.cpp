#include "kernels/assign/synthetic_descriptors.h"

#include <cmath>
#include <random>
#include <span>

#include "pipeline/error.h"

namespace lookalike {
namespace {

// Uniform in [0, 1), by the generator's upper 24 bits.
float uniform(std::mt19937& generator) {
  return static_cast<float>(generator() >> 8U) * 0x1p-24F;
}

void fill_descriptor(std::span<float> values, std::mt19937& generator) {
  float squared_norm = 0;
  for (std::size_t i = 0; i < values.size(); i += 4) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const float magnitude = uniform(generator);
      const float sum = magnitude * (2 * uniform(generator) - 1);
      values[i + axis] = sum;
      values[i + axis + 2] = magnitude;
      squared_norm += sum * sum + magnitude * magnitude;
    }
  }
  if (squared_norm == 0) return;
  for (float& value : values) value /= std::sqrt(squared_norm);
}

}  // namespace

std::vector<float> synthetic_descriptors(std::size_t count, std::size_t dimensions,
                                         std::uint32_t seed) {
  require(dimensions % 4 == 0, "synthetic_descriptors: dimensions must be a multiple of 4");
  std::mt19937 generator(seed);
  std::vector<float> values(count * dimensions);
  for (std::size_t row = 0; row < count; ++row) {
    fill_descriptor(std::span(values).subspan(row * dimensions, dimensions), generator);
  }
  return values;
}

}  // namespace lookalike
