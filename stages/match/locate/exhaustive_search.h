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

// A part of a scene that is searched at a time: the rectangle that is read, and its core, whose
// hits count. Cores cover the scene without overlap.
struct Tile {
  int left = 0;  // of the rectangle, px of the scene
  int top = 0;
  int width = 0;
  int height = 0;
  int core_left = 0;  // px of the scene
  int core_top = 0;
  int core_right = 0;  // one past
  int core_bottom = 0;

  bool owns(double x, double y) const {
    return x >= core_left - 0.5 && y >= core_top - 0.5 && x < core_right - 0.5 &&
           y < core_bottom - 0.5;
  }
};

// Cuts a scene into tiles whose cores have sides of `core_px`, each read `overlap_px` further on
// every side. Both are rounded up to multiples of `align_px`, so that every tile's pyramid meets
// the same pixels. One tile where the scene is no larger than a core.
std::vector<Tile> cut_into_tiles(int width, int height, int core_px, int overlap_px, int align_px);

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
  PoseMap map;                             // of the coarsest level, when asked for
  int map_level = 0;                       // whose pixels are 2^map_level px apart
};

// A pose of the grid at a whole position of a level.
struct Candidate {
  PoseIndex pose;
  int x = 0;
  int y = 0;
  float score = 0;
};

struct SearchLimits {
  std::size_t device_bytes = std::size_t{512} << 20;  // for a scene's pyramid at a time
};

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
                   SearchResult& result, bool with_map);
  std::vector<Candidate> first_candidates(const SearchPlan& plan, SearchResult& result,
                                          PoseMap* map);
  void refine(const SearchPlan& plan, int level, std::vector<Candidate>& candidates);
  std::vector<FittedPose> fit(const SearchPlan& plan, int level, std::vector<CentrePose> poses);
  void prefer_whole_pixels(const SearchPlan& plan, std::vector<FittedPose>& fits);

  ScenePyramid pyramid_;
  PoseSearch poses_;
  SearchLimits limits_;
};

}  // namespace lookalike
