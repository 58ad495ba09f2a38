#pragma once

#include <span>
#include <vector>

#include "kernels/pose_search/pose_search.h"

namespace lookalike {

// A fitted pose and its quality.
struct FittedPose {
  CentrePose pose;
  double correlation = 0;        // [-1, 1], over the object's pixels that lie in the scene
  double inside = 0;             // share of the object's pixels in the scene
  double position_error_px = 0;  // standard error of the centre, by the residuals
};

// Parameters that the fit may change besides the place.
struct FitFreedom {
  bool turn = true;
  bool scale = true;
};

// Fits each pose by least squares of the difference between the scene and the object times a gain
// plus an offset: Gauss-Newton steps, halved while the correlation falls. Poses without contrast in
// the scene keep their place and correlation 0. Poses below the correlation `floor` after a few
// steps stay there.
// Method: Lucas and Kanade, "An iterative image registration technique", 1981, with gain and
// offset.
std::vector<FittedPose> fit_poses(PoseSearch& search, const PyramidLevel& level,
                                  const PoseObject& object, std::span<const CentrePose> poses,
                                  const FitFreedom& freedom, double floor = 0);

// Rates poses as they are.
std::vector<FittedPose> rate_poses(PoseSearch& search, const PyramidLevel& level,
                                   const PoseObject& object, std::span<const CentrePose> poses);

}  // namespace lookalike
