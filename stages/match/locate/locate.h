#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"
#include "kernels/pose_search/pose_search.h"
#include "kernels/session/session.h"
#include "stages/match/match.h"

namespace lookalike {

// An object found in a scene.
struct Hit {
  Point centre;              // full-size px of the scene, in the corners' convention
  double angle_degrees = 0;  // turn of the object, clockwise as seen, [0, 360)
  double scale = 1;          // scene px per object px: the square root of the area ratio
  double correlation = 0;    // [-1, 1], below 0 where light and dark are exchanged
  std::optional<double> position_error_px{};  // standard error of the centre by pixels
  std::uint32_t inliers = 0;                  // 0 when correlation alone found it
  Homography object_to_scene{};               // between full-size pixel centres
  Quad quad{};
  std::optional<double> colour{};  // agreement of the colours, see colour_agreement()
};

enum class LocateMethod { kFeatures, kCorrelation };
std::string_view to_string(LocateMethod method);

struct Located {
  std::vector<Hit> hits{};  // by one method
  LocateMethod method =
      LocateMethod::kFeatures;  // the method that produced the hits, or tried last
  std::string reason{};         // why there are no hits; empty if there are some
  PoseMap map{};                // if wanted: the best correlation of all poses
  double map_step_px = 1;       // between its pixels, full-size px of the scene
};

// Finds every place where the scene shows the object, best first: most inliers, then the highest
// correlation. By features, pixels refine the pose, and the correlation is taken at the object's
// full detail. By correlation, ExhaustiveSearch tries the turns and scales of `how`. how.method
// names one, or "auto": correlation where features find nothing. An exact crop is found at the
// exact pixel. Transparent pixels of the object do not count. A hit by features needs pixels that
// correlate. A place in other colours is no hit, unless how.gray; a grey object counts as found in
// any colours if it is found in no grey. A place that shows a drawn object in another state is no
// hit, unless how.changed. Where the usual ranges find nothing, correlation also tries the scales
// of other screens, unturned. with_map makes correlation search the scene in any case.
// Deterministic. Throws Error(kInternal) when the descriptors are of different sizes,
// Error(kDevice) when a launch fails.
Located locate(OpenClSession& session, const Query& object, const Query& scene,
               const VerifyOptions& options, const LocateOptions& how = {}, bool with_map = false);

}  // namespace lookalike
