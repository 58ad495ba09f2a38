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

}  // namespace

std::size_t agreeing_pairs(std::span<const PlacePair> pairs) {
  std::array<std::array<std::size_t, kSizes>, kTurns> bins{};
  for (const PlacePair& pair : pairs) ++bins[turn_bin(pair)][size_bin(pair)];
  std::size_t most = 0;
  for (std::size_t turn = 0; turn < kTurns; ++turn) {
    const auto& here = bins[turn];
    const auto& next = bins[(turn + 1) % kTurns];
    for (std::size_t size = 0; size + 1 < kSizes; ++size) {
      most = std::max(most, here[size] + here[size + 1] + next[size] + next[size + 1]);
    }
  }
  return most;
}

}  // namespace lookalike
