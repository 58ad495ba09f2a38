#pragma once

#include <optional>

#include "base/geometry.h"
#include "base/image.h"
#include "kernels/correlation/correlation.h"
#include "kernels/session/session.h"
#include "kernels/warp/warp.h"
#include "stages/match/refine/refiner.h"

namespace lookalike {

// Finds an object near a place by correlation, unturned and at its own size. Coordinates are px of
// the views.
class PlainSearch {
 public:
  explicit PlainSearch(OpenClSession& session) : warp_(session), correlation_(session) {}

  // Returns the correlation of the object with the scene warped into its frame, at the object's
  // full detail; nothing if it is undefined.
  std::optional<double> correlation_at(const ImageView& object, const ImageView& scene,
                                       const Homography& object_to_scene);

  // Returns the best place of the object with its top-left pixel within `radius_px` of `top_left`;
  // nothing if none is inside the scene, or if the object is flat. A whole pixel unless a sub-pixel
  // place correlates better, so an exact crop is found exactly.
  std::optional<RefinedPose> find_near(const ImageView& object, const ImageView& scene,
                                       Point top_left, int radius_px);

 private:
  Warp warp_;
  Correlation correlation_;
};

}  // namespace lookalike
