#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "base/geometry.h"
#include "base/random.h"
#include "stages/match/verify/pose.h"

namespace lookalike {

// Feature pairs of a w x h object under a known map, as a detector would find them.
class SyntheticPairs {
 public:
  SyntheticPairs(int width, int height, std::uint64_t seed = 1)
      : width_(width), height_(height), random_(seed) {}

  double uniform(double low, double high) { return random_.between(low, high); }

  // Pairs that the map explains but for noise: of the position, and like SURF's of size and angle.
  void add_inliers(const Homography& map, std::size_t count, double noise_px = 0) {
    for (std::size_t i = 0; i < count; ++i) {
      const Point at = {uniform(0, width_ - 1), uniform(0, height_ - 1)};
      add(map, at, noise_px);
    }
  }
  void add(const Homography& map, Point object, double noise_px = 0) {
    const Point scene = map.apply(object);
    const Jacobian j = jacobian(map, object);
    PlacePair pair{{object.x, object.y, uniform(15, 60), uniform(0, 360)}, {}};
    const double turn = pair.object.angle_degrees * std::numbers::pi / 180;
    const double x = j.xx * std::cos(turn) + j.xy * std::sin(turn);
    const double y = j.yx * std::cos(turn) + j.yy * std::sin(turn);
    pair.scene = {scene.x + uniform(-noise_px, noise_px), scene.y + uniform(-noise_px, noise_px),
                  pair.object.size * std::sqrt(std::abs(j.determinant())) * uniform(0.85, 1.18),
                  std::atan2(y, x) * 180 / std::numbers::pi + uniform(-8, 8)};
    pairs.push_back(pair);
  }

  // Pairs of unrelated features.
  void add_outliers(std::size_t count, int scene_width, int scene_height) {
    for (std::size_t i = 0; i < count; ++i) {
      pairs.push_back(
          {{uniform(0, width_), uniform(0, height_), uniform(15, 60), uniform(0, 360)},
           {uniform(0, scene_width), uniform(0, scene_height), uniform(15, 60), uniform(0, 360)}});
    }
  }

  // Best pairs first is what find_pose expects; mixing them is the harder case.
  void shuffle() {
    for (std::size_t i = pairs.size(); i > 1; --i) {
      std::swap(pairs[i - 1], pairs[static_cast<std::size_t>(random_.below(static_cast<int>(i)))]);
    }
  }

  std::vector<PlacePair> pairs;

 private:
  int width_;
  int height_;
  Random random_;
};

}  // namespace lookalike
