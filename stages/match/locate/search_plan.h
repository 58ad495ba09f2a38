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
  std::vector<TurnScale> poses(std::span<const PoseIndex> indices, int level) const;
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

// The parameters of a search that follow from the object and the options alone.
class SearchPlan {
 public:
  // Allowance for the surroundings of an object in a scene, which mix into a level's pixels.
  static constexpr double kMarginSlack = 0.1;

  // Both must outlive the plan.
  SearchPlan(const SearchObject& object, const LocateOptions& options);

  const SearchObject& object() const { return object_; }
  const LocateOptions& options() const { return options_; }
  const PoseGrid& grid() const { return grid_; }
  int coarsest() const { return coarsest_; }          // level that is searched exhaustively
  int finest_tried() const { return finest_tried_; }  // last level of templates, then the fit
  int reach_px() const { return reach_px_; }          // of templates, at full size
  FitFreedom freedom() const;

  // Candidates of a level, finest_tried() to coarsest(), that score less are dropped:
  // options.min_correlation less options.margin, or where that is 0, less what an object like this
  // loses between two poses of the grid and kMarginSlack.
  float threshold(int level) const {
    return thresholds_[static_cast<std::size_t>(level - finest_tried_)];
  }

  // The information that a hit must carry so that chance would give one in a hundred searches of
  // such a scene: the log of the places and poses that are tried, times 100.
  double wanted_nats(const ImageView& scene) const;

  // Whether a fitted pose lies in the ranges, give or take a pixel at the rim.
  bool in_ranges(const TurnScale& pose) const;
  bool right_polarity(double correlation) const;
  bool either_polarity() const { return options_.polarity == "either"; }

  // The object to search for: its negative where polarity is reversed.
  PoseObject shown(int level) const;
  // As shown on the coarsest level, but of at most about kMostFirstTaps points, spread evenly:
  // samples of a template suffice to choose candidates.
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
