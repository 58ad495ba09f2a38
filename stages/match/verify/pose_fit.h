#pragma once

#include <optional>
#include <span>

#include "base/geometry.h"

namespace lookalike {

// The value is the number of parameters.
enum class PoseModel { kSimilarity = 4, kAffine = 6, kPerspective = 8 };

// Fits the model's map from the object's points to the scene's: robust least squares of the
// distance in the scene, by iteratively reweighted Gauss-Newton steps from `start`, which must be
// of the model or a simpler one. A pair at the distance `scale_px` counts for a quarter; an
// infinite one gives plain least squares. The last element of the map is 1. Returns nothing if the
// pairs do not determine the model: too few, on one line, or all in one place.
// Method: Hartley and Zisserman, "Multiple View Geometry", 2nd edition, sections 4.4 and A6;
// weights of Geman and McClure.
std::optional<Homography> fit_pose(PoseModel model, std::span<const PointPair> pairs,
                                   const Homography& start, double scale_px);

}  // namespace lookalike
