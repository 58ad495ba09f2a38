#include "stages/match/plain_search.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stages/match/crop.h"

namespace lookalike {
namespace {

constexpr double kMaxProducts = 4e9;  // of pixels by positions: about a second on two CPU cores
constexpr int kMinReducedSidePx = 8;  // of the object; less has no shape left

Homography translation(double x, double y) {
  return {{1, 0, x, 0, 1, y, 0, 0, 1}};
}

// From pixel centres of an image to those of the image enlarged `scale` times.
Homography scaling(double scale) {
  const double shift = (scale - 1) / 2;
  return {{scale, 0, shift, 0, scale, shift, 0, 0, 1}};
}

double products(const ImageView& object, const ImageView& scene, int factor) {
  const double positions =
      (scene.width - object.width + 1.0) * (scene.height - object.height + 1.0);
  return positions * static_cast<double>(object.size()) / std::pow(factor, 4);
}

int reduction_factor(const ImageView& object, const ImageView& scene) {
  int factor = 1;
  while (products(object, scene, factor) > kMaxProducts &&
         std::min(object.width, object.height) >= 2 * factor * kMinReducedSidePx) {
    factor *= 2;
  }
  return factor;
}

bool fits(const ImageView& object, const ImageView& scene) {
  return !object.empty() && object.width <= scene.width && object.height <= scene.height;
}

}  // namespace

GrayImage PlainSearch::resize(const ImageView& image, double scale) {
  const auto side = [&](int length) { return static_cast<int>(std::lround(length * scale)); };
  return warp_.warp(image, scaling(1 / scale), side(image.width), side(image.height)).image;
}

std::optional<double> PlainSearch::correlation_at(const ImageView& object, const ImageView& scene,
                                                  const Homography& object_to_scene) {
  const Warped rectified = warp_.warp(scene, object_to_scene, object.width, object.height);
  return correlation_.correlate(object, rectified.image.view(), rectified.mask.view());
}

std::optional<SharpenedPose> PlainSearch::find(const ImageView& object, const ImageView& scene,
                                               double scale) {
  if (scale == 1) return find_unscaled(object, scene);
  std::optional<SharpenedPose> pose = find_unscaled(resize(object, scale).view(), scene);
  if (pose) pose->object_to_scene = pose->object_to_scene * scaling(scale);
  return pose;
}

std::optional<SharpenedPose> PlainSearch::find_unscaled(const ImageView& object,
                                                        const ImageView& scene) {
  if (!fits(object, scene)) return std::nullopt;
  const int factor = reduction_factor(object, scene);
  if (factor == 1) return find_near(object, scene, {0, 0}, std::max(scene.width, scene.height));
  const GrayImage small_object = resize(object, 1.0 / factor);
  const GrayImage small_scene = resize(scene, 1.0 / factor);
  const std::array<CorrelationPair, 1> pair = {
      CorrelationPair{small_scene.view(), small_object.view()}};
  const auto peak = correlation_.best_matches(pair).front();
  if (!peak) return std::nullopt;
  return find_near(object, scene, {double{peak->x} * factor, double{peak->y} * factor}, 2 * factor);
}

std::optional<SharpenedPose> PlainSearch::find_near(const ImageView& object, const ImageView& scene,
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
  const SharpenedPose whole{translation(std::round(x), std::round(y)), peak->correlation};
  const Homography between = translation(x, y);
  const auto correlation = correlation_at(object, scene, between);
  return correlation > whole.correlation ? SharpenedPose{between, correlation} : whole;
}

}  // namespace lookalike
