#include "stages/match/refine/refiner.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "base/artefacts.h"
#include "stages/match/refine/agreement.h"
#include "stages/match/verify/pose.h"
#include "stages/match/verify/pose_fit.h"

namespace lookalike {
namespace {

constexpr double kShortestSidePx = 16;    // minimum longer side of the frame
constexpr int kBlocksAcross = 16;         // along the longer side
constexpr int kMinBlockPx = 12;           // smaller blocks are found anywhere
constexpr double kMinBlockVariance = 25;  // grey levels squared; flatter blocks are noise
constexpr float kMinBlockCorrelation = 0.6F;
constexpr std::size_t kMinBlocks = 12;  // fewer do not determine a homography well
constexpr int kHalvedSidePx = 128;      // minimum longer side of a frame that is halved at first
// A pose below both is chance and is not refined.
constexpr double kAbandonCorrelation = 0.2;
constexpr std::size_t kMinInliersToRefine = 12;
constexpr double kShrinkSlack = 1.0 / 64;  // excess over 1 by which a view may shrink a level
constexpr std::size_t kManyFeatures = 60;  // enough for a pose without a coarse correction

// Reduces an image by area averaging.
GrayImage reduced_to(const ImageView& image, int width, int height) {
  GrayImage reduced(width, height);
  const cv::Mat from(image.height, image.width, CV_8U, const_cast<std::uint8_t*>(image.pixels));
  cv::Mat to(height, width, CV_8U, reduced.pixels.data());
  cv::resize(from, to, to.size(), 0, 0, cv::INTER_AREA);
  return reduced;
}

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

// Clears a mask of the same size where alpha is transparent.
void leave_out(const GrayImage& alpha, GrayImage& mask) {
  for (std::size_t i = 0; i < alpha.pixels.size(); ++i) {
    if (!is_opaque(alpha.pixels[i])) mask.pixels[i] = 0;
  }
}

double longest_side(const Quad& quad) {
  double longest = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Point& next = quad[(i + 1) % 4];
    longest = std::max(longest, std::hypot(next.x - quad[i].x, next.y - quad[i].y));
  }
  return longest;
}

// Returns the pixels of the scene per pixel, along the axis with fewer.
double shrinking(const Homography& map, Point at) {
  const Jacobian j = jacobian(map, at);
  return std::min(std::hypot(j.xx, j.yx), std::hypot(j.xy, j.yy));
}

}  // namespace

// The object, reduced so that neither it nor its place in the scene is enlarged.
struct PoseRefiner::Frame {
  Frame(const ImageView& image, const ImageView& image_alpha, double longest_side_px) {
    const double share =
        std::min(1.0, std::clamp(longest_side_px, kShortestSidePx, kLongestSidePx) /
                          std::max(image.width, image.height));
    const auto reduced = [&](int side) {
      return std::max(1, static_cast<int>(std::lround(side * share)));
    };
    const int width = reduced(image.width);
    const int height = reduced(image.height);
    to_object = resizing(width, height, image.width, image.height);
    const auto in_frame = [&](const ImageView& view) {
      return share < 1 ? reduced_to(view, width, height) : crop(view, 0, 0, width, height);
    };
    object = in_frame(image);
    if (!image_alpha.empty()) alpha = in_frame(image_alpha);
  }

  // Returns the frame at half the size: it is cheaper, and blocks of as many pixels reach twice as
  // far.
  Frame halved() const {
    Frame half;
    half.object = lookalike::halved(object.view());
    half.alpha = lookalike::halved(alpha.view());
    half.to_object = to_object * kHalvedToFull;
    return half;
  }

  int longest() const { return std::max(object.width, object.height); }

  GrayImage object;
  GrayImage alpha;       // empty: all opaque
  Homography to_object;  // frame px to the object's reduced px

 private:
  Frame() = default;
};

// The scene in the frame under a map, with a margin, and its agreement with the object.
struct PoseRefiner::View {
  Homography object_to_scene;  // between reduced px
  int margin_px = 0;
  Warped rectified;
  std::optional<double> correlation;
  std::vector<DetailCell> cells;
};

PoseRefiner::View PoseRefiner::view(const Frame& frame, const Pyramid& scene,
                                    const Homography& object_to_scene, int margin_px) {
  const int width = frame.object.width;
  const int height = frame.object.height;
  const Homography window_to_scene =
      object_to_scene * frame.to_object * translation(-margin_px, -margin_px);
  const int window_width = width + 2 * margin_px;
  const int window_height = height + 2 * margin_px;
  const Pyramid::Level& level =
      scene.level_for(shrinking(window_to_scene, middle(window_width, window_height)));
  View seen{object_to_scene,
            margin_px,
            warp_.warp(level.image, level.to_full.inverse() * window_to_scene, window_width,
                       window_height),
            {},
            {}};
  const ImageView alpha = scene.image().alpha.view();
  if (!alpha.empty()) {
    leave_out(warp_.warp(alpha, window_to_scene, window_width, window_height).image,
              seen.rectified.mask);
  }
  const GrayImage inner = crop(seen.rectified.image.view(), margin_px, margin_px, width, height);
  GrayImage mask = crop(seen.rectified.mask.view(), margin_px, margin_px, width, height);
  leave_out(frame.alpha, mask);
  const GrayImage telling = without_bars(frame.object.view(), inner.view(), mask.view());
  seen.correlation = correlation_.correlate(frame.object.view(), inner.view(), telling.view());
  seen.cells = compare_cells(frame.object.view(), inner.view(), mask.view());
  return seen;
}

// Returns the pose of a view and its agreement, in reduced px.
RefinedPose PoseRefiner::pose_of(const Frame& frame, const View& seen,
                                 std::span<const PointPair> features) {
  RefinedPose pose{seen.object_to_scene, seen.correlation, detail_agreement(seen.cells)};
  pose.exact = share_of_exact(seen.cells);
  const Homography to_frame = frame.to_object.inverse();
  std::vector<Point> positions;
  for (const PointPair& feature : features) positions.push_back(to_frame.apply(feature.object));
  pose.part = shared_part(seen.cells, positions, frame.object.width, frame.object.height);
  if (pose.part) pose.part = moved(*pose.part, frame.to_object);
  return pose;
}

RefinedPose PoseRefiner::refine(const DecodedImage& object, const Pyramid& scene,
                                const Homography& object_to_scene,
                                std::span<const PointPair> features) {
  const Homography to_object = reduction(object);
  const Homography to_scene = reduction(scene.image());
  std::vector<PointPair> reduced;
  for (const PointPair& pair : features) {
    reduced.push_back({to_object.apply(pair.object), to_scene.apply(pair.scene)});
  }
  RefinedPose pose =
      refine_reduced(object, scene, to_scene * object_to_scene * to_object.inverse(), reduced);
  pose.object_to_scene = to_scene.inverse() * pose.object_to_scene * to_object;
  if (pose.part) pose.part = moved(*pose.part, pose.object_to_scene * to_object.inverse());
  return pose;
}

RefinedPose PoseRefiner::refine_reduced(const DecodedImage& object, const Pyramid& scene,
                                        Homography from, std::span<const PointPair> features) {
  const ImageView pixels = object.pixels.view();
  const Frame fine(pixels, object.alpha.view(),
                   longest_side(outline(from, pixels.width, pixels.height)));
  if (features.size() < kManyFeatures) {
    const bool halved = fine.longest() >= kHalvedSidePx;
    const Frame coarse = halved ? fine.halved() : fine;
    const View first = view(coarse, scene, from, std::max(4, coarse.longest() / 20));
    const bool chance = first.correlation.value_or(-1) < kAbandonCorrelation && !features.empty() &&
                        features.size() < kMinInliersToRefine;
    if (chance) return pose_of(coarse, first, features);
    from = corrected(coarse, scene, first, features).object_to_scene;
  }
  const View second = view(fine, scene, from, std::max(3, fine.longest() / 64));
  return pose_of(fine, corrected(fine, scene, second, features), features);
}

RefinedPose PoseRefiner::whole(const DecodedImage& object, const DecodedImage& scene) {
  const ImageView mine = object.pixels.view();
  const ImageView its = scene.pixels.view();
  const double share =
      std::min(1.0, kLongestSidePx / std::max({mine.width, mine.height, its.width, its.height}));
  const int width = std::max(1, static_cast<int>(std::lround(mine.width * share)));
  const int height = std::max(1, static_cast<int>(std::lround(mine.height * share)));
  const GrayImage a = reduced_to(mine, width, height);
  const GrayImage b = reduced_to(its, width, height);
  GrayImage mask(width, height);
  std::ranges::fill(mask.pixels, std::uint8_t{255});
  RefinedPose pose{
      resizing(object.record.width, object.record.height, scene.record.width, scene.record.height),
      1.0};
  pose.identical = a.pixels == b.pixels;
  if (!pose.identical) {
    const GrayImage telling = without_bars(a.view(), b.view(), mask.view());
    pose.correlation = correlation_.correlate(a.view(), b.view(), telling.view());
  }
  const std::vector<DetailCell> cells = compare_cells(a.view(), b.view(), mask.view());
  pose.detail = detail_agreement(cells);
  pose.exact = share_of_exact(cells);
  return pose;
}

// Returns the view under the map that aligns its blocks, unless that correlates worse.
PoseRefiner::View PoseRefiner::corrected(const Frame& frame, const Pyramid& scene, View seen,
                                         std::span<const PointPair> features) {
  std::vector<PointPair> pairs = find_blocks(frame, seen);
  if (pairs.size() < kMinBlocks) return seen;
  pairs.insert(pairs.end(), features.begin(), features.end());
  const Homography frame_to_scene = seen.object_to_scene * frame.to_object;
  const int width = frame.object.width;
  const int height = frame.object.height;
  const double pixel =
      std::sqrt(std::abs(jacobian(frame_to_scene, middle(width, height)).determinant()));
  std::optional<Homography> map = seen.object_to_scene;
  for (const double scale_px : {seen.margin_px / 2.0, 1.5}) {
    if (map) map = fit_pose(PoseModel::kPerspective, pairs, *map, scale_px * pixel);
  }
  if (!map || !is_plausible(*map * frame.to_object, width, height)) return seen;
  View better = view(frame, scene, *map, 0);
  return better.correlation && better.correlation >= seen.correlation ? better : seen;
}

// Finds the object's blocks in the scene; in reduced px.
std::vector<PointPair> PoseRefiner::find_blocks(const Frame& frame, const View& seen) {
  const int radius_px = seen.margin_px;
  const int width = frame.object.width;
  const int height = frame.object.height;
  const int side = std::max(kMinBlockPx, std::max(width, height) / kBlocksAcross);
  const Homography frame_to_scene = seen.object_to_scene * frame.to_object;
  std::vector<GrayImage> windows;
  std::vector<GrayImage> blocks;
  std::vector<Point> corners;
  for (int y = 0; y + side <= height; y += side) {
    for (int x = 0; x + side <= width; x += side) {
      GrayImage block = crop(frame.object.view(), x, y, side, side);
      if (variance(block) < kMinBlockVariance) continue;
      const auto alpha =
          frame.alpha.empty() ? GrayImage() : crop(frame.alpha.view(), x, y, side, side);
      const auto defined =
          crop(seen.rectified.mask.view(), x + radius_px, y + radius_px, side, side);
      if (!std::ranges::all_of(alpha.pixels, is_opaque)) continue;
      if (std::ranges::find(defined.pixels, 0) != defined.pixels.end()) continue;
      blocks.push_back(std::move(block));
      windows.push_back(
          crop(seen.rectified.image.view(), x, y, side + 2 * radius_px, side + 2 * radius_px));
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

GrayImage halved(const ImageView& image) {
  GrayImage half(image.width / 2, image.height / 2);
  for (int y = 0; y < half.height; ++y) {
    const std::uint8_t* upper = image.pixels + std::ptrdiff_t{2} * y * image.width;
    const std::uint8_t* lower = upper + image.width;
    std::uint8_t* row = half.pixels.data() + std::ptrdiff_t{y} * half.width;
    for (std::ptrdiff_t x = 0; x < half.width; ++x) {
      const int sum = upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1];
      row[x] = static_cast<std::uint8_t>((sum + 2) / 4);
    }
  }
  return half;
}

Homography reduction(const DecodedImage& image) {
  const double shift = to_reduced(0, image.scale);
  return {{image.scale, 0, shift, 0, image.scale, shift, 0, 0, 1}};
}

Pyramid::Pyramid(const DecodedImage& image) : image_(image) {
  levels_.push_back({image.pixels.view(), {}});
  while (std::min(levels_.back().image.width, levels_.back().image.height) >= 2 * kLeastSidePx) {
    halves_.push_back(halved(levels_.back().image));  // moving an image leaves its pixels in place
    levels_.push_back({halves_.back().view(), levels_.back().to_full * kHalvedToFull});
  }
}

const Pyramid::Level& Pyramid::level_for(double shrink) const {
  std::size_t level = 0;
  while (level + 1 < levels_.size() && shrink > 1 + kShrinkSlack) {
    shrink /= 2;
    ++level;
  }
  return levels_[level];
}

}  // namespace lookalike
