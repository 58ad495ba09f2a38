#pragma once

#include <cstddef>
#include <vector>

#include "base/image.h"
#include "kernels/pose_search/pose_search.h"

namespace lookalike {

// A level of a pyramid on the host: pixels [height][width], grey less 128.
struct PlainLevel {
  std::vector<float> pixels;
  int width = 0;
  int height = 0;

  // Outside, the outermost pixels go on.
  float at(int x, int y) const;
};

// What ScenePyramid::load must give, computed without OpenCL.
std::vector<PlainLevel> scene_pyramid_reference(const ImageView& image, int levels);

// Scores of one pose at every position of a level, [height][width], as PoseSearch::search takes
// the best of.
std::vector<float> pose_scores_reference(const PlainLevel& level, const PoseObject& object,
                                         const TurnScale& pose, bool either);

// What PoseSearch::fit_sums must give for one pose.
PoseFitSums fit_sums_reference(const PlainLevel& level, const PoseObject& object,
                               const CentrePose& pose);

}  // namespace lookalike
