#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/options.h"
#include "kernels/session/session.h"
#include "stages/match/match.h"

namespace lookalike {

// An object found in a scene.
struct Hit {
  Point centre;               // full-size px of the scene, in the corners' convention
  double angle_degrees = 0;   // turn of the object, clockwise as seen, [0, 360)
  double scale = 1;           // scene px per object px: the square root of the area ratio
  double correlation = 0;     // [-1, 1]
  std::uint32_t inliers = 0;  // 0 when correlation alone found it
  Quad quad{};
};

// Every place where the scene shows the object, best first: most inliers, then the highest
// correlation; empty when it does not. Features give the pose, the pixels sharpen it, and the
// correlation is taken at the object's full detail. An exact crop is found at the exact pixel.
// Where features agree on no place, the object is searched for by correlation, unturned and at its
// own size, and reported once, from options.min_correlation on. Deterministic. Throws
// Error(kInternal) when the descriptors are of different sizes, Error(kDevice) when a launch fails.
std::vector<Hit> locate(OpenClSession& session, const Query& object, const Query& scene,
                        const MatchOptions& options);

}  // namespace lookalike
