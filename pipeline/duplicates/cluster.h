#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pipeline/duplicates/pair.h"

namespace lookalike {

// A pair of images, by number, that belong in one group.
struct Link {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  PairKind kind = PairKind::kObject;
  double probability = 0;
};

// Returns the groups of at least two images that links join.
//   1. Drop links between rejected pairs.
//   2. A link is weak if its pixels do not agree (PairKind below kCrop) and its probability is
//      below kStrongProbability. A weak link is a weak bridge if nothing else joins its two sides
//      and each has at least two images. Cut the weakest weak bridge until none is left. So one
//      doubtful pair never merges two groups, and an image on one sure pair stays.
//   3. Join the remaining links, strongest first, except those that would bring a rejected pair
//      into one group. If any was left out, drop those and repeat steps 2 and 3.
// Strength is the kind, then the probability; ties go to the smaller numbers. Images in a group are
// ascending, groups ordered by first image. The order of links and rejections does not matter.
//   images  greater than all numbers
std::vector<std::vector<std::uint32_t>> clusters(
    std::size_t images, std::span<const Link> links,
    std::span<const std::pair<std::uint32_t, std::uint32_t>> rejected);

// Returns the numbers of the links that hold a group together, weakest first: those of the
// strongest spanning tree that join parts of at least two images each and are no copies. Whatever
// else joins two parts is weaker. Links are those of one group.
std::vector<std::size_t> joints(std::span<const Link> links);

inline constexpr double kStrongProbability = 0.999;

}  // namespace lookalike
