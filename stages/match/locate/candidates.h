#pragma once

#include <cstddef>
#include <vector>

#include "base/homography.h"
#include "stages/match/locate/pose_grid.h"
#include "stages/match/locate/similarity_fit.h"
#include "stages/match/match.h"

namespace lookalike {

// A pose of the grid at a whole position of a level.
struct Candidate {
  PoseIndex pose;
  int x = 0;
  int y = 0;
  float score = 0;
};

// Of candidates within two steps of each other in every direction the best stays, at most `most` in
// all. Expects them best first.
void thin(std::vector<Candidate>& candidates, const PoseGrid& grid, int level, std::size_t most);

// The map between pixel centres that a pose stands for.
Homography similarity(const CentrePose& pose, const Point& object_centre);

// Highest correlation first, in size; equals keep their order.
void sort_by_correlation(std::vector<FittedPose>& fits);

// Of fits whose quads overlap by more than max_overlap, intersection over union, the first stays,
// at most `most` in all.
void suppress(std::vector<FittedPose>& fits, const PoseObject& object, double max_overlap,
              std::size_t most);

}  // namespace lookalike
