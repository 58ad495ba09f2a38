#include "stages/match/verify/pose_candidates.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace lookalike {
namespace {

Point direction(double angle_degrees) {
  const double radians = angle_degrees * std::numbers::pi / 180;
  return {std::cos(radians), std::sin(radians)};
}

}  // namespace

PoseCandidate candidate_of(const PlacePair& pair) {
  const double scale = pair.scene.size / pair.object.size;
  return {{{pair.object.x, pair.object.y}, {pair.scene.x, pair.scene.y}},
          direction(pair.object.angle_degrees),
          direction(pair.scene.angle_degrees),
          scale * scale};
}

Homography similarity_of(const PoseCandidate& pair) {
  const double scale = std::sqrt(pair.area_ratio);
  const Point& from = pair.object_direction;
  const Point& to = pair.scene_direction;
  const double a = scale * (to.x * from.x + to.y * from.y);
  const double b = scale * (to.y * from.x - to.x * from.y);
  const Point& object = pair.points.object;
  const Point& scene = pair.points.scene;
  return {{a, -b, scene.x - a * object.x + b * object.y, b, a,
           scene.y - b * object.x - a * object.y, 0, 0, 1}};
}

void SimilarityScores::add(const PoseCandidate& pair) {
  const Point& from = pair.object_direction;
  const Point& to = pair.scene_direction;
  const auto append = [](std::vector<float>& values, double value) {
    values.push_back(static_cast<float>(value));
  };
  append(object_x_, pair.points.object.x);
  append(object_y_, pair.points.object.y);
  append(scene_x_, pair.points.scene.x);
  append(scene_y_, pair.points.scene.y);
  append(turn_cosine_, to.x * from.x + to.y * from.y);
  append(turn_sine_, to.y * from.x - to.x * from.y);
  append(area_ratio_, pair.area_ratio);
}

std::uint32_t SimilarityScores::cost(const Homography& similarity, double tolerance_px) const {
  const auto a = static_cast<float>(similarity.h[0]);
  const auto b = static_cast<float>(similarity.h[3]);
  const auto shift_x = static_cast<float>(similarity.h[2]);
  const auto shift_y = static_cast<float>(similarity.h[5]);
  const auto unit = static_cast<float>(kCostUnit / (tolerance_px * tolerance_px));
  const float area = a * a + b * b;
  const float least_turn = kMinTurnCosine * std::sqrt(area);
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < object_x_.size(); ++i) {
    const float x = a * object_x_[i] - b * object_y_[i] + shift_x - scene_x_[i];
    const float y = b * object_x_[i] + a * object_y_[i] + shift_y - scene_y_[i];
    const bool agrees = (area < kMaxAreaRatio * area_ratio_[i]) &
                        (area_ratio_[i] < kMaxAreaRatio * area) &
                        (a * turn_cosine_[i] + b * turn_sine_[i] > least_turn);
    const float squared = std::min(kCostUnit, (x * x + y * y) * unit);
    sum += static_cast<std::int32_t>(agrees ? squared : kCostUnit);
  }
  return static_cast<std::uint32_t>(sum);
}

}  // namespace lookalike
