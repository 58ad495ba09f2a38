#pragma once

#include <string>
#include <vector>

#include "base/image.h"
#include "config/options.h"
#include "kernels/pose_search/pose_search.h"
#include "stages/match/locate/pose_grid.h"

namespace lookalike {

// An object made ready for the search: its pyramid, and how coarse the search may begin.
class SearchObject {
 public:
  // mask: of the object's size, only pixels where it is not 0 count, less a pixel at its rim; or
  // empty. Nor do pixels at the rim of an object of 24 px and more. Levels halve as the scene's do,
  // from the pixels that count alone; a pixel of a coarser level counts where at least kMinWeight
  // of its weight does.
  SearchObject(const ImageView& object, const ImageView& mask);

  // Why the object cannot be looked for; empty when it can.
  const std::string& problem() const { return problem_; }

  const PoseObject& level(int index) const { return levels_[static_cast<std::size_t>(index)]; }

  // The coarsest level on which the object, at the smallest scale in the range, still has enough
  // pixels and contrast to be told from others. Searching starts there.
  int coarsest(double min_scale) const;
  // The finest level whose templates are tried; below it the fit goes on. At most `coarsest`.
  int finest_tried(int coarsest) const;

  // The furthest that the object reaches from its centre, px of level 0.
  double rim_px() const { return rim_px_; }

 private:
  void add_level(const std::vector<float>& shares, PoseObject level);

  std::vector<PoseObject> levels_;
  std::vector<double> contrast_;  // standard deviation of each level's pixels that count
  std::string problem_;
  double rim_px_ = 0;
};

// By how much the score of an object falls at most between the poses of a level's grid: the
// object's correlation with itself, moved by half a pixel along both axes and turned and scaled by
// half a step, in the worst of the 16 directions, less from 1.
double grid_loss(const PoseObject& object, const PoseGrid& grid, int level);

}  // namespace lookalike
