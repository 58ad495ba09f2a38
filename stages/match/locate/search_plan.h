#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "config/options.h"
#include "kernels/pose_search/pose_search.h"
#include "stages/match/locate/search_object.h"
#include "stages/match/locate/similarity_fit.h"

namespace lookalike {

// Place of a pose in the grid of a level.
struct PoseIndex {
  int turn = 0;
  int scale = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): an ordering is compared with 0, no pointer
  auto operator<=>(const PoseIndex&) const = default;
};

// The turns and scales to try. On the coarsest level of the pyramid the steps are
// options.turn_step_degrees and options.scale_step or, where these are 0, one pixel of that level
// at the object's rim. They halve at each finer level, so that every pose is also one of the finer
// grid, at twice its index. Grids hold turn 0 and scale 1 if the ranges do, and reach up to a step
// past the ends of the ranges.
class PoseGrid {
 public:
  // rim_px: see SearchObject.
  PoseGrid(const LocateOptions& options, double rim_px, int coarsest);

  double max_scale() const;

  // Returns all poses of the coarsest level, neighbours in turn side by side.
  std::vector<PoseIndex> coarsest_poses() const;

  TurnScale pose(PoseIndex index, int level) const;
  std::vector<TurnScale> poses(std::span<const PoseIndex> indices, int level) const;
  // Steps between neighbours, in radians and in log scale; 0 if there is only one value.
  double turn_step(int level) const { return turns_.step_at(coarsest_ - level); }
  double log_scale_step(int level) const { return scales_.step_at(coarsest_ - level); }

  // Returns the poses of the grid that are up to `turns` and `scales` steps away, the pose itself
  // included.
  std::vector<PoseIndex> around(PoseIndex index, int level, int turns, int scales) const;

  // Returns the steps of turn between two poses of a level, the short way round.
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

// Parameters of a search that follow from the object and the options.
class SearchPlan {
 public:
  // Allowance for the surroundings of an object in a scene, which mix into a level's pixels.
  static constexpr double kMarginSlack = 0.1;

  // Both must outlive the plan.
  SearchPlan(const SearchObject& object, const LocateOptions& options);

  const SearchObject& object() const { return object_; }
  const LocateOptions& options() const { return options_; }
  const PoseGrid& grid() const { return grid_; }
  int coarsest() const { return coarsest_; }          // level searched exhaustively
  int finest_tried() const { return finest_tried_; }  // last level of templates, then the fit
  int reach_px() const { return reach_px_; }          // radius of templates, at full size
  FitFreedom freedom() const;

  // Minimum score of candidates on a level, finest_tried() to coarsest(): options.min_correlation
  // less options.margin or, if that is 0, less what the object loses between two poses of the grid
  // and kMarginSlack.
  float threshold(int level) const {
    return thresholds_[static_cast<std::size_t>(level - finest_tried_)];
  }

  // Minimum information of a hit, so that chance gives one in a hundred searches of such a scene:
  // the log of the number of places and poses tried, times 100.
  double wanted_nats(const ImageView& scene) const;

  // True if a fitted pose lies in the ranges, give or take a pixel at the rim.
  bool in_ranges(const TurnScale& pose) const;
  bool right_polarity(double correlation) const;
  bool either_polarity() const { return options_.polarity == "either"; }

  // Returns the object to search for: its negative if polarity is reversed.
  PoseObject shown(int level) const;
  // Returns the object shown on the coarsest level with at most about kMaxFirstTaps points, spread
  // evenly: samples suffice to choose candidates.
  PoseObject sampled() const;

 private:
  float threshold_at(int level) const;

  const SearchObject& object_;
  const LocateOptions& options_;
  int coarsest_;
  int finest_tried_;
  PoseGrid grid_;
  int reach_px_;
  std::vector<float> thresholds_;  // from finest_tried_ on
};

}  // namespace lookalike
