#include "stages/match/verify/agreeing_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lookalike {
namespace {

constexpr std::size_t kTurns = 16;  // bins of a full turn
constexpr std::size_t kSizes = 16;  // bins of half an octave, from 1/16; the outer ones are open

std::size_t turn_bin(const PlacePair& pair) {
  const double turns = (pair.scene.angle_degrees - pair.object.angle_degrees) / 360;
  return static_cast<std::size_t>((turns - std::floor(turns)) * kTurns) % kTurns;
}

std::size_t size_bin(const PlacePair& pair) {
  const double halves = 2 * std::log2(pair.scene.size / pair.object.size) + kSizes / 2.0;
  return static_cast<std::size_t>(std::clamp(halves, 0.0, kSizes - 1.0));
}

// Largest sum of four neighbouring bins: two turns of two sizes.
template <typename Sum>
class Bins {
 public:
  void add(const PlacePair& pair, Sum value) { sums_[turn_bin(pair)][size_bin(pair)] += value; }

  Sum largest() const {
    Sum most = 0;
    for (std::size_t turn = 0; turn < kTurns; ++turn) {
      const auto& here = sums_[turn];
      const auto& next = sums_[(turn + 1) % kTurns];
      for (std::size_t size = 0; size + 1 < kSizes; ++size) {
        most = std::max(most, here[size] + here[size + 1] + next[size] + next[size + 1]);
      }
    }
    return most;
  }

 private:
  std::array<std::array<Sum, kSizes>, kTurns> sums_{};
};

}  // namespace

AgreeingPairs agreeing_pairs(std::span<const PlacePair> pairs, std::span<const double> weights) {
  Bins<std::size_t> counts;
  Bins<double> sums;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    counts.add(pairs[i], 1);
    sums.add(pairs[i], weights.empty() ? 1 : weights[i]);
  }
  return {counts.largest(), sums.largest()};
}

}  // namespace lookalike
