#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace lookalike {

// Random numbers that are equal on every platform: the standard defines the engine, and the
// functions below replace the distributions, which it leaves to the library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  // In [0, 1), of 53 bits.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  double between(double low, double high) { return low + (high - low) * uniform(); }
  // In [0, count); count >= 1.
  int below(int count) { return static_cast<int>(uniform() * count); }

  // Mean 0, standard deviation 1. Box and Muller, "A note on the generation of random normal
  // deviates", 1958, without the second of each pair.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace lookalike
