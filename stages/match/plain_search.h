#pragma once

#include <optional>

#include "kernels/correlation/correlation.h"
#include "kernels/session/session.h"
#include "kernels/warp/warp.h"
#include "pipeline/homography.h"
#include "pipeline/image.h"
#include "stages/match/sharpen.h"

namespace lookalike {

// Finds an object by correlation alone, unturned and at its own size. All coordinates are px.
class PlainSearch {
 public:
  explicit PlainSearch(OpenClSession& session) : warp_(session), correlation_(session) {}

  // Correlation of the object with what the scene shows of it under a map, at the object's full
  // detail; nothing where it is undefined.
  std::optional<double> correlation_at(const ImageView& object, const ImageView& scene,
                                       const Homography& object_to_scene);

  // The best place in the whole scene of the object at `scale` times its size; nothing when it does
  // not fit in or is flat. A large problem is solved on reduced images first. At scale 1 the place
  // is a whole pixel unless the sub-pixel place correlates better, so an exact crop is found
  // exactly.
  std::optional<SharpenedPose> find(const ImageView& object, const ImageView& scene, double scale);

  // The best place within `radius_px` of the object's top-left pixel at a given place; nothing
  // when no such place is inside the scene or the object is flat.
  std::optional<SharpenedPose> find_near(const ImageView& object, const ImageView& scene,
                                         Point top_left, int radius_px);

 private:
  GrayImage resize(const ImageView& image, double scale);
  std::optional<SharpenedPose> find_unscaled(const ImageView& object, const ImageView& scene);

  Warp warp_;
  Correlation correlation_;
};

}  // namespace lookalike
