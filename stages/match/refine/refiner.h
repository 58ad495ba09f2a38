#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/artefacts.h"
#include "base/geometry.h"
#include "base/image.h"
#include "kernels/correlation/correlation.h"
#include "kernels/session/session.h"
#include "kernels/warp/warp.h"

namespace lookalike {

// Returns the image at half the size: the mean of each two by two pixels. Leaves out an odd last
// row or column.
GrayImage halved(const ImageView& image);
// Maps pixel centres of a halved image to those of the image.
inline constexpr Homography kHalvedToFull{{2, 0, 0.5, 0, 2, 0.5, 0, 0, 1}};

// Returns the map from pixel centres of the full-size image to those of its reduced pixels.
Homography reduction(const DecodedImage& image);

// An image and its successive halves, so that a warp that shrinks it does not read every pixel.
class Pyramid {
 public:
  struct Level {
    ImageView image;
    Homography to_full;  // px of this level to px of the image
  };

  // Halves while the shorter side stays at least kLeastSidePx. The image must outlive the pyramid.
  explicit Pyramid(const DecodedImage& image);

  const DecodedImage& image() const { return image_; }

  // Returns the level for a view whose pixels each cover `shrink` pixels of the image. They cover
  // between half a pixel and one of that level, so one sample suffices.
  const Level& level_for(double shrink) const;

 private:
  static constexpr int kLeastSidePx = 32;

  const DecodedImage& image_;
  std::vector<GrayImage> halves_;
  std::vector<Level> levels_;  // level i is 2^i times smaller
};

// A pose and the agreement of the pixels under it.
struct RefinedPose {
  Homography object_to_scene;
  std::optional<double> correlation;  // [-1, 1]; absent where either side is flat
  std::optional<double> detail{};     // see agreement.h
  double exact = 0;                   // share of cells that correlate by 0.9 or more, [0, 1]
  // The region of the scene that contains all agreement; set only if it covers part of the object.
  // See shared_part().
  std::optional<Quad> part{};
  bool identical = false;  // both have equal pixels, as compared
};

// Refines a pose by pixels. Warps the scene into the object's frame, searches for blocks of the
// object nearby by normalised cross-correlation, and fits the map again to the places found and to
// the feature pairs: at half the resolution first, unless many features gave the pose, then at
// full. Rejects a map under which the whole correlates worse, and leaves a pose of few feature
// pairs unchanged if it hardly correlates. The frame is never finer than the object or its place in
// the scene, so nothing is enlarged. All coordinates are full-size px. Transparent pixels of either
// side are not compared.
class PoseRefiner {
 public:
  explicit PoseRefiner(OpenClSession& session) : warp_(session), correlation_(session) {}

  // Longest side of the frame. A larger one costs time and gains nothing.
  static constexpr double kLongestSidePx = 320;

  //   features  the pairs that gave the pose, if any
  RefinedPose refine(const DecodedImage& object, const Pyramid& scene,
                     const Homography& object_to_scene, std::span<const PointPair> features);

  // Returns the pose under which each picture fills the other, and the agreement of both reduced
  // alike. Nothing is warped, so copies agree better than at any pose. Equal pixels agree fully,
  // flat ones too.
  RefinedPose whole(const DecodedImage& object, const DecodedImage& scene);

 private:
  struct Frame;
  struct View;
  RefinedPose refine_reduced(const DecodedImage& object, const Pyramid& scene, Homography from,
                             std::span<const PointPair> features);
  View view(const Frame& frame, const Pyramid& scene, const Homography& object_to_scene,
            int margin_px);
  View corrected(const Frame& frame, const Pyramid& scene, View seen,
                 std::span<const PointPair> features);
  static RefinedPose pose_of(const Frame& frame, const View& seen,
                             std::span<const PointPair> features);
  std::vector<PointPair> find_blocks(const Frame& frame, const View& seen);

  Warp warp_;
  Correlation correlation_;
};

}  // namespace lookalike
