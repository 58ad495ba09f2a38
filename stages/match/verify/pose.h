#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/homography.h"

namespace lookalike {

// Where a feature lies, how large it is and how it is turned.
struct FeaturePlace {
  double x = 0;  // px
  double y = 0;
  double size = 0;           // px, positive
  double angle_degrees = 0;  // clockwise as seen, from the x axis
};

// A feature of the object and one of the scene that look alike.
struct PlacePair {
  FeaturePlace object;
  FeaturePlace scene;
};

struct PoseOptions {
  int object_width = 0;  // px
  int object_height = 0;
  double inlier_distance_px = 0;     // in the scene
  std::uint32_t min_inliers = 4;     // fewer are no pose
  std::size_t max_hypotheses = 256;  // pairs that are tried
  std::uint64_t seed = 1;            // chooses among the pairs when there are more
};

// How an object lies in a scene.
struct Pose {
  Homography object_to_scene;
  std::vector<std::uint32_t> inliers;   // indices of pairs, ascending
  std::uint32_t effective_inliers = 0;  // cells that inliers occupy of a 32 x 32 grid on the object
};

// The pose that most pairs agree with, never a mirrored one; nothing when fewer than min_inliers
// agree, when they lie in fewer than four cells, or when no camera would see the object so. Pairs
// come best first, each feature in one pair at most. An inlier lies within the distance, which
// shrinks for an object that is small in the scene, and agrees with the map's local scale within a
// factor of two and its local turn within 45 degrees.
//
// Each pair gives a similarity (Lowe, "Distinctive image features from scale-invariant keypoints",
// IJCV 2004); the best are locally optimised (Chum, Matas, Kittler, "Locally optimized RANSAC",
// DAGM 2003) to an affine map, and the best of these to a homography where at least eight inliers
// agree clearly better with it.
std::optional<Pose> find_pose(std::span<const PlacePair> pairs, const PoseOptions& options);

}  // namespace lookalike
