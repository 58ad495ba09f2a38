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

// An image at half the size: the mean of each two by two pixels. An odd last row or column is left
// out.
GrayImage halved(const ImageView& image);
// Pixel centres of a halved image to those of the image.
inline constexpr Homography kHalvedToFull{{2, 0, 0.5, 0, 2, 0.5, 0, 0, 1}};

// The map from pixel centres of the full-size image to those of its reduced pixels.
Homography reduction(const DecodedImage& image);

// An image and its halves, so that a warp that shrinks it need not read every pixel.
class Pyramid {
 public:
  struct Level {
    ImageView image;
    Homography to_full;  // px of this level to px of the image
  };

  // The image must outlive the pyramid. Halved while the shorter side stays at least kLeastSidePx.
  explicit Pyramid(const DecodedImage& image);

  const DecodedImage& image() const { return image_; }

  // The level for a view each of whose pixels covers `shrink` pixels of the image: of the level it
  // covers between half a pixel and one, so one sample suffices.
  const Level& level_for(double shrink) const;

 private:
  static constexpr int kLeastSidePx = 32;

  const DecodedImage& image_;
  std::vector<GrayImage> halves_;
  std::vector<Level> levels_;  // level i is 2^i times smaller
};

// A pose, and how well the pixels agree there.
struct RefinedPose {
  Homography object_to_scene;
  std::optional<double> correlation;  // [-1, 1]; absent where either side is flat
  std::optional<double> detail{};     // see agreement.h
  // Of a cell, in grey levels; see CellComparison.
  std::optional<double> largest_difference{};
  // The region of the scene in which all agreement lies, if that is but a part of the object; see
  // agreement.h.
  std::optional<Quad> part{};
  bool identical = false;  // both, as they were compared, have equal pixels
};

// Corrects a pose by the pixels. The scene is warped into the object's frame; blocks of the object
// are searched for nearby by normalised cross-correlation; the map is fitted again to the places
// where they were found and to the feature pairs: at half the resolution first, unless many
// features gave the pose, then once more, nearer. A map under which the whole correlates worse than
// before is rejected, and a pose of few feature pairs under which it hardly correlates is left
// unchanged. The frame is never finer than the object or its place in the scene, so that nothing is
// enlarged. All coordinates are full-size px. Transparent pixels of either side are not compared.
class PoseRefiner {
 public:
  explicit PoseRefiner(OpenClSession& session) : warp_(session), correlation_(session) {}

  // Of the frame; larger costs time and gains nothing.
  static constexpr double kLongestSidePx = 320;

  //   features  the pairs that gave the pose, if any
  RefinedPose refine(const DecodedImage& object, const Pyramid& scene,
                     const Homography& object_to_scene, std::span<const PointPair> features);

  // The pose under which each fills the other, and how well they agree when both are reduced alike.
  // Neither is warped, so that copies agree better than at any pose. Views of equal pixels agree
  // fully, flat ones too.
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
