#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "config/options.h"
#include "kernels/pose_search/pose_search.h"
#include "stages/match/locate/search_object.h"
#include "stages/match/locate/search_plan.h"
#include "stages/match/locate/similarity_fit.h"

namespace lookalike {

// The map between pixel centres that a pose of an object at full size stands for.
Homography similarity(const CentrePose& pose, const Point& object_centre);

// An instance that the search found.
struct PoseHit {
  Homography object_to_scene;  // a similarity, between pixel centres
  FittedPose fit;              // at full size
};

struct SearchResult {
  std::vector<PoseHit> hits;  // highest correlation first, in size
  std::string reason;         // why there are none; empty when there are some
  bool has_flat = false;      // the scene has windows without contrast where the object fits in
  bool has_contrast = false;  // it has others
  std::optional<double> best_correlation;  // the highest that was fitted, hit or not
  std::optional<double> best_by_chance;    // the highest of those that carry too little information
  PoseMap map;                             // of the coarsest level, if wanted
  int map_level = 0;                       // whose pixels are 2^map_level px apart
};

struct SearchLimits {
  std::size_t device_bytes = std::size_t{512} << 20;  // for a scene's pyramid at a time
};

struct Tile;
struct CandidatePlace;

// Finds an object in a scene by correlation alone, at every turn and scale of the options' ranges.
// The coarsest useful level of a Gaussian pyramid is searched exhaustively; candidates that reach
// the level's SearchPlan::threshold are carried down, and finally the pose is fitted by least
// squares over place, turn and scale, so that gain and offset of the light make no difference. A
// hit reaches options.min_correlation and SearchPlan::wanted_nats, by information(). Of hits that
// overlap by more than options.max_overlap the best is kept. Scenes past the limits are cut into
// tiles, which gives the same hits. Deterministic.
class ExhaustiveSearch {
 public:
  explicit ExhaustiveSearch(OpenClSession& session, const SearchLimits& limits = {})
      : pyramid_(session), poses_(session), limits_(limits) {}

  SearchResult find(const SearchObject& object, const ImageView& scene,
                    const LocateOptions& options, bool with_map = false);

  // The best similarity near a pose, at full size; nothing where the scene is flat there.
  std::optional<PoseHit> fit_near(const SearchObject& object, const ImageView& scene,
                                  const Homography& object_to_scene);

 private:
  void search_tile(const SearchPlan& plan, const ImageView& scene, const Tile& tile,
                   SearchResult& result, std::vector<FittedPose>& hits, bool with_map);
  std::vector<CandidatePlace> first_candidates(const SearchPlan& plan, SearchResult& result,
                                               PoseMap* map);
  void refine(const SearchPlan& plan, int level, std::vector<CandidatePlace>& candidates);
  std::vector<FittedPose> fit(const SearchPlan& plan, int level, std::vector<CentrePose> poses);
  void prefer_whole_pixels(const SearchPlan& plan, std::vector<FittedPose>& fits);

  ScenePyramid pyramid_;
  PoseSearch poses_;
  SearchLimits limits_;
};

}  // namespace lookalike
