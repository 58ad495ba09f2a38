#include "base/random.h"

#include <cmath>
#include <numbers>

namespace lookalike {

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

}  // namespace lookalike
