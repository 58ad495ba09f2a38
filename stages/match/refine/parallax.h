#pragma once

#include "base/geometry.h"
#include "stages/match/refine/difference.h"
#include "stages/match/refine/frame.h"

namespace lookalike {

// Looks for signs of two shots, in frames of at most 640 px. Both are 0 if too few squares are
// found.
//   map  from px of the object to px of the scene, both as loaded; may be off by some pixels
ShotSigns look_for_shots(const Side& object, const Side& scene, const Homography& map);

}  // namespace lookalike
