#pragma once

#include <cstdint>
#include <vector>

#include "stages/match/verify/pose.h"
#include "stages/match/verify/pose_fit.h"

namespace lookalike {

// What a pair's scale and turn may differ from a map's by: a factor of two, squared since areas are
// compared, and 45 degrees.
inline constexpr float kMaxAreaRatio = 4;
inline constexpr float kMinTurnCosine = 0.7071F;

// A pair as the scoring loop wants it.
struct PoseCandidate {
  PointPair points;
  Point object_direction;  // unit vectors
  Point scene_direction;
  double area_ratio = 1;  // square of the scale
};

PoseCandidate candidate_of(const PlacePair& pair);

// The similarity that takes the object's feature onto the scene's.
Homography similarity_of(const PoseCandidate& pair);

// The cost of similarities, of which there are many: the same as PoseFinder's, in units of 1/256,
// laid out so that a compiler can use vectors, and summed as integers so that it may.
class SimilarityScores {
 public:
  void add(const PoseCandidate& pair);
  std::uint32_t cost(const Homography& similarity, double tolerance_px) const;

 private:
  static constexpr float kCostUnit = 256;

  std::vector<float> object_x_, object_y_, scene_x_, scene_y_;
  std::vector<float> turn_cosine_, turn_sine_;  // from the object's feature to the scene's
  std::vector<float> area_ratio_;
};

}  // namespace lookalike
