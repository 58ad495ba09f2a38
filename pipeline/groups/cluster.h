#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pipeline/groups/pair.h"

namespace lookalike {

// A pair of images that are to be in one group, by number.
struct Link {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  PairKind kind = PairKind::kObject;
  double probability = 0;
};

// The groups of images that links join, each of at least two images.
//   1. Rejected pairs are no links.
//   2. A link is weak if its pixels do not agree (PairKind below kCrop) and its probability is
//      below kStrongProbability. A weak link that alone joins two parts of at least two images
//      each is a weak bridge: it is cut, the weakest first, until none is left. So one doubtful
//      pair never merges two groups, and an image that hangs on one sure pair stays.
//   3. What is left is joined by the strongest link first, but for joins that would bring a
//      rejected pair into one group. Links that cannot join are dropped, and rules 2 and 3 are
//      applied to the rest again, until none is dropped.
// Strength is the kind, then the probability; ties go to the smaller numbers. Images in a group are
// ascending, groups by their first image. The order of links and rejections does not matter.
//   images    all numbers are below it
std::vector<std::vector<std::uint32_t>> clusters(
    std::size_t images, std::span<const Link> links,
    std::span<const std::pair<std::uint32_t, std::uint32_t>> rejected);

inline constexpr double kStrongProbability = 0.999;

}  // namespace lookalike
