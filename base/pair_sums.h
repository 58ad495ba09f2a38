#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>

namespace lookalike {

// Sums over pairs of values (a, b), for their correlation.
template <typename Value>
struct PairSums {
  Value count{}, a{}, b{}, aa{}, bb{}, ab{};

  void add(Value one, Value other) {
    ++count;
    a += one;
    b += other;
    aa += one * one;
    bb += other * other;
    ab += one * other;
  }
  void add(const PairSums& more) {
    count += more.count;
    a += more.a;
    b += more.b;
    aa += more.aa;
    bb += more.bb;
    ab += more.ab;
  }

  // Returns the sum of squared differences from the mean.
  Value spread_a() const requires std::floating_point<Value> { return aa - a * a / count; }
  Value spread_b() const requires std::floating_point<Value> { return bb - b * b / count; }
};

// rho = (n Sab - Sa Sb) / sqrt((n Saa - Sa^2) (n Sbb - Sb^2)), in [-1, 1]; nothing if a or b is
// constant, which exact integers decide.
inline std::optional<double> correlation_of(const PairSums<std::uint64_t>& sums) {
  __extension__ using Wide = __int128;  // suffices for any image that fits in memory
  const auto moment = [n = sums.count](std::uint64_t both, std::uint64_t one, std::uint64_t other) {
    return static_cast<double>(static_cast<Wide>(n) * both - static_cast<Wide>(one) * other);
  };
  const double spread_a = moment(sums.aa, sums.a, sums.a);
  const double spread_b = moment(sums.bb, sums.b, sums.b);
  if (spread_a == 0 || spread_b == 0) return std::nullopt;
  const double rho = moment(sums.ab, sums.a, sums.b) / (std::sqrt(spread_a) * std::sqrt(spread_b));
  return std::clamp(rho, -1.0, 1.0);
}

// The same for real numbers; 0 if a or b is constant.
inline double correlation_of(const PairSums<double>& sums) {
  const double spread = sums.spread_a() * sums.spread_b();
  return spread > 0 ? (sums.ab - sums.a * sums.b / sums.count) / std::sqrt(spread) : 0;
}

}  // namespace lookalike
