#include "stages/match/locate/locate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <utility>

#include "base/quad.h"
#include "stages/match/locate/exhaustive_search.h"
#include "stages/match/locate/plain_search.h"
#include "stages/match/refine/reduction.h"
#include "stages/match/refine/sharpen.h"
#include "stages/match/verify/descriptor_pairs.h"
#include "stages/match/verify/pose.h"
#include "stages/match/verify/pose_geometry.h"

namespace lookalike {
namespace {

constexpr double kTranslationPx = 3;  // corners nearer than this to an unmoved object's may be
constexpr double kTranslationShare = 0.02;  // noise; so may this share of the object's diagonal

// To [0, 360), also where a turn just below zero rounds to 360.
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
  hit.quad = outline(object_to_scene, object.width, object.height);
  hit.scale =
      std::sqrt(signed_area(hit.quad) / (static_cast<double>(object.width) * object.height));
  return hit;
}

class Locator {
 public:
  Locator(OpenClSession& session, const Query& object, const Query& scene,
          const MatchOptions& options, const LocateOptions& how, const LocateRequest& request)
      : session_(session),
        object_(object),
        scene_(scene),
        options_(options),
        how_(how),
        request_(request),
        to_object_(reduction(object.image)),
        to_scene_(reduction(scene.image)) {
    if (how.method == "correlation") return;
    sharpener_.emplace(session);
    plain_.emplace(session);
  }

  Located find() {
    Located located;
    if (how_.method != "correlation") {
      located.hits = by_features();
      if (located.hits.empty()) located.reason = "too few features agree on a place";
    }
    const bool fall_back = how_.method != "features" && located.hits.empty();
    if (fall_back || request_.with_map) by_correlation(fall_back, located);
    std::stable_sort(located.hits.begin(), located.hits.end(), [](const Hit& a, const Hit& b) {
      return a.inliers != b.inliers ? a.inliers > b.inliers
                                    : std::abs(a.correlation) > std::abs(b.correlation);
    });
    if (located.hits.size() > how_.max_hits) located.hits.resize(how_.max_hits);
    return located;
  }

 private:
  ImageView object_pixels() const { return object_.image.pixels.view(); }
  ImageView scene_pixels() const { return scene_.image.pixels.view(); }

  std::vector<Hit> by_features() {
    if (object_.features.size() == 0 || scene_.features.size() == 0) return {};
    pairs_ = pair_descriptors(session_, object_.features, scene_.features);
    std::erase_if(pairs_, [&](const DescriptorPair& pair) { return is_masked(pair); });
    std::vector<Hit> hits;
    while (std::optional<Hit> hit = next_by_features()) {
      const bool again = std::any_of(hits.begin(), hits.end(), [&](const Hit& earlier) {
        return intersection_over_union(earlier.quad, hit->quad) > how_.max_overlap;
      });
      if (!again) hits.push_back(*hit);
    }
    return hits;
  }

  bool is_masked(const DescriptorPair& pair) const {
    if (request_.mask.empty()) return false;
    const Keypoint& keypoint = object_.features.keypoints[pair.object];
    const Point at = to_object_.apply({keypoint.x, keypoint.y});
    const int x = std::clamp(static_cast<int>(std::lround(at.x)), 0, request_.mask.width - 1);
    const int y = std::clamp(static_cast<int>(std::lround(at.y)), 0, request_.mask.height - 1);
    return request_.mask.at(x, y) == 0;
  }

  // The best pose of the pairs that are left; takes away the pairs that it explains.
  std::optional<Hit> next_by_features() {
    const auto pairs = one_to_one(pairs_);
    const auto places = places_of(pairs, object_.features, scene_.features);
    const ImageRecord& object = object_.image.record;
    const ImageRecord& scene = scene_.image.record;
    const auto pose = find_pose(
        places,
        {.object_width = object.width,
         .object_height = object.height,
         .inlier_distance_px = options_.inlier_distance * std::hypot(scene.width, scene.height),
         .min_inliers = options_.min_inliers,
         .seed = options_.seed});
    if (!pose) return std::nullopt;
    std::vector<PointPair> features;
    for (const std::uint32_t i : pose->inliers) {
      features.push_back({to_object_.apply({places[i].object.x, places[i].object.y}),
                          to_scene_.apply({places[i].scene.x, places[i].scene.y})});
    }
    const SharpenedPose sharpened = sharpen(pose->object_to_scene, features);
    Hit hit = hit_of(sharpened.object_to_scene, object);
    hit.inliers = static_cast<std::uint32_t>(pose->inliers.size());
    hit.correlation = sharpened.correlation.value_or(0);
    rate(sharpened.object_to_scene, hit);
    take_away(pairs, pose->inliers, hit.quad);
    return hit;
  }

  // Between full-size pixels, as what is given.
  SharpenedPose sharpen(const Homography& object_to_scene, std::span<const PointPair> features) {
    SharpenedPose pose = sharpener_->sharpen(object_pixels(), scene_pixels(),
                                             to_scene_ * object_to_scene * to_object_.inverse(),
                                             features, request_.mask);
    pose.correlation =
        plain_->correlation_at(object_pixels(), scene_pixels(), pose.object_to_scene);
    if (const auto place = unmoved_place(pose.object_to_scene)) {
      const int radius_px = static_cast<int>(std::ceil(translation_tolerance_px()));
      const auto unmoved = plain_->find_near(object_pixels(), scene_pixels(), *place, radius_px);
      if (unmoved && unmoved->correlation >= pose.correlation) pose = *unmoved;
    }
    pose.object_to_scene = to_scene_.inverse() * pose.object_to_scene * to_object_;
    return pose;
  }

  double translation_tolerance_px() const {
    const double diagonal = std::hypot(object_pixels().width, object_pixels().height);
    return std::max(kTranslationPx, kTranslationShare * diagonal);
  }

  // Where the object's first pixel lies when the map may be no more than a translation.
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

  void take_away(std::span<const DescriptorPair> pairs, std::span<const std::uint32_t> inliers,
                 const Quad& quad) {
    std::vector<bool> explained(scene_.features.size(), false);
    for (const std::uint32_t i : inliers) explained[pairs[i].scene] = true;
    std::erase_if(pairs_, [&](const DescriptorPair& pair) {
      const Keypoint& keypoint = scene_.features.keypoints[pair.scene];
      return explained[pair.scene] || contains(quad, {keypoint.x + 0.5, keypoint.y + 0.5});
    });
  }

  // How sure the place is that features found; with a mask, also the correlation of what counts.
  void rate(const Homography& object_to_scene, Hit& hit) {
    const auto fitted = search().fit_near(search_object(), scene_pixels(),
                                          to_scene_ * object_to_scene * to_object_.inverse());
    if (!fitted) return;
    hit.position_error_px = fitted->fit.position_error_px / scene_.image.scale;
    if (!request_.mask.empty()) hit.correlation = fitted->fit.correlation;
  }

  // Hits only with `speaks`; the map where it is wanted.
  void by_correlation(bool speaks, Located& located) {
    SearchResult found =
        search().find(search_object(), scene_pixels(), reduced_ranges(), request_.with_map);
    if (request_.with_map) {
      located.map = std::move(found.map);
      located.map_step_px = std::ldexp(1 / scene_.image.scale, found.map_level);
    }
    if (!speaks) return;
    located.method = LocateMethod::kCorrelation;
    located.reason = found.reason;
    for (const PoseHit& pose : found.hits) {
      Hit hit =
          hit_of(to_scene_.inverse() * pose.object_to_scene * to_object_, object_.image.record);
      hit.correlation = pose.fit.correlation;
      hit.position_error_px = pose.fit.position_error_px / scene_.image.scale;
      located.hits.push_back(hit);
    }
  }

  // Scales between reduced pixels.
  LocateOptions reduced_ranges() const {
    LocateOptions reduced = how_;
    reduced.min_scale *= scene_.image.scale / object_.image.scale;
    reduced.max_scale *= scene_.image.scale / object_.image.scale;
    return reduced;
  }

  ExhaustiveSearch& search() {
    if (!search_) search_.emplace(session_);
    return *search_;
  }

  const SearchObject& search_object() {
    if (!search_object_) search_object_.emplace(object_pixels(), request_.mask);
    return *search_object_;
  }

  OpenClSession& session_;
  const Query& object_;
  const Query& scene_;
  const MatchOptions& options_;
  const LocateOptions& how_;
  const LocateRequest& request_;
  const Homography to_object_;  // full-size to reduced px
  const Homography to_scene_;
  std::optional<PoseSharpener> sharpener_;  // where features are asked
  std::optional<PlainSearch> plain_;
  std::optional<ExhaustiveSearch> search_;  // compiled when it is needed
  std::optional<SearchObject> search_object_;
  std::vector<DescriptorPair> pairs_;
};

}  // namespace

std::string_view to_string(LocateMethod method) {
  return method == LocateMethod::kFeatures ? "features" : "correlation";
}

Located locate(OpenClSession& session, const Query& object, const Query& scene,
               const MatchOptions& options, const LocateOptions& how,
               const LocateRequest& request) {
  return Locator(session, object, scene, options, how, request).find();
}

}  // namespace lookalike
