#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/features.h"
#include "base/geometry.h"
#include "config/options.h"

namespace lookalike {

// A feature of the object and one of the scene that look alike.
struct PlacePair {
  FeaturePlace object;
  FeaturePlace scene;
};

// A picture's size, px.
struct PictureSize {
  int width = 0;
  int height = 0;

  double pixels() const { return double{1} * width * height; }
  bool operator==(const PictureSize&) const = default;
};

// How an object lies in a scene.
struct Pose {
  Homography object_to_scene;
  std::vector<std::uint32_t> inliers;    // numbers of pairs, ascending
  std::vector<PointPair> inlier_points;  // their places
  std::uint32_t effective_inliers = 0;   // cells with inliers, in a 32 x 32 grid on the object
  // How closely the turns and sizes of the inliers' features follow the map: the mean
  // log-likelihood ratio of true pairs (Laplacian errors) to chance pairs (errors uniform within an
  // inlier's limits). At most 3.6; about -1.6 by chance.
  double coherence = 0;
  double squeeze = 1;  // longest over shortest axis of a circle's image in the object's middle
};

// Minimum Pose::effective_inliers: fewer do not determine the whole object.
inline constexpr std::uint32_t kMinCells = 4;

// How far a search for a pose came.
struct PoseAttempt {
  std::uint32_t inliers = 0;      // under the best plausible map
  std::uint32_t cells = 0;        // that they occupy
  std::uint32_t implausible = 0;  // most inliers of an implausible map
};

// Finds the pose that most pairs agree with, never a mirrored one. Returns nothing if fewer than
// options.min_inliers agree, if they lie in fewer than kMinCells cells, or if no pose is plausible.
// Pairs come best first, each feature in one pair at most. An inlier lies within
// options.inlier_distance of the scene's diagonal, less for an object that is small in the scene,
// and agrees with the map's local scale within a factor of two and its local turn within 45
// degrees.
//
// Each pair gives a similarity (Lowe, "Distinctive image features from scale-invariant keypoints",
// IJCV 2004); above 256 pairs, options.seed draws the ones to try. The best similarities are
// locally optimised (Chum, Matas, Kittler, "Locally optimized RANSAC", DAGM 2003) to an affine map,
// and the best of these to a homography if at least eight inliers agree clearly better with it.
// `attempt`, unless null, receives how far the search came.
std::optional<Pose> find_pose(std::span<const PlacePair> pairs, PictureSize object,
                              PictureSize scene, const VerifyOptions& options,
                              PoseAttempt* attempt = nullptr);

// True if a camera could see a flat width x height object under this map: all of it in front, not
// mirrored, neither too small or large nor squeezed or tilted beyond recognition.
bool is_plausible(const Homography& object_to_scene, int width, int height);

}  // namespace lookalike
