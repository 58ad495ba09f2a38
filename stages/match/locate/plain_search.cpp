#include "stages/match/locate/plain_search.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lookalike {
namespace {

bool fits(const ImageView& object, const ImageView& scene) {
  return !object.empty() && object.width <= scene.width && object.height <= scene.height;
}

}  // namespace

std::optional<double> PlainSearch::correlation_at(const ImageView& object, const ImageView& scene,
                                                  const Homography& object_to_scene) {
  const Warped rectified = warp_.warp(scene, object_to_scene, object.width, object.height);
  return correlation_.correlate(object, rectified.image.view(), rectified.mask.view());
}

std::optional<RefinedPose> PlainSearch::find_near(const ImageView& object, const ImageView& scene,
                                                  Point top_left, int radius_px) {
  if (!fits(object, scene)) return std::nullopt;
  const auto range = [&](double centre, int scene_side, int object_side) {
    const int at = static_cast<int>(std::lround(centre));
    const int last = scene_side - object_side;
    return std::array{std::clamp(at - radius_px, 0, last + 1),
                      std::clamp(at + radius_px, -1, last)};
  };
  const auto [left, right] = range(top_left.x, scene.width, object.width);
  const auto [top, bottom] = range(top_left.y, scene.height, object.height);
  if (left > right || top > bottom) return std::nullopt;
  const GrayImage window =
      crop(scene, left, top, right - left + object.width, bottom - top + object.height);
  const std::array<CorrelationPair, 1> pair = {CorrelationPair{window.view(), object}};
  const auto peak = correlation_.best_matches(pair).front();
  if (!peak) return std::nullopt;
  const double x = left + double{peak->x};
  const double y = top + double{peak->y};
  const RefinedPose whole{translation(std::round(x), std::round(y)), peak->correlation};
  const Homography between = translation(x, y);
  const auto correlation = correlation_at(object, scene, between);
  return correlation > whole.correlation ? RefinedPose{between, correlation} : whole;
}

}  // namespace lookalike
