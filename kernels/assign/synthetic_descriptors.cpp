#include "kernels/assign/synthetic_descriptors.h"

#include <cmath>
#include <span>

#include "base/error.h"
#include "base/random.h"

namespace lookalike {
namespace {

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
