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

// Returns the map between pixel centres for a pose of an object at full size.
Homography similarity(const CentrePose& pose, const Point& object_centre);

// An instance that the search found.
struct PoseHit {
  Homography object_to_scene;  // a similarity, between pixel centres
  FittedPose fit;              // at full size
};

struct SearchResult {
  std::vector<PoseHit> hits;               // highest absolute correlation first
  std::string reason;                      // why there are none; empty when there are some
  bool has_flat = false;                   // the scene has flat windows where the object fits in
  bool has_contrast = false;               // the scene has windows with contrast
  std::optional<double> best_correlation;  // the highest that was fitted, hit or not
  std::optional<double> best_by_chance;    // the highest with too little information
  PoseMap map;                             // if wanted: scores on the coarsest level
  int map_level = 0;                       // the pixels of the map are 2^map_level px apart
};

struct SearchLimits {
  std::size_t device_bytes = std::size_t{512} << 20;  // for the pyramid of a tile
};

struct Tile;
struct CandidatePlace;

// Finds an object in a scene by correlation alone, at every turn and scale of the options' ranges.
// Searches the coarsest useful level of a Gaussian pyramid exhaustively, carries candidates that
// reach SearchPlan::threshold down the levels, and fits place, turn and scale by least squares, so
// that gain and offset of the light make no difference. A hit reaches options.min_correlation, and
// SearchPlan::wanted_nats by information(). Keeps the best of hits that overlap by more than
// options.max_overlap. Cuts scenes above the limits into tiles, with the same hits. Deterministic.
class ExhaustiveSearch {
 public:
  explicit ExhaustiveSearch(OpenClSession& session, const SearchLimits& limits = {})
      : pyramid_(session), poses_(session), limits_(limits) {}

  SearchResult find(const SearchObject& object, const ImageView& scene,
                    const LocateOptions& options, bool with_map = false);

  // Fits a similarity near a pose, at full size; returns nothing if the scene is flat there.
  std::optional<PoseHit> fit_near(const SearchObject& object, const ImageView& scene,
                                  const Homography& object_to_scene);

 private:
  struct Search;

  std::vector<Tile> tiles_of(const SearchPlan& plan, const ImageView& scene) const;
  void search_tile(Search& search, const Tile& tile);
  static void add_fit(Search& search, const FittedPose& fitted);
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
