#include "stages/match/locate/exhaustive_search.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "stages/match/locate/search_object.h"

namespace lookalike {

// A part of a scene that is searched at once: the rectangle to read, and its core, whose hits
// count. Cores cover the scene without overlap.
struct Tile {
  int left = 0;  // rectangle, px of the scene
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

// A pose of the grid at a whole pixel of a level.
struct CandidatePlace {
  PoseIndex pose;
  int x = 0;
  int y = 0;
  float score = 0;
};

namespace {

constexpr std::size_t kRun = 8;  // neighbours in turn, of which the best counts at a position
constexpr std::size_t kMaxCandidates = 4096;  // on the coarsest level, a quarter on the next
constexpr std::size_t kTapsAtOnce = std::size_t{1} << 23;  // points of templates per launch
constexpr double kMinInside = 0.9;                         // share of the object inside the scene
constexpr double kFitSlack = 0.05;                         // allowed to a fit on a coarser level
constexpr double kWholeSlack = 6e-6;                       // the error of float sums
constexpr double kChance = 18;  // reached by chi squared of 4 numbers in one of 1000 cases

// True if a pose explains the scene as well as a fit with four more parameters, but for chance.
bool fits_as_well(const FittedPose& pose, const FittedPose& fit, std::size_t pixels) {
  const double pose_explains = pose.correlation * pose.correlation;
  const double fit_explains = fit.correlation * fit.correlation;
  const double chance = kChance * (1 - fit_explains) / static_cast<double>(pixels);
  return pose.correlation * fit.correlation > 0 &&
         pose_explains >= fit_explains - chance - kWholeSlack;
}

PoseMap empty_map(int width, int height) {
  const std::size_t size = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  return {std::vector<float>(size, kPoseOutside), width, height};
}

// Cuts a scene into tiles whose cores have sides of `core_px`, each read `overlap_px` further on
// every side. Both are rounded up to multiples of `align_px`, so that every tile's pyramid meets
// the same pixels. One tile where the scene is no larger than a core.
std::vector<Tile> cut_into_tiles(int width, int height, int core_px, int overlap_px, int align_px) {
  const auto aligned = [&](int px) { return (px + align_px - 1) / align_px * align_px; };
  const int core = aligned(std::max(1, core_px));
  const int overlap = aligned(overlap_px);
  if (width <= core && height <= core) return {{0, 0, width, height, 0, 0, width, height}};
  std::vector<Tile> tiles;
  for (int y = 0; y < height; y += core) {
    for (int x = 0; x < width; x += core) {
      Tile tile{.core_left = x,
                .core_top = y,
                .core_right = std::min(x + core, width),
                .core_bottom = std::min(y + core, height)};
      tile.left = std::max(0, x - overlap);
      tile.top = std::max(0, y - overlap);
      tile.width = std::min(tile.core_right + overlap, width) - tile.left;
      tile.height = std::min(tile.core_bottom + overlap, height) - tile.top;
      tiles.push_back(tile);
    }
  }
  return tiles;
}

// Copies the scores of a tile's core into the map of the scene.
void copy_scores(const PoseMap& map, const Tile& tile, int align, PoseMap& whole) {
  for (int y = 0; y < map.height; ++y) {
    for (int x = 0; x < map.width; ++x) {
      const int column = tile.left / align + x;
      const int row = tile.top / align + y;
      if (!tile.owns(column * align, row * align)) continue;
      whole.scores[static_cast<std::size_t>(row) * static_cast<std::size_t>(whole.width) +
                   static_cast<std::size_t>(column)] =
          map.scores[static_cast<std::size_t>(y) * static_cast<std::size_t>(map.width) +
                     static_cast<std::size_t>(x)];
    }
  }
}

constexpr int kNear = 2;  // px, and steps of turn and scale

bool are_near(const CandidatePlace& a, const CandidatePlace& b, const PoseGrid& grid, int level) {
  return std::abs(a.x - b.x) <= kNear && std::abs(a.y - b.y) <= kNear &&
         std::abs(a.pose.scale - b.pose.scale) <= kNear &&
         grid.turns_apart(a.pose, b.pose, level) <= kNear;
}

// Keeps the best of candidates within two steps of each other in every direction, at most `most` in
// all. Expects them best first.
void thin(std::vector<CandidatePlace>& candidates, const PoseGrid& grid, int level,
          std::size_t most) {
  std::map<std::pair<int, int>, std::vector<CandidatePlace>> cells;  // kNear px wide
  const auto cell_of = [](const CandidatePlace& candidate) {
    return std::pair(candidate.x / kNear, candidate.y / kNear);
  };
  std::vector<CandidatePlace> left;
  for (const CandidatePlace& candidate : candidates) {
    if (left.size() == most) break;
    const auto [column, row] = cell_of(candidate);
    bool again = false;
    for (int i = 0; i < 9 && !again; ++i) {
      const auto cell = cells.find({column + i % 3 - 1, row + i / 3 - 1});
      again = cell != cells.end() && std::any_of(cell->second.begin(), cell->second.end(),
                                                 [&](const CandidatePlace& better) {
                                                   return are_near(better, candidate, grid, level);
                                                 });
    }
    if (again) continue;
    left.push_back(candidate);
    cells[{column, row}].push_back(candidate);
  }
  candidates = std::move(left);
}

// Sorts by the size of the correlation, highest first; equals keep their order.
void sort_by_correlation(std::vector<FittedPose>& fits) {
  std::stable_sort(fits.begin(), fits.end(), [](const FittedPose& a, const FittedPose& b) {
    return std::abs(a.correlation) > std::abs(b.correlation);
  });
}

// Keeps the first of fits whose quads overlap by more than max_overlap (intersection over union),
// at most `most` in all.
void suppress(std::vector<FittedPose>& fits, const PoseObject& object, double max_overlap,
              std::size_t most) {
  std::vector<FittedPose> left;
  std::vector<Quad> quads;
  for (const FittedPose& fit : fits) {
    if (left.size() == most) break;
    const Quad quad = outline(similarity(fit.pose, object.centre), object.width, object.height);
    const bool again = std::any_of(quads.begin(), quads.end(), [&](const Quad& earlier) {
      return intersection_over_union(earlier, quad) > max_overlap;
    });
    if (again) continue;
    left.push_back(fit);
    quads.push_back(quad);
  }
  fits = std::move(left);
}

// Returns why a search found nothing.
std::string reason_of(const SearchResult& result) {
  if (!result.has_contrast) {
    return result.has_flat ? "the scene is flat wherever the object fits in"
                           : "the object does not fit into the scene";
  }
  if (result.best_by_chance) {
    return fmt::format(
        "the best correlation, {:.3f}, rests on too little detail to be more than chance",
        *result.best_by_chance);
  }
  if (result.best_correlation) {
    return fmt::format("the best correlation, {:.3f}, is below locate.min_correlation",
                       *result.best_correlation);
  }
  return "no place in the scene resembles the object";
}

}  // namespace

// A search in progress.
struct ExhaustiveSearch::Search {
  const SearchPlan& plan;
  const ImageView& scene;
  const bool with_map;
  const double wanted_nats = plan.wanted_nats(scene);
  SearchResult result{};
  std::vector<FittedPose> fits{};  // that may be hits
};

Homography similarity(const CentrePose& pose, const Point& object_centre) {
  const double a = pose.turn_scale.scale * std::cos(pose.turn_scale.turn);
  const double b = pose.turn_scale.scale * std::sin(pose.turn_scale.turn);
  return {{a, -b, pose.centre.x - a * object_centre.x + b * object_centre.y, b, a,
           pose.centre.y - b * object_centre.x - a * object_centre.y, 0, 0, 1}};
}

SearchResult ExhaustiveSearch::find(const SearchObject& object, const ImageView& scene,
                                    const LocateOptions& options, bool with_map) {
  if (!object.problem().empty() || scene.empty()) {
    SearchResult result;
    result.reason = object.problem();
    if (with_map) result.map = empty_map(scene.width, scene.height);
    return result;
  }
  const SearchPlan plan(object, options);
  Search search{plan, scene, with_map};
  SearchResult& result = search.result;
  if (with_map) {
    const int align = 1 << plan.coarsest();
    result.map_level = plan.coarsest();
    result.map = empty_map((scene.width - 1) / align + 1, (scene.height - 1) / align + 1);
  }
  for (const Tile& tile : tiles_of(plan, scene)) search_tile(search, tile);
  sort_by_correlation(search.fits);
  suppress(search.fits, object.level(0), options.max_overlap, options.max_hits);
  for (const FittedPose& fit : search.fits) {
    result.hits.push_back({similarity(fit.pose, object.level(0).centre), fit});
  }
  if (result.hits.empty()) result.reason = reason_of(result);
  return std::move(result);
}

// Cuts a scene into tiles whose pyramids keep to the limits.
std::vector<Tile> ExhaustiveSearch::tiles_of(const SearchPlan& plan, const ImageView& scene) const {
  const int align = 1 << plan.coarsest();
  const int overlap = plan.reach_px() + 8 * align;
  int core = std::max(scene.width, scene.height);
  while (ScenePyramid::device_bytes(std::min(core + 2 * overlap, scene.width),
                                    std::min(core + 2 * overlap, scene.height),
                                    plan.reach_px()) > limits_.device_bytes &&
         core > 2 * overlap) {
    core = (core + 1) / 2;
  }
  return cut_into_tiles(scene.width, scene.height, core, overlap, align);
}

void ExhaustiveSearch::search_tile(Search& search, const Tile& tile) {
  const SearchPlan& plan = search.plan;
  const ImageView& scene = search.scene;
  const bool whole = tile.width == scene.width && tile.height == scene.height;
  const GrayImage part =
      whole ? GrayImage() : crop(scene, tile.left, tile.top, tile.width, tile.height);
  pyramid_.load(whole ? scene : part.view(), plan.coarsest() + 1, plan.reach_px());
  PoseMap map;
  std::vector<CandidatePlace> candidates =
      first_candidates(plan, search.result, search.with_map ? &map : nullptr);
  if (search.with_map) copy_scores(map, tile, 1 << plan.coarsest(), search.result.map);
  for (int level = plan.coarsest() - 1; level >= plan.finest_tried(); --level) {
    refine(plan, level, candidates);
  }
  const Point centre = centre_part(plan.object().level(plan.finest_tried()));
  std::vector<CentrePose> poses;
  poses.reserve(candidates.size());
  for (const CandidatePlace& candidate : candidates) {
    poses.push_back({{candidate.x + centre.x, candidate.y + centre.y},
                     plan.grid().pose(candidate.pose, plan.finest_tried())});
  }
  std::vector<FittedPose> fits;
  for (int level = plan.finest_tried(); level >= 0; --level) {
    fits = fit(plan, level, std::move(poses));
    poses.clear();
    for (const FittedPose& fitted : fits) {
      poses.push_back(fitted.pose);
      poses.back().centre = {2 * poses.back().centre.x, 2 * poses.back().centre.y};
    }
  }
  prefer_whole_pixels(plan, fits);
  for (FittedPose& fitted : fits) {
    fitted.pose.centre.x += tile.left;
    fitted.pose.centre.y += tile.top;
    if (tile.owns(fitted.pose.centre.x, fitted.pose.centre.y)) add_fit(search, fitted);
  }
}

// Adds a fit that correlates well enough and is more than chance.
void ExhaustiveSearch::add_fit(Search& search, const FittedPose& fitted) {
  const SearchPlan& plan = search.plan;
  SearchResult& result = search.result;
  const double correlation = std::abs(fitted.correlation);
  result.best_correlation = std::max(result.best_correlation.value_or(-1), correlation);
  if (correlation < plan.options().min_correlation) return;
  const Homography object_to_scene = similarity(fitted.pose, plan.object().level(0).centre);
  if (information(plan.object(), search.scene, object_to_scene, fitted.correlation < 0,
                  search.wanted_nats) < search.wanted_nats) {
    result.best_by_chance = std::max(result.best_by_chance.value_or(-1), correlation);
    return;
  }
  search.fits.push_back(fitted);
}

std::vector<CandidatePlace> ExhaustiveSearch::first_candidates(const SearchPlan& plan,
                                                               SearchResult& result, PoseMap* map) {
  const PyramidLevel& level = pyramid_.level(plan.coarsest());
  const std::vector<PoseIndex> indices = plan.grid().coarsest_poses();
  const std::vector<TurnScale> poses = plan.grid().poses(indices, plan.coarsest());
  const PosePeaks found =
      poses_.search(level, plan.sampled(), poses,
                    {kRun, plan.threshold(plan.coarsest()), plan.either_polarity(), map});
  result.has_flat |= found.has_flat;
  result.has_contrast |= found.has_contrast;
  std::vector<CandidatePlace> candidates;
  for (const PosePeak& peak : found.peaks) {
    candidates.push_back(
        {indices[static_cast<std::size_t>(peak.template_index)], peak.x, peak.y, peak.score});
  }
  thin(candidates, plan.grid(), plan.coarsest(), kMaxCandidates);
  return candidates;
}

void ExhaustiveSearch::refine(const SearchPlan& plan, int level,
                              std::vector<CandidatePlace>& candidates) {
  const PoseObject object = plan.shown(level);
  const Point part = centre_part(object);
  const Point part_above = centre_part(plan.object().level(level + 1));
  const auto moved = [](int at, double above, double here) {
    return static_cast<int>(std::lround(2 * (at + above) - here));
  };
  for (std::size_t first = 0; first < candidates.size();) {
    std::map<PoseIndex, std::size_t> numbers;
    std::vector<PoseIndex> indices;
    std::vector<PosePeak> tries;
    std::vector<std::size_t> owners;
    std::size_t next = first;
    for (; next < candidates.size() && numbers.size() * object.points.size() < kTapsAtOnce;
         ++next) {
      const CandidatePlace& from = candidates[next];
      const PoseIndex index = {2 * from.pose.turn, 2 * from.pose.scale};
      for (const PoseIndex& near : plan.grid().around(index, level, 2, 1)) {
        const auto [number, added] = numbers.try_emplace(near, indices.size());
        if (added) indices.push_back(near);
        tries.push_back({static_cast<cl_int>(number->second), moved(from.x, part_above.x, part.x),
                         moved(from.y, part_above.y, part.y), 0});
        owners.push_back(next);
      }
    }
    const std::vector<TurnScale> poses = plan.grid().poses(indices, level);
    poses_.refine(pyramid_.level(level), object, poses, plan.either_polarity(), tries);
    for (std::size_t i = first; i < next; ++i) candidates[i].score = kPoseOutside;
    for (std::size_t i = 0; i < tries.size(); ++i) {
      CandidatePlace& candidate = candidates[owners[i]];
      if (!(tries[i].score > candidate.score)) continue;
      candidate = {indices[static_cast<std::size_t>(tries[i].template_index)], tries[i].x,
                   tries[i].y, tries[i].score};
    }
    first = next;
  }
  const float threshold = plan.threshold(level);
  std::erase_if(candidates, [&](const CandidatePlace& c) { return c.score < threshold; });
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const CandidatePlace& a, const CandidatePlace& b) { return a.score > b.score; });
  const std::size_t most = std::max<std::size_t>(std::size_t{2} * plan.options().max_hits,
                                                 kMaxCandidates >> (2 * (plan.coarsest() - level)));
  thin(candidates, plan.grid(), level, most);
}

// Fits poses at a level. Drops those that leave the scene or the ranges, are of the wrong polarity,
// fall far below options.min_correlation, or repeat a better one.
std::vector<FittedPose> ExhaustiveSearch::fit(const SearchPlan& plan, int level,
                                              std::vector<CentrePose> poses) {
  const PoseObject& object = plan.object().level(level);
  const double slack = level > 0 ? kFitSlack : 1;
  const double floor = plan.options().min_correlation - kFitSlack;
  std::vector<FittedPose> fits =
      fit_poses(poses_, pyramid_.level(level), object, poses, plan.freedom(), floor);
  std::erase_if(fits, [&](const FittedPose& fitted) {
    return fitted.inside < kMinInside || !plan.right_polarity(fitted.correlation) ||
           !plan.in_ranges(fitted.pose.turn_scale) ||
           std::abs(fitted.correlation) < plan.options().min_correlation - slack;
  });
  sort_by_correlation(fits);
  suppress(fits, object, std::max(plan.options().max_overlap, level > 0 ? 0.9 : 0.0),
           2 * std::size_t{plan.options().max_hits});
  return fits;
}

// Takes whole pixels, unturned and unscaled, where they fit as well: an object cut from the scene
// lies there.
void ExhaustiveSearch::prefer_whole_pixels(const SearchPlan& plan, std::vector<FittedPose>& fits) {
  const PoseObject& object = plan.object().level(0);
  const Point part = centre_part(object);
  std::vector<CentrePose> whole;
  for (const FittedPose& fitted : fits) {
    CentrePose pose = fitted.pose;
    pose.centre = {std::round(pose.centre.x - part.x) + part.x,
                   std::round(pose.centre.y - part.y) + part.y};
    pose.turn_scale = {0, 1};
    whole.push_back(pose);
  }
  const std::vector<FittedPose> rated = rate_poses(poses_, pyramid_.level(0), object, whole);
  for (std::size_t i = 0; i < fits.size(); ++i) {
    if (!plan.in_ranges({0, 1})) continue;
    if (fits_as_well(rated[i], fits[i], object.points.size())) fits[i] = rated[i];
  }
}

std::optional<PoseHit> ExhaustiveSearch::fit_near(const SearchObject& object,
                                                  const ImageView& scene,
                                                  const Homography& object_to_scene) {
  if (!object.problem().empty()) return std::nullopt;
  const PoseObject& level = object.level(0);
  const Quad quad = outline(object_to_scene, level.width, level.height);
  const double area = signed_area(quad);
  if (!(area > 0)) return std::nullopt;
  constexpr double kAroundPx = 8;
  const auto [left, right] = std::minmax({quad[0].x, quad[1].x, quad[2].x, quad[3].x});
  const auto [top, bottom] = std::minmax({quad[0].y, quad[1].y, quad[2].y, quad[3].y});
  const int x = std::clamp(static_cast<int>(left - kAroundPx), 0, scene.width - 1);
  const int y = std::clamp(static_cast<int>(top - kAroundPx), 0, scene.height - 1);
  const int end_x = std::clamp(static_cast<int>(right + kAroundPx), x + 1, scene.width);
  const int end_y = std::clamp(static_cast<int>(bottom + kAroundPx), y + 1, scene.height);
  const GrayImage window = crop(scene, x, y, end_x - x, end_y - y);
  pyramid_.load(window.view(), 1, 1);
  const Point at = object_to_scene.apply(level.centre);
  const Point right_of = object_to_scene.apply({level.centre.x + 1, level.centre.y});
  const double scale = std::sqrt(area / (static_cast<double>(level.width) * level.height));
  const CentrePose start{{at.x - x, at.y - y},
                         {std::atan2(right_of.y - at.y, right_of.x - at.x), scale}};
  FittedPose fitted = fit_poses(poses_, pyramid_.level(0), level, {&start, 1}, {}).front();
  if (fitted.correlation == 0) return std::nullopt;
  fitted.pose.centre = {fitted.pose.centre.x + x, fitted.pose.centre.y + y};
  return PoseHit{similarity(fitted.pose, level.centre), fitted};
}

}  // namespace lookalike
