#pragma once

#include <optional>
#include <span>

#include "base/homography.h"
#include "base/image.h"
#include "base/quad.h"
#include "kernels/correlation/correlation.h"
#include "kernels/session/session.h"
#include "kernels/warp/warp.h"
#include "stages/match/refine/pyramid.h"
#include "stages/match/verify/pose_fit.h"

namespace lookalike {

// A pose, and how well the pixels agree there.
struct SharpenedPose {
  Homography object_to_scene;
  std::optional<double> correlation;  // [-1, 1]; absent where either side is flat
  std::optional<double> detail{};     // see detail.h
  // Where on the object all is that agrees, px of its view, if that is but a part; see
  // shared_part.h.
  std::optional<Quad> part{};
  bool identical = false;  // both, as they were compared, have equal pixels
};

// Corrects a pose by the pixels. The scene is brought into the object's frame; blocks of the object
// are looked for nearby by normalised cross-correlation; the map is fitted again to where they were
// found and to the feature pairs: at half the resolution first, unless many features gave the pose,
// then once more, nearer. A map under which the whole correlates worse than before is not taken,
// and a pose of few feature pairs under which it hardly correlates is left as it is. The frame is
// never finer than the object or its place in the scene, so that nothing is enlarged. All
// coordinates are px of the two views. What is transparent on either side is not compared.
class PoseSharpener {
 public:
  explicit PoseSharpener(OpenClSession& session) : warp_(session), correlation_(session) {}

  // Of the frame; larger costs time and gains nothing.
  static constexpr double kLongestSidePx = 320;

  //   alpha  of the object, of its size, or empty: all of it is opaque
  SharpenedPose sharpen(const ImageView& object, const Pyramid& scene,
                        const Homography& object_to_scene, std::span<const PointPair> features,
                        const ImageView& alpha = {});
  SharpenedPose sharpen(const ImageView& object, const ImageView& scene,
                        const Homography& object_to_scene, std::span<const PointPair> features,
                        const ImageView& alpha = {}) {
    return sharpen(object, Pyramid(scene), object_to_scene, features, alpha);
  }

  // The pose under which each fills the other, and how well they agree when both are reduced alike.
  // Neither is warped, so that copies agree better than at any pose. Views of equal pixels agree
  // fully, flat ones too.
  SharpenedPose whole(const ImageView& object, const ImageView& scene);

 private:
  struct Frame;
  struct View;
  View view(const Frame& frame, const Pyramid& scene, const Homography& object_to_scene,
            int margin_px);
  View corrected(const Frame& frame, const Pyramid& scene, View seen,
                 std::span<const PointPair> features);
  static SharpenedPose pose_of(const Frame& frame, const View& seen,
                               std::span<const PointPair> features);
  std::vector<PointPair> find_blocks(const Frame& frame, const View& seen);

  Warp warp_;
  Correlation correlation_;
};

}  // namespace lookalike
