#pragma once

#include <vector>

#include "config/options.h"
#include "kernels/pose_search/pose_search.h"

namespace lookalike {

// Place of a pose in the grid of a level.
struct PoseIndex {
  int turn = 0;
  int scale = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): what an ordering is compared with is no pointer
  auto operator<=>(const PoseIndex&) const = default;
};

// The turns and scales that are tried. At the coarsest level of the pyramid the steps are
// options.turn_step_degrees and options.scale_step, or where these are 0, one pixel of that level
// at the object's rim; at each finer level half as much, so that every pose is also one of the
// finer grid, at twice its index. Grids hold turn 0 and scale 1 where the ranges do, and reach up
// to a step past the ends of the ranges.
class PoseGrid {
 public:
  // rim_px: the furthest that the object reaches from its centre, px of level 0.
  PoseGrid(const LocateOptions& options, double rim_px, int coarsest);

  // The largest scale of the grid.
  double max_scale() const;

  // All poses of the coarsest level, neighbours in turn side by side.
  std::vector<PoseIndex> coarsest_poses() const;

  TurnScale pose(PoseIndex index, int level) const;
  // Between neighbours in turn, radians, and in log scale; 0 where there is one value only.
  double turn_step(int level) const { return turns_.step_at(coarsest_ - level); }
  double log_scale_step(int level) const { return scales_.step_at(coarsest_ - level); }

  // The pose itself and those up to `turns` and `scales` steps beside it that the grid holds.
  std::vector<PoseIndex> around(PoseIndex index, int level, int turns, int scales) const;

  // Steps of turn between two poses of a level, the short way round.
  int turns_apart(PoseIndex a, PoseIndex b, int level) const;

 private:
  // Values base + i * step for i from first to last; steps halve with each level.
  struct Axis {
    double base = 0;
    double step = 0;
    int first = 0;
    int last = 0;
    bool circle = false;

    double step_at(int halvings) const { return step / (1 << halvings); }
  };
  static Axis axis(double low, double high, double step);

  int coarsest_;
  Axis turns_;
  Axis scales_;
};

}  // namespace lookalike
