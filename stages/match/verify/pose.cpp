#include "stages/match/verify/pose.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "base/random.h"
#include "stages/match/verify/pose_fit.h"

namespace lookalike {
namespace {

constexpr std::size_t kMaxHypotheses = 256;  // pairs to try
// Maximum distance of an inlier, relative to the object's diagonal in the scene.
constexpr double kObjectShare = 0.04;
// Limits of an inlier's scale and turn relative to the map: a factor of two, squared since areas
// are compared, and 45 degrees.
constexpr float kMaxAreaRatio = 4;
constexpr float kMinTurnCosine = 0.7071F;
constexpr std::size_t kRefinedHypotheses = 6;
// Minimum of pairs within the first tolerance, the widest, for a hypothesis to be refined: fewer
// hardly ever grow to a pose.
constexpr std::uint32_t kLeastNear = 4;
constexpr std::size_t kAffineInliers = 5;
constexpr std::size_t kPerspectiveInliers = 8;
// Minimum fall of the truncated cost for which a homography replaces an affine map. Inliers scatter
// by about a quarter of the tolerance, so noise alone makes the cost fall by an eighth.
constexpr double kPerspectiveGain = 0.4;
constexpr std::array<double, 4> kWidening = {3, 2, 1.5, 1};
// Approximate mean errors of true pairs, in radians and as the logarithm of a ratio; see
// docs/measurements/quality.md, "Probabilities".
constexpr double kTurnError = 0.11;
constexpr double kScaleError = 0.13;
constexpr int kGridCells = 32;

constexpr double kMaxArea = 1e4;      // scene area per object area; its inverse is the minimum
constexpr double kMaxSqueeze = 6;     // longest over shortest axis of a circle's image
constexpr double kMaxDepthRatio = 5;  // between the corners' distances from the camera

double square(double value) {
  return value * value;
}

Point direction(double angle_degrees) {
  const double radians = angle_degrees * std::numbers::pi / 180;
  return {std::cos(radians), std::sin(radians)};
}

// A pair prepared for scoring.
struct Candidate {
  explicit Candidate(const PlacePair& pair)
      : points{{pair.object.x, pair.object.y}, {pair.scene.x, pair.scene.y}},
        object_direction(direction(pair.object.angle_degrees)),
        scene_direction(direction(pair.scene.angle_degrees)),
        area_ratio(square(pair.scene.size / pair.object.size)) {}

  // Cosine and sine of the turn from the object's feature to the scene's.
  double turn_cosine() const {
    return scene_direction.x * object_direction.x + scene_direction.y * object_direction.y;
  }
  double turn_sine() const {
    return scene_direction.y * object_direction.x - scene_direction.x * object_direction.y;
  }

  // Returns the similarity that takes the object's feature onto the scene's.
  Homography similarity() const {
    const double scale = std::sqrt(area_ratio);
    const double a = scale * turn_cosine();
    const double b = scale * turn_sine();
    const auto& [object, scene] = points;
    return {{a, -b, scene.x - a * object.x + b * object.y, b, a,
             scene.y - b * object.x - a * object.y, 0, 0, 1}};
  }

  PointPair points;
  Point object_direction;  // unit vectors
  Point scene_direction;
  double area_ratio;  // square of the scale
};

// Scores the similarities of pairs: their costs, as PoseFinder's but in units of 1/256.
// Columns and integer sums let a compiler use vectors. Pairs are sorted into bins by turn and size,
// and a cost visits only those that could agree in both (Jegou, Douze, Schmid, "Hamming embedding
// and weak geometric consistency", ECCV 2008); each of the others costs one.
class SimilarityScores {
 public:
  SimilarityScores(std::span<const PlacePair> pairs, std::span<const Candidate> candidates) {
    bins_.reserve(pairs.size());
    for (const PlacePair& pair : pairs) bins_.push_back(bin_of(pair));
    for (const std::size_t bin : bins_) ++starts_[bin + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    std::array<std::uint32_t, kBins + 1> next = starts_;
    for (std::vector<float>& column : columns_) column.resize(pairs.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Candidate& pair = candidates[i];
      const std::uint32_t at = next[bins_[i]]++;
      const std::array<double, kColumns> values = {
          pair.points.object.x, pair.points.object.y, pair.points.scene.x, pair.points.scene.y,
          pair.turn_cosine(),   pair.turn_sine(),     pair.area_ratio};
      for (std::size_t c = 0; c < kColumns; ++c) columns_[c][at] = static_cast<float>(values[c]);
    }
  }

  struct Score {
    std::uint32_t cost = 0;
    std::uint32_t near = 0;  // pairs within the tolerance that agree in turn and size
  };

  // Scores the similarity that pair i gives.
  Score score(std::uint32_t i, const Homography& similarity, double tolerance_px) const {
    const std::size_t turn = bins_[i] / kSizes;
    const std::size_t size = bins_[i] % kSizes;
    const std::size_t smallest = size < kNearSizes ? 0 : size - kNearSizes;
    const std::size_t largest = std::min(kSizes - 1, size + kNearSizes);
    Score sum;
    std::uint32_t visited = 0;
    for (std::size_t other = turn + kTurns - kNearTurns; other <= turn + kTurns + kNearTurns;
         ++other) {
      const std::size_t row = other % kTurns * kSizes;
      const std::uint32_t first = starts_[row + smallest];
      const std::uint32_t end = starts_[row + largest + 1];
      const Score part = score(first, end, similarity, tolerance_px);
      sum.cost += part.cost;
      sum.near += part.near;
      visited += end - first;
    }
    sum.cost += (static_cast<std::uint32_t>(bins_.size()) - visited) * kUnit;
    return sum;
  }

 private:
  static constexpr std::uint32_t kUnit = 256;
  // Bins of the turn, 24 degrees each: those of two pairs that agree differ by at most two.
  static constexpr std::size_t kTurns = 15;
  static constexpr std::size_t kNearTurns = 2;
  // Bins of the size, a little more than a factor of the square root of two each; the outer ones
  // are open. Those of two pairs that agree differ by at most two.
  static constexpr std::size_t kSizes = 24;
  static constexpr std::size_t kNearSizes = 2;
  static constexpr double kBinsPerOctave = 1.99;
  static constexpr std::size_t kBins = kTurns * kSizes;
  static constexpr std::size_t kColumns = 7;

  static std::size_t bin_of(const PlacePair& pair) {
    const double turns = (pair.scene.angle_degrees - pair.object.angle_degrees) / 360;
    const auto turn = static_cast<std::size_t>((turns - std::floor(turns)) * kTurns) % kTurns;
    const double octaves = std::log2(pair.scene.size / pair.object.size);
    const double size = std::clamp(octaves * kBinsPerOctave + kSizes / 2.0, 0.0, kSizes - 1.0);
    return turn * kSizes + static_cast<std::size_t>(size);
  }

  Score score(std::uint32_t first, std::uint32_t end, const Homography& similarity,
              double tolerance_px) const {
    const auto& [object_x, object_y, scene_x, scene_y, turn_cosine, turn_sine, area_ratio] =
        columns_;
    constexpr float kFull = kUnit;
    const auto a = static_cast<float>(similarity.h[0]);
    const auto b = static_cast<float>(similarity.h[3]);
    const auto shift_x = static_cast<float>(similarity.h[2]);
    const auto shift_y = static_cast<float>(similarity.h[5]);
    const auto unit = static_cast<float>(kUnit / (tolerance_px * tolerance_px));
    const float area = a * a + b * b;
    const float least_turn = kMinTurnCosine * std::sqrt(area);
    std::int32_t sum = 0;
    std::int32_t near = 0;
    for (std::size_t i = first; i < end; ++i) {
      const float x = a * object_x[i] - b * object_y[i] + shift_x - scene_x[i];
      const float y = b * object_x[i] + a * object_y[i] + shift_y - scene_y[i];
      const bool agrees = (area < kMaxAreaRatio * area_ratio[i]) &
                          (area_ratio[i] < kMaxAreaRatio * area) &
                          (a * turn_cosine[i] + b * turn_sine[i] > least_turn);
      const float squared = std::min(kFull, (x * x + y * y) * unit);
      const float cost = agrees ? squared : kFull;
      sum += static_cast<std::int32_t>(cost);
      near += cost < kFull ? 1 : 0;
    }
    return {static_cast<std::uint32_t>(sum), static_cast<std::uint32_t>(near)};
  }

  std::vector<std::size_t> bins_;                     // of each pair
  std::array<std::uint32_t, kBins + 1> starts_{};     // of each bin in the columns
  std::array<std::vector<float>, kColumns> columns_;  // by bin
};

// Returns the ratio of the longest to the shortest axis of a small circle's image.
double squeeze(const Jacobian& j) {
  const double squares = j.xx * j.xx + j.xy * j.xy + j.yx * j.yx + j.yy * j.yy;
  const double area = std::abs(j.determinant());
  const double half_spread = std::sqrt(std::max(0.0, squares * squares / 4 - area * area));
  return (squares / 2 + half_spread) / area;
}

class PoseFinder {
 public:
  PoseFinder(std::span<const PlacePair> pairs, PictureSize object, PictureSize scene,
             const VerifyOptions& options)
      : object_(object),
        diagonal_px_(std::hypot(object.width, object.height)),
        inlier_distance_px_(options.inlier_distance * std::hypot(scene.width, scene.height)),
        min_inliers_(options.min_inliers),
        seed_(options.seed),
        candidates_(pairs.begin(), pairs.end()),
        similarities_(pairs, candidates_) {}

  std::optional<Pose> find(PoseAttempt& attempt) const {
    std::optional<Homography> best;
    double best_cost = static_cast<double>(candidates_.size());
    for (const Homography& map : refined_hypotheses(attempt)) {
      const double map_cost = cost(map, tolerance(map));
      if (map_cost < best_cost) {
        best = map;
        best_cost = map_cost;
      }
    }
    if (!best) return std::nullopt;
    Pose pose{.object_to_scene = with_perspective(*best), .inliers = {}, .inlier_points = {}};
    pose.inliers = inliers(pose.object_to_scene, tolerance(pose.object_to_scene));
    pose.inlier_points = points_of(pose.inliers);
    pose.effective_inliers = occupied_cells(pose.inlier_points);
    attempt.inliers = static_cast<std::uint32_t>(pose.inliers.size());
    attempt.cells = pose.effective_inliers;
    if (pose.inliers.size() < min_inliers_ || pose.effective_inliers < kMinCells) {
      return std::nullopt;
    }
    pose.coherence = coherence(pose);
    pose.squeeze = squeeze(jacobian(pose.object_to_scene, middle(object_.width, object_.height)));
    return pose;
  }

 private:
  // Returns maps from the best hypotheses, except those that an earlier one explains.
  std::vector<Homography> refined_hypotheses(PoseAttempt& attempt) const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranked;
    for (const std::uint32_t i : tried_pairs()) {
      const Homography map = candidates_[i].similarity();
      const auto [map_cost, near] = similarities_.score(i, map, kWidening.front() * tolerance(map));
      if (near >= kLeastNear) ranked.emplace_back(map_cost, i);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<Homography> refined;
    std::vector<bool> explained(candidates_.size(), false);
    std::size_t unexplained = candidates_.size();
    std::size_t most_inliers = min_inliers_ - 1;
    for (const auto& [unused, i] : ranked) {
      // The remaining pairs could not agree on a better pose.
      if (refined.size() == kRefinedHypotheses || unexplained <= most_inliers) break;
      if (explained[i]) continue;
      const Homography map = optimise(candidates_[i].similarity());
      const auto near = inliers(map, tolerance(map));
      most_inliers = std::max(most_inliers, near.size());
      for (const std::uint32_t inlier : near) {
        unexplained -= explained[inlier] ? 0 : 1;
        explained[inlier] = true;
      }
      if (is_plausible(map, object_.width, object_.height)) {
        refined.push_back(map);
      } else {
        attempt.implausible =
            std::max(attempt.implausible, static_cast<std::uint32_t>(near.size()));
      }
    }
    return refined;
  }

  // Returns the pairs to try: the best kMaxHypotheses / 2, and as many drawn from the rest.
  std::vector<std::uint32_t> tried_pairs() const {
    std::vector<std::uint32_t> order(candidates_.size());
    std::iota(order.begin(), order.end(), 0U);
    if (order.size() <= kMaxHypotheses) return order;
    Random random(seed_);
    for (std::size_t i = kMaxHypotheses / 2; i < kMaxHypotheses; ++i) {
      std::swap(order[i], order[i + random.bits() % (order.size() - i)]);
    }
    order.resize(kMaxHypotheses);
    return order;
  }

  // Refits the map to its inliers while the tolerance narrows.
  Homography optimise(Homography map) const {
    bool is_affine = false;
    for (const double widening : kWidening) {
      const double tolerance_px = widening * tolerance(map);
      const auto near = inliers(map, tolerance_px);
      std::optional<Homography> better;
      if (near.size() >= kAffineInliers) {
        better = fit(PoseModel::kAffine, near, map, tolerance_px);
        is_affine = is_affine || better;
      }
      if (!is_affine) better = fit(PoseModel::kSimilarity, near, map, tolerance_px);
      if (better) map = *better;
    }
    return map;
  }

  // Returns the homography near an affine map if the inliers support it, else the affine map.
  Homography with_perspective(const Homography& affine) const {
    std::optional<Homography> map = affine;
    for (const double widening : kWidening) {
      const double tolerance_px = widening * tolerance(*map);
      map = fit(PoseModel::kPerspective, inliers(*map, tolerance_px), *map, tolerance_px);
      if (!map) return affine;
    }
    const double gain = cost(affine, tolerance(affine)) - cost(*map, tolerance(affine));
    const bool enough = inliers(*map, tolerance(*map)).size() >= kPerspectiveInliers;
    return enough && gain > kPerspectiveGain ? *map : affine;
  }

  // Fits the model to pairs; returns nothing if the map is not plausible.
  std::optional<Homography> fit(PoseModel model, const std::vector<std::uint32_t>& indices,
                                const Homography& start, double tolerance_px) const {
    const auto map = fit_pose(model, points_of(indices), start, tolerance_px / 2);
    return map && is_plausible(*map, object_.width, object_.height) ? map : std::nullopt;
  }

  double tolerance(const Homography& map) const {
    const double area = jacobian(map, middle(object_.width, object_.height)).determinant();
    return std::min(inlier_distance_px_, kObjectShare * std::sqrt(std::abs(area)) * diagonal_px_);
  }

  // Returns the squared distance in the scene; infinite from `limit` on, or if scale or turn
  // disagree. Tests the distance first: it is the cheapest, and most pairs fail it.
  static double squared_distance(const Homography& map, const Candidate& pair, double limit) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const double w = map.depth(pair.points.object);
    if (!(w > 0)) return kNever;
    const Point mapped = map.apply(pair.points.object);
    const double x = mapped.x - pair.points.scene.x;
    const double y = mapped.y - pair.points.scene.y;
    const double squared = x * x + y * y;
    if (!(squared < limit)) return kNever;
    const Jacobian j = jacobian(map, mapped, w);
    const double area = j.determinant();
    if (!(area < kMaxAreaRatio * pair.area_ratio && pair.area_ratio < kMaxAreaRatio * area)) {
      return kNever;
    }
    const Point& from = pair.object_direction;
    const Point turned = {j.xx * from.x + j.xy * from.y, j.yx * from.x + j.yy * from.y};
    const double along = turned.x * pair.scene_direction.x + turned.y * pair.scene_direction.y;
    if (along < kMinTurnCosine * std::sqrt(square(turned.x) + square(turned.y))) return kNever;
    return squared;
  }

  // Sums the squared distances in units of the tolerance, each at most 1, over all pairs (Torr and
  // Zisserman, "MLESAC", CVIU 2000).
  double cost(const Homography& map, double tolerance_px) const {
    double sum = 0;
    const double unit = 1 / (tolerance_px * tolerance_px);
    const double limit = 2 / unit;  // beyond the tolerance by more than rounding
    for (const Candidate& pair : candidates_) {
      sum += std::min(1.0, squared_distance(map, pair, limit) * unit);
    }
    return sum;
  }

  std::vector<std::uint32_t> inliers(const Homography& map, double tolerance_px) const {
    std::vector<std::uint32_t> found;
    const double limit = tolerance_px * tolerance_px;
    for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
      if (squared_distance(map, candidates_[i], limit) < limit) found.push_back(i);
    }
    return found;
  }

  double coherence(const Pose& pose) const {
    double turn = 0;
    double scale = 0;
    for (const std::uint32_t i : pose.inliers) {
      const Candidate& pair = candidates_[i];
      const Jacobian j = jacobian(pose.object_to_scene, pair.points.object);
      const Point& from = pair.object_direction;
      const Point turned = {j.xx * from.x + j.xy * from.y, j.yx * from.x + j.yy * from.y};
      const Point& to = pair.scene_direction;
      turn += std::abs(
          std::atan2(turned.x * to.y - turned.y * to.x, turned.x * to.x + turned.y * to.y));
      scale += std::abs(std::log(j.determinant() / pair.area_ratio)) / 2;
    }
    const auto ratio = [&](double sum, double range, double error) {
      return std::log(range / error) - sum / static_cast<double>(pose.inliers.size()) / error;
    };
    return ratio(turn, std::numbers::pi / 4, kTurnError) +
           ratio(scale, std::numbers::ln2, kScaleError);
  }

  std::vector<PointPair> points_of(const std::vector<std::uint32_t>& indices) const {
    std::vector<PointPair> points;
    points.reserve(indices.size());
    for (const std::uint32_t i : indices) points.push_back(candidates_[i].points);
    return points;
  }

  std::uint32_t occupied_cells(const std::vector<PointPair>& points) const {
    std::vector<bool> occupied(std::size_t{kGridCells} * kGridCells, false);
    const auto cell = [](double position, int size) {
      return std::clamp(static_cast<int>((position + 0.5) * kGridCells / size), 0, kGridCells - 1);
    };
    for (const auto& [place, unused] : points) {
      const int index = cell(place.y, object_.height) * kGridCells + cell(place.x, object_.width);
      occupied[static_cast<std::size_t>(index)] = true;
    }
    return static_cast<std::uint32_t>(std::count(occupied.begin(), occupied.end(), true));
  }

  const PictureSize object_;
  const double diagonal_px_;  // of the object
  const double inlier_distance_px_;
  const std::size_t min_inliers_;
  const std::uint64_t seed_;
  const std::vector<Candidate> candidates_;
  const SimilarityScores similarities_;
};

}  // namespace

std::optional<Pose> find_pose(std::span<const PlacePair> pairs, PictureSize object,
                              PictureSize scene, const VerifyOptions& options,
                              PoseAttempt* attempt) {
  if (pairs.empty() || pairs.size() < options.min_inliers) return std::nullopt;
  PoseAttempt unused;
  return PoseFinder(pairs, object, scene, options).find(attempt ? *attempt : unused);
}

bool is_plausible(const Homography& object_to_scene, int width, int height) {
  const std::array<Point, 4> corners = {Point{-0.5, -0.5}, Point{width - 0.5, -0.5},
                                        Point{width - 0.5, height - 0.5},
                                        Point{-0.5, height - 0.5}};
  double nearest = std::numeric_limits<double>::infinity();
  double farthest = 0;
  for (const Point& corner : corners) {
    const double w = object_to_scene.depth(corner);
    if (!(w > 0)) return false;
    nearest = std::min(nearest, w);
    farthest = std::max(farthest, w);
  }
  if (farthest > kMaxDepthRatio * nearest) return false;
  const Quad quad = outline(object_to_scene, width, height);
  const double area = signed_area(quad) / (static_cast<double>(width) * height);
  if (!is_convex(quad) || area > kMaxArea || area < 1 / kMaxArea) return false;
  return squeeze(jacobian(object_to_scene, middle(width, height))) <= kMaxSqueeze;
}

}  // namespace lookalike
