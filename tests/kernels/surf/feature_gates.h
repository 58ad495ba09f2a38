#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include <gtest/gtest.h>

#include "base/features.h"

namespace lookalike {

// How well two extractions of one image agree, as shares in [0, 1].
struct Agreement {
  double found = 1;            // keypoints of the expected set that the actual one has
  double expected = 1;         // keypoints of the actual set that the expected one has
  double same_angle = 1;       // matched keypoints whose angles are within 0.1 degree
  double same_descriptor = 1;  // matched keypoints whose descriptors are within 0.03
};

// Returns the keypoint of `features` with the sign of `wanted`, within 0.5 px and 1 % of its size.
inline std::optional<std::size_t> find_same(const FeatureSet& features, const Keypoint& wanted) {
  std::optional<std::size_t> best;
  float least = 0;
  for (std::size_t i = 0; i < features.size(); ++i) {
    const Keypoint& one = features.keypoints[i];
    const float apart = std::hypot(one.x - wanted.x, one.y - wanted.y);
    const float size_apart = std::abs(one.size - wanted.size);
    if (apart > 0.5F || size_apart > 0.01F * wanted.size ||
        one.laplacian_sign != wanted.laplacian_sign) {
      continue;
    }
    if (best && apart + size_apart >= least) continue;
    least = apart + size_apart;
    best = i;
  }
  return best;
}

inline double descriptor_distance(const FeatureSet& a, std::size_t i, const FeatureSet& b,
                                  std::size_t j) {
  double square = 0;
  for (std::size_t k = 0; k < a.descriptor_size; ++k) {
    const double apart = static_cast<double>(a.descriptors[i * a.descriptor_size + k]) -
                         static_cast<double>(b.descriptors[j * b.descriptor_size + k]);
    square += apart * apart;
  }
  return std::sqrt(square);
}

inline Agreement compare_features(const FeatureSet& actual, const FeatureSet& expected) {
  std::size_t matched = 0;
  std::size_t angles = 0;
  std::size_t descriptors = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto j = find_same(actual, expected.keypoints[i]);
    if (!j) continue;
    ++matched;
    const float apart =
        std::abs(expected.keypoints[i].angle_degrees - actual.keypoints[*j].angle_degrees);
    if (std::min(apart, 360 - apart) <= 0.1F) ++angles;
    if (descriptor_distance(expected, i, actual, *j) <= 0.03) ++descriptors;
  }
  std::size_t known = 0;
  for (const Keypoint& keypoint : actual.keypoints) known += find_same(expected, keypoint) ? 1 : 0;
  const auto share = [](std::size_t part, std::size_t whole) {
    return whole == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  return {share(matched, expected.size()), share(known, actual.size()), share(angles, matched),
          share(descriptors, matched)};
}

inline void expect_gates_hold(const FeatureSet& actual, const FeatureSet& expected) {
  ASSERT_EQ(actual.descriptor_size, expected.descriptor_size);
  ASSERT_EQ(actual.descriptors.size(), actual.size() * actual.descriptor_size);
  const Agreement agreement = compare_features(actual, expected);
  EXPECT_GE(agreement.found, 0.999) << "of " << expected.size() << " keypoints";
  EXPECT_GE(agreement.expected, 0.999) << "of " << actual.size() << " keypoints";
  EXPECT_GE(agreement.same_angle, 0.995);
  EXPECT_GE(agreement.same_descriptor, 0.99);
}

}  // namespace lookalike
