#pragma once

#include <cstddef>

namespace lookalike {

// What SURF computes. The ranges are those that surf_plan.h checks.
struct SurfParameters {
  float hessian_threshold = 100;     // least determinant of a keypoint; >= 0
  int octaves = 4;                   // 1 to 6: each doubles filters and sampling step
  int layers = 3;                    // 1 to 8: scales per octave at which keypoints are found
  std::size_t descriptor_size = 64;  // 64, or 128: sums split by the sign of the other gradient
  bool upright = false;              // no orientation: faster, for photos that are never turned
  std::size_t max_features = 0;      // the strongest of each image; 0: all
};

}  // namespace lookalike
