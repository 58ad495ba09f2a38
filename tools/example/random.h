#pragma once

#include <cstdint>
#include <random>

namespace lookalike {

// Random numbers that are the same on every platform, as the standard's distributions are not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // Uniform in [0, 1), from 53 bits.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * uniform(); }
  // Uniform in [0, count).
  int below(int count) { return static_cast<int>(uniform() * count); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace lookalike
