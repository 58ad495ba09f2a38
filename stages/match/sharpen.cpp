#include "stages/match/sharpen.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stages/match/crop.h"
#include "stages/match/pose_geometry.h"
#include "stages/match/quad.h"

namespace lookalike {
namespace {

constexpr double kLongestSidePx = 320;    // of the frame; larger costs time and gains nothing
constexpr double kShortestSidePx = 16;    // of the frame's longer side
constexpr int kBlocksAcross = 16;         // along the longer side
constexpr int kMinBlockPx = 12;           // smaller blocks are found anywhere
constexpr double kMinBlockVariance = 25;  // grey levels squared; flatter blocks are noise
constexpr float kMinBlockCorrelation = 0.6F;
constexpr std::size_t kMinBlocks = 12;  // fewer do not determine a homography well

double variance(const GrayImage& image) {
  double sum = 0;
  double squares = 0;
  for (const std::uint8_t value : image.pixels) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  const auto count = static_cast<double>(image.pixels.size());
  return squares / count - sum * sum / (count * count);
}

bool all_defined(const GrayImage& mask) {
  return std::all_of(mask.pixels.begin(), mask.pixels.end(), [](std::uint8_t v) { return v != 0; });
}

double longest_side(const Quad& quad) {
  double longest = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Point& next = quad[(i + 1) % 4];
    longest = std::max(longest, std::hypot(next.x - quad[i].x, next.y - quad[i].y));
  }
  return longest;
}

Homography shift(double x, double y) {
  return {{1, 0, x, 0, 1, y, 0, 0, 1}};
}

}  // namespace

// The object, reduced so that neither it nor its place in the scene is enlarged.
struct PoseSharpener::Frame {
  Frame(Warp& warp, const ImageView& image, double longest_side_px) {
    const double share =
        std::min(1.0, std::clamp(longest_side_px, kShortestSidePx, kLongestSidePx) /
                          std::max(image.width, image.height));
    const auto reduced = [&](int side) {
      return std::max(1, static_cast<int>(std::lround(side * share)));
    };
    const int width = reduced(image.width);
    const int height = reduced(image.height);
    const double x = static_cast<double>(image.width) / width;
    const double y = static_cast<double>(image.height) / height;
    to_object = {{x, 0, (x - 1) / 2, 0, y, (y - 1) / 2, 0, 0, 1}};
    object = warp.warp(image, to_object, width, height).image;
  }

  GrayImage object;
  Homography to_object;  // frame px to object px
};

SharpenedPose PoseSharpener::sharpen(const ImageView& object, const ImageView& scene,
                                     const Homography& object_to_scene,
                                     std::span<const PointPair> features) {
  const Frame frame(warp_, object,
                    longest_side(outline(object_to_scene, object.width, object.height)));
  SharpenedPose best{object_to_scene, correlation_at(frame, scene, object_to_scene)};
  const int longest = std::max(frame.object.width, frame.object.height);
  for (const int radius_px : {std::max(4, longest / 20), std::max(3, longest / 64)}) {
    std::vector<PointPair> pairs = find_blocks(frame, scene, best.object_to_scene, radius_px);
    if (pairs.size() < kMinBlocks) break;
    pairs.insert(pairs.end(), features.begin(), features.end());
    const Homography frame_to_scene = best.object_to_scene * frame.to_object;
    const double pixel = std::sqrt(std::abs(
        jacobian(frame_to_scene, middle(frame.object.width, frame.object.height)).determinant()));
    std::optional<Homography> map = best.object_to_scene;
    for (const double scale_px : {radius_px / 2.0, 1.5}) {
      if (map) map = fit_pose(PoseModel::kPerspective, pairs, *map, scale_px * pixel);
    }
    if (!map || !is_plausible(*map, object.width, object.height)) break;
    const std::optional<double> correlation = correlation_at(frame, scene, *map);
    if (!correlation || (best.correlation && *correlation < *best.correlation)) break;
    best = {*map, correlation};
  }
  return best;
}

std::optional<double> PoseSharpener::correlation_at(const Frame& frame, const ImageView& scene,
                                                    const Homography& object_to_scene) {
  const Warp::Warped rectified =
      warp_.warp(scene, object_to_scene * frame.to_object, frame.object.width, frame.object.height);
  return correlation_.correlate(frame.object.view(), rectified.image.view(), rectified.mask.view());
}

// Where the scene shows the object's blocks: centres in the object, places in the scene.
std::vector<PointPair> PoseSharpener::find_blocks(const Frame& frame, const ImageView& scene,
                                                  const Homography& object_to_scene,
                                                  int radius_px) {
  const int width = frame.object.width;
  const int height = frame.object.height;
  const int side = std::max(kMinBlockPx, std::max(width, height) / kBlocksAcross);
  const Homography frame_to_scene = object_to_scene * frame.to_object;
  const Warp::Warped rectified = warp_.warp(scene, frame_to_scene * shift(-radius_px, -radius_px),
                                            width + 2 * radius_px, height + 2 * radius_px);
  std::vector<GrayImage> windows;
  std::vector<GrayImage> blocks;
  std::vector<Point> corners;
  for (int y = 0; y + side <= height; y += side) {
    for (int x = 0; x + side <= width; x += side) {
      GrayImage block = crop(frame.object.view(), x, y, side, side);
      if (variance(block) < kMinBlockVariance) continue;
      if (!all_defined(crop(rectified.mask.view(), x + radius_px, y + radius_px, side, side)))
        continue;
      blocks.push_back(std::move(block));
      windows.push_back(
          crop(rectified.image.view(), x, y, side + 2 * radius_px, side + 2 * radius_px));
      corners.push_back({static_cast<double>(x), static_cast<double>(y)});
    }
  }
  std::vector<CorrelationPair> wanted;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    wanted.push_back({windows[i].view(), blocks[i].view()});
  }
  const auto peaks = correlation_.best_matches(wanted);
  std::vector<PointPair> found;
  for (std::size_t i = 0; i < peaks.size(); ++i) {
    if (!peaks[i] || peaks[i]->correlation < kMinBlockCorrelation) continue;
    const Point moved = {double{peaks[i]->x} - radius_px, double{peaks[i]->y} - radius_px};
    if (std::max(std::abs(moved.x), std::abs(moved.y)) > radius_px - 0.75) continue;  // cut off
    const Point centre = {corners[i].x + (side - 1) / 2.0, corners[i].y + (side - 1) / 2.0};
    found.push_back({frame.to_object.apply(centre),
                     frame_to_scene.apply({centre.x + moved.x, centre.y + moved.y})});
  }
  return found;
}

}  // namespace lookalike
