#include "stages/match/verify/agreeing_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"

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

using Bins = std::array<std::array<AgreeingPairs, kSizes>, kTurns>;

// Takes the larger of each value and its sum over four neighbouring bins: two turns of two sizes.
void take_larger(const Bins& bins, std::size_t turn, std::size_t size, AgreeingPairs& largest) {
  AgreeingPairs sum;
  for (const std::size_t t : {turn, (turn + 1) % kTurns}) {
    for (const std::size_t s : {size, size + 1}) {
      sum.count += bins[t][s].count;
      sum.weight += bins[t][s].weight;
    }
  }
  largest.count = std::max(largest.count, sum.count);
  largest.weight = std::max(largest.weight, sum.weight);
}

}  // namespace

AgreeingPairs agreeing_pairs(std::span<const PlacePair> pairs, std::span<const double> weights) {
  require(pairs.size() == weights.size(), "agreeing_pairs: sizes differ");
  Bins bins{};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    AgreeingPairs& bin = bins[turn_bin(pairs[i])][size_bin(pairs[i])];
    ++bin.count;
    bin.weight += weights[i];
  }
  AgreeingPairs largest;
  for (std::size_t turn = 0; turn < kTurns; ++turn) {
    for (std::size_t size = 0; size + 1 < kSizes; ++size) take_larger(bins, turn, size, largest);
  }
  return largest;
}

}  // namespace lookalike
