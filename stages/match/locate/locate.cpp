#include "stages/match/locate/locate.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "stages/match/locate/exhaustive_search.h"
#include "stages/match/locate/other_state.h"
#include "stages/match/locate/plain_search.h"
#include "stages/match/refine/colour.h"
#include "stages/match/refine/frame.h"
#include "stages/match/refine/refiner.h"
#include "stages/match/verify/pose.h"
#include "stages/match/verify/verification.h"

namespace lookalike {
namespace {

// Corners nearer than this to those of an unturned object may be noise: px, or a share of the
// object's diagonal.
constexpr double kTranslationPx = 3;
constexpr double kTranslationShare = 0.02;

// Gain in correlation from which a fit by pixels replaces a pose by features. A smaller one would
// give up the exact place of a crop, or perspective.
constexpr double kWorthAFit = 0.01;

// Factor on the number of places to search for, because most may have other colours or states.
constexpr std::uint32_t kColoursOfOneShape = 4;

// Least correlation of a hit by features, unless kManyInliers agree on it and one of both pictures
// is a photo: another light, or parts that stand out, leave little of it. In 115 photos of books,
// discs, paintings, buildings and forms, 20 of the best hits were below, with 22 to 346 inliers; of
// three second hits, two were below, with 7 and 9 inliers. A wrong place of a screen had 0.39.
constexpr double kLeastAgreement = 0.6;
constexpr std::uint32_t kManyInliers = 20;

// Scales that are tried unturned where the usual ranges find nothing: screens of 150 to 300 %, and
// objects that were cut from such screens.
struct ScaleRange {
  double low = 1;
  double high = 1;
};
constexpr ScaleRange kScreenScales[] = {{1.4, 3}, {1 / 3.0, 0.7}};

// Returns an angle in [0, 360), even if a turn just below zero rounds to 360.
double in_circle(double degrees) {
  const double turned = degrees < 0 ? degrees + 360 : degrees;
  return turned < 360 ? turned : 0;
}

Hit hit_of(const Homography& object_to_scene, const ImageRecord& object) {
  const Point centre = middle(object.width, object.height);
  const Jacobian j = jacobian(object_to_scene, centre);
  const Point at = object_to_scene.apply(centre);
  Hit hit;
  hit.centre = {at.x + 0.5, at.y + 0.5};
  hit.angle_degrees = in_circle(std::atan2(j.yx - j.xy, j.xx + j.yy) * 180 / std::numbers::pi);
  hit.object_to_scene = object_to_scene;
  hit.quad = outline(object_to_scene, object.width, object.height);
  hit.scale =
      std::sqrt(signed_area(hit.quad) / (static_cast<double>(object.width) * object.height));
  return hit;
}

class Locator {
 public:
  Locator(OpenClSession& session, const Query& object, const Query& scene,
          const VerifyOptions& options, const LocateOptions& how, bool with_map)
      : session_(session),
        object_(object),
        scene_(scene),
        options_(options),
        how_(how),
        with_map_(with_map),
        to_object_(reduction(object.image)),
        to_scene_(reduction(scene.image)) {}

  Located find() {
    Located located;
    if (how_.method != "correlation") {
      located.hits = by_features();
      if (located.hits.empty()) located.reason = "too few features agree on a place";
      drop_weak(located);
      compare_colours(located);
      compare_states(located);
    }
    const bool fall_back = how_.method != "features" && located.hits.empty();
    if (fall_back || with_map_) by_correlation(fall_back, located);
    const auto agreement = [](const Hit& hit) {
      return std::abs(hit.correlation) * std::max(0.0, hit.colour.value_or(1));
    };
    std::ranges::stable_sort(located.hits, [&](const Hit& a, const Hit& b) {
      return a.inliers != b.inliers ? a.inliers > b.inliers : agreement(a) > agreement(b);
    });
    if (located.hits.size() > how_.max_hits) located.hits.resize(how_.max_hits);
    return located;
  }

 private:
  ImageView object_pixels() const { return object_.image.pixels.view(); }
  ImageView scene_pixels() const { return scene_.image.pixels.view(); }
  ImageView mask() const { return object_.image.alpha.view(); }

  std::vector<Hit> by_features() {
    if (object_.features.size() == 0 || scene_.features.size() == 0) return {};
    const Pyramid scene(scene_.image);
    pairs_ = pair_descriptors(session_, object_.features, scene_.features);
    std::erase_if(pairs_, [&](const FeaturePair& pair) { return is_masked(pair); });
    std::vector<Hit> hits;
    while (std::optional<Hit> hit = next_by_features(scene)) {
      const bool again = std::any_of(hits.begin(), hits.end(), [&](const Hit& earlier) {
        return intersection_over_union(earlier.quad, hit->quad) > how_.max_overlap;
      });
      if (!again) hits.push_back(*hit);
    }
    return hits;
  }

  bool is_masked(const FeaturePair& pair) const {
    if (mask().empty()) return false;
    const Keypoint& keypoint = object_.features.keypoints[pair.object];
    const Point at = to_object_.apply({keypoint.x, keypoint.y});
    const int x = std::clamp(static_cast<int>(std::lround(at.x)), 0, mask().width - 1);
    const int y = std::clamp(static_cast<int>(std::lround(at.y)), 0, mask().height - 1);
    return !is_opaque(mask().at(x, y));
  }

  // Finds the best pose of the remaining pairs, and removes the pairs that it explains.
  std::optional<Hit> next_by_features(const Pyramid& scene) {
    const auto pairs = one_to_one(pairs_);
    std::vector<PlacePair> places;
    places.reserve(pairs.size());
    for (const FeaturePair& pair : pairs) {
      places.push_back({place_of(object_.features.keypoints[pair.object]),
                        place_of(scene_.features.keypoints[pair.scene])});
    }
    const ImageRecord& object = object_.image.record;
    const auto pose = find_pose(places, {object.width, object.height},
                                {scene_.image.record.width, scene_.image.record.height}, options_);
    if (!pose) return std::nullopt;
    const RefinedPose refined = at_full_detail(
        refiner().refine(object_.image, scene, pose->object_to_scene, pose->inlier_points));
    Hit hit = hit_of(refined.object_to_scene, object);
    hit.inliers = static_cast<std::uint32_t>(pose->inliers.size());
    hit.correlation = refined.correlation.value_or(0);
    fit_by_pixels(hit);
    remove_explained(pairs, pose->inliers, hit.quad);
    return hit;
  }

  // Correlates at the object's own resolution; takes the object unturned and at its own size if
  // that is as good.
  RefinedPose at_full_detail(RefinedPose pose) {
    if (!plain_) plain_.emplace(session_);
    const Homography reduced = to_scene_ * pose.object_to_scene * to_object_.inverse();
    pose.correlation = plain_->correlation_at(object_pixels(), scene_pixels(), reduced);
    const auto place = unmoved_place(reduced);
    if (!place) return pose;
    const int radius_px = static_cast<int>(std::ceil(translation_tolerance_px()));
    const auto unmoved = plain_->find_near(object_pixels(), scene_pixels(), *place, radius_px);
    if (!unmoved || !(unmoved->correlation >= pose.correlation)) return pose;
    return {to_scene_.inverse() * unmoved->object_to_scene * to_object_, unmoved->correlation};
  }

  double translation_tolerance_px() const {
    const double diagonal = std::hypot(object_pixels().width, object_pixels().height);
    return std::max(kTranslationPx, kTranslationShare * diagonal);
  }

  // Returns the place of the object's first pixel if the map between reduced px may be a mere
  // translation.
  std::optional<Point> unmoved_place(const Homography& object_to_scene) const {
    const int width = object_pixels().width;
    const int height = object_pixels().height;
    const Point centre = middle(width, height);
    const Point at = object_to_scene.apply(centre);
    const Point place = {at.x - centre.x, at.y - centre.y};
    const double moved_px =
        furthest_corner_px(outline(object_to_scene, width, height),
                           outline(translation(place.x, place.y), width, height));
    if (moved_px > translation_tolerance_px()) return std::nullopt;
    return place;
  }

  void remove_explained(std::span<const FeaturePair> pairs, std::span<const std::uint32_t> inliers,
                        const Quad& quad) {
    std::vector<bool> explained(scene_.features.size(), false);
    for (const std::uint32_t i : inliers) explained[pairs[i].scene] = true;
    std::erase_if(pairs_, [&](const FeaturePair& pair) {
      const Keypoint& keypoint = scene_.features.keypoints[pair.scene];
      return explained[pair.scene] || contains(quad, {keypoint.x + 0.5, keypoint.y + 0.5});
    });
  }

  // Fits a hit by features to the pixels, and takes the fitted pose if that agrees better. Adds the
  // standard error; where the hit keeps its pose, as one in perspective does, with its distance
  // from the fitted centre. With a mask, also adds the correlation under it.
  void fit_by_pixels(Hit& hit) {
    const auto fitted = search().fit_near(search_object(), scene_pixels(),
                                          to_scene_ * hit.object_to_scene * to_object_.inverse());
    if (!fitted) return;
    Hit by_pixels =
        hit_of(to_scene_.inverse() * fitted->object_to_scene * to_object_, object_.image.record);
    double distance_px =
        std::hypot(by_pixels.centre.x - hit.centre.x, by_pixels.centre.y - hit.centre.y);
    if (fitted->fit.correlation > hit.correlation + kWorthAFit) {
      by_pixels.inliers = hit.inliers;
      by_pixels.correlation = fitted->fit.correlation;
      hit = by_pixels;
      distance_px = 0;
    }
    hit.position_error_px =
        std::hypot(fitted->fit.position_error_px / scene_.image.scale, distance_px);
    if (!mask().empty()) hit.correlation = fitted->fit.correlation;
  }

  // Drops hits by features whose pixels disagree.
  void drop_weak(Located& located) {
    const auto disagrees = [](const Hit& hit) { return hit.correlation < kLeastAgreement; };
    if (std::ranges::none_of(located.hits, disagrees)) return;
    const bool are_drawn = shows_drawing() && is_drawn(scene_pixels());
    const auto is_weak = [&](const Hit& hit) {
      return disagrees(hit) && (are_drawn || hit.inliers < kManyInliers);
    };
    if (std::ranges::all_of(located.hits, is_weak)) {
      located.reason =
          fmt::format("features agree on a place whose pixels correlate at {:.3f} only",
                      located.hits.front().correlation);
    }
    std::erase_if(located.hits, is_weak);
  }

  // Drops hits that show a drawn object in another state.
  void compare_states(Located& located) {
    if (located.hits.empty() || how_.changed || !shows_drawing()) return;
    std::optional<Point> first;
    const auto differs = [&](const Hit& hit) {
      const auto place = find_other_state(object_pixels(), mask(), scene_pixels(),
                                          to_scene_ * hit.object_to_scene * to_object_.inverse());
      if (place && !first) first = to_scene_.inverse().apply(*place);
      return place.has_value();
    };
    std::erase_if(located.hits, differs);
    if (!located.hits.empty()) return;
    located.reason = fmt::format(
        "it is found in another state only, which differs at x {:.0f}, y {:.0f}; --changed finds "
        "such places",
        first->x + 0.5, first->y + 0.5);
  }

  // True if the object is drawn, as on a screen.
  bool shows_drawing() {
    if (!is_drawn_) is_drawn_ = is_drawn(object_pixels());
    return *is_drawn_;
  }

  // Adds the map if wanted, and the hits unless features have found some.
  void by_correlation(bool with_hits, Located& located) {
    SearchResult found =
        search().find(search_object(), scene_pixels(), reduced_ranges(how_), with_map_);
    if (with_map_) {
      located.map = std::move(found.map);
      located.map_step_px = std::ldexp(1 / scene_.image.scale, found.map_level);
    }
    if (!with_hits) return;
    located.method = LocateMethod::kCorrelation;
    add_hits(found, located);
    const bool tries_more = has_usual_ranges() && search_object().problem().empty();
    for (const ScaleRange& range : kScreenScales) {
      if (!located.hits.empty() || !tries_more || was_found_otherwise_) break;
      LocateOptions unturned = how_;
      unturned.min_turn_degrees = unturned.max_turn_degrees = 0;
      unturned.min_scale = range.low;
      unturned.max_scale = range.high;
      Located more;
      add_hits(search().find(search_object(), scene_pixels(), reduced_ranges(unturned), false),
               more);
      if (!more.hits.empty() || was_found_otherwise_) {
        located.hits = std::move(more.hits);
        located.reason = std::move(more.reason);
      }
    }
    if (located.hits.empty() && search_object().problem().empty()) {
      located.reason += tried_text(tries_more);
    }
  }

  // Returns which poses the search by correlation has tried.
  std::string tried_text(bool tried_more) const {
    const bool is_circle = how_.max_turn_degrees - how_.min_turn_degrees >= 360;
    return fmt::format(
        "; tried: scales {} to {} {}{}; --min-scale, --max-scale and the turns of [locate] try "
        "more",
        how_.min_scale, how_.max_scale,
        is_circle ? "in all turns"
                  : fmt::format("in turns of {} to {} degrees", how_.min_turn_degrees,
                                how_.max_turn_degrees),
        tried_more ? fmt::format(", and {:.2g} to {} unturned", kScreenScales[1].low,
                                 kScreenScales[0].high)
                   : "");
  }

  bool has_usual_ranges() const {
    const LocateOptions usual;
    return how_.min_scale == usual.min_scale && how_.max_scale == usual.max_scale &&
           how_.min_turn_degrees == usual.min_turn_degrees &&
           how_.max_turn_degrees == usual.max_turn_degrees;
  }

  // Adds the hits of a search that have the object's colours and state.
  void add_hits(const SearchResult& found, Located& located) {
    located.reason = found.reason;
    for (const PoseHit& pose : found.hits) {
      Hit hit =
          hit_of(to_scene_.inverse() * pose.object_to_scene * to_object_, object_.image.record);
      hit.correlation = pose.fit.correlation;
      hit.position_error_px = pose.fit.position_error_px / scene_.image.scale;
      located.hits.push_back(hit);
    }
    const bool has_hits = !located.hits.empty();
    compare_colours(located);
    compare_states(located);
    was_found_otherwise_ = has_hits && located.hits.empty();
  }

  // Drops the hits in other colours.
  void compare_colours(Located& located) {
    if (located.hits.empty() || !compares_colours()) return;
    if (!colours_) {
      colours_ = {object_.colours(kMostComparedPixels), scene_.colours(kMostComparedPixels)};
    }
    const auto& [object, scene] = *colours_;
    if (is_grey(scene)) return;
    for (Hit& hit : located.hits) hit.colour = colour_agreement(object, scene, hit.object_to_scene);
    const auto differs = [](const Hit& hit) {
      return hit.colour.value_or(1) < kLeastColourAgreement;
    };
    if (std::ranges::all_of(located.hits, differs)) {
      if (is_grey(object)) return;
      located.reason = "it is found in other colours only; --gray finds these";
    }
    std::erase_if(located.hits, differs);
  }

  bool compares_colours() const { return !how_.gray && object_.colours && scene_.colours; }

  // Returns the options with scales between reduced pixels.
  LocateOptions reduced_ranges(const LocateOptions& how) {
    LocateOptions reduced = how;
    reduced.min_scale *= scene_.image.scale / object_.image.scale;
    reduced.max_scale *= scene_.image.scale / object_.image.scale;
    if (compares_colours() || (!how_.changed && shows_drawing()))
      reduced.max_hits *= kColoursOfOneShape;
    return reduced;
  }

  PoseRefiner& refiner() {
    if (!refiner_) refiner_.emplace(session_);
    return *refiner_;
  }

  ExhaustiveSearch& search() {
    if (!search_) search_.emplace(session_);
    return *search_;
  }

  const SearchObject& search_object() {
    if (!search_object_) search_object_.emplace(object_pixels(), mask());
    return *search_object_;
  }

  OpenClSession& session_;
  const Query& object_;
  const Query& scene_;
  const VerifyOptions& options_;
  const LocateOptions& how_;
  const bool with_map_;
  const Homography to_object_;  // full-size to reduced px
  const Homography to_scene_;
  std::vector<FeaturePair> pairs_;  // not explained by any hit
  std::optional<bool> is_drawn_;
  bool was_found_otherwise_ = false;  // in other colours or another state only
  // Compiled on first use.
  std::optional<PoseRefiner> refiner_;
  std::optional<PlainSearch> plain_;
  std::optional<ExhaustiveSearch> search_;
  std::optional<SearchObject> search_object_;
  std::optional<std::pair<ColourImage, ColourImage>> colours_;  // of object and scene, once read
};

}  // namespace

std::string_view to_string(LocateMethod method) {
  return method == LocateMethod::kFeatures ? "features" : "correlation";
}

Located locate(OpenClSession& session, const Query& object, const Query& scene,
               const VerifyOptions& options, const LocateOptions& how, bool with_map) {
  return Locator(session, object, scene, options, how, with_map).find();
}

}  // namespace lookalike
