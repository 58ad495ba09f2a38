#pragma once

#include <cstddef>
#include <vector>

#include "config/options.h"
#include "kernels/pose_search/pose_search.h"
#include "stages/match/locate/pose_grid.h"
#include "stages/match/locate/search_object.h"
#include "stages/match/locate/similarity_fit.h"

namespace lookalike {

// What follows from an object and the options, whatever the scene.
class SearchPlan {
 public:
  // What surrounds an object in a scene may cost it, beside its place in the grid: a level's pixels
  // mix with their neighbours.
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

  // The object as it is looked for: its negative where polarity is reversed.
  PoseObject shown(int level) const;
  // As shown on the coarsest level, but of at most about kMostFirstTaps points, spread evenly:
  // what samples of a template tell is enough to choose candidates by.
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
