#include "stages/match/verify/pose.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/random.h"
#include "stages/match/verify/pose_candidates.h"
#include "stages/match/verify/pose_fit.h"
#include "stages/match/verify/pose_geometry.h"

namespace lookalike {
namespace {

constexpr double kObjectShare = 0.04;  // an inlier's distance is at most this share of the
                                       // object's diagonal as it lies in the scene
constexpr std::size_t kRefinedHypotheses = 6;
constexpr std::size_t kAffineInliers = 5;
constexpr std::size_t kPerspectiveInliers = 8;
// What the truncated cost must fall by to take a homography's two further parameters: inliers
// scatter by about a quarter of their distance, so noise alone makes it fall by an eighth.
constexpr double kPerspectiveGain = 0.4;
constexpr int kGridCells = 32;
constexpr std::uint32_t kMinCells = 4;  // fewer places say nothing of the whole object

class PoseFinder {
 public:
  PoseFinder(std::span<const PlacePair> pairs, const PoseOptions& options) : options_(options) {
    candidates_.reserve(pairs.size());
    for (const PlacePair& pair : pairs) {
      candidates_.push_back(candidate_of(pair));
      similarities_.add(candidates_.back());
    }
  }

  std::optional<Pose> find() const {
    std::optional<Homography> best;
    double best_cost = static_cast<double>(candidates_.size());
    for (const Homography& map : refined_hypotheses()) {
      const double map_cost = cost(map, tolerance(map));
      if (map_cost < best_cost) {
        best = map;
        best_cost = map_cost;
      }
    }
    if (!best) return std::nullopt;
    const Homography map = with_perspective(*best);
    Pose pose{map, inliers(map, tolerance(map)), 0};
    if (pose.inliers.size() < options_.min_inliers) return std::nullopt;
    pose.effective_inliers = occupied_cells(pose.inliers);
    if (pose.effective_inliers < kMinCells) return std::nullopt;
    return pose;
  }

 private:
  double tolerance(const Homography& map) const {
    const Point centre = middle(options_.object_width, options_.object_height);
    const double area = jacobian(map, centre).determinant();
    const double diagonal =
        std::sqrt(std::abs(area)) * std::hypot(options_.object_width, options_.object_height);
    return std::min(options_.inlier_distance_px, kObjectShare * diagonal);
  }

  // Squared distance in the scene; infinite when scale or turn disagree.
  static double squared_distance(const Homography& map, const PoseCandidate& pair) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const double w = depth(map, pair.points.object);
    if (!(w > 0)) return kNever;
    const Point mapped = map.apply(pair.points.object);
    const Jacobian j = jacobian(map, mapped, w);
    const double area = j.determinant();
    if (!(area < kMaxAreaRatio * pair.area_ratio && pair.area_ratio < kMaxAreaRatio * area)) {
      return kNever;
    }
    const Point& from = pair.object_direction;
    const Point turned = {j.xx * from.x + j.xy * from.y, j.yx * from.x + j.yy * from.y};
    const double along = turned.x * pair.scene_direction.x + turned.y * pair.scene_direction.y;
    if (along < kMinTurnCosine * std::hypot(turned.x, turned.y)) return kNever;
    const double x = mapped.x - pair.points.scene.x;
    const double y = mapped.y - pair.points.scene.y;
    return x * x + y * y;
  }

  // Squared distances in units of the tolerance, each at most 1, summed over all pairs
  // (Torr and Zisserman, "MLESAC", CVIU 2000).
  double cost(const Homography& map, double tolerance_px) const {
    double sum = 0;
    const double unit = 1 / (tolerance_px * tolerance_px);
    for (const PoseCandidate& pair : candidates_) {
      sum += std::min(1.0, squared_distance(map, pair) * unit);
    }
    return sum;
  }

  std::vector<std::uint32_t> inliers(const Homography& map, double tolerance_px) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
      if (squared_distance(map, candidates_[i]) < tolerance_px * tolerance_px) found.push_back(i);
    }
    return found;
  }

  // Which pairs are tried: the best half of what is allowed, the others drawn from the rest.
  std::vector<std::uint32_t> tried_pairs() const {
    std::vector<std::uint32_t> order(candidates_.size());
    std::iota(order.begin(), order.end(), 0U);
    if (order.size() <= options_.max_hypotheses) return order;
    Random random(options_.seed);
    for (std::size_t i = options_.max_hypotheses / 2; i < options_.max_hypotheses; ++i) {
      std::swap(order[i], order[i + random.bits() % (order.size() - i)]);
    }
    order.resize(options_.max_hypotheses);
    return order;
  }

  // Maps from the best hypotheses, leaving out those that an earlier one explains already.
  std::vector<Homography> refined_hypotheses() const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranked;
    for (const std::uint32_t i : tried_pairs()) {
      const Homography map = similarity_of(candidates_[i]);
      ranked.emplace_back(similarities_.cost(map, kWidening.front() * tolerance(map)), i);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<Homography> refined;
    std::vector<bool> explained(candidates_.size(), false);
    std::size_t unexplained = candidates_.size();
    std::size_t most_inliers = options_.min_inliers - 1;
    for (const auto& [unused, i] : ranked) {
      // What is left could not agree on a better pose.
      if (refined.size() == kRefinedHypotheses || unexplained <= most_inliers) break;
      if (explained[i]) continue;
      const Homography map = optimise(similarity_of(candidates_[i]));
      const auto near = inliers(map, tolerance(map));
      most_inliers = std::max(most_inliers, near.size());
      for (const std::uint32_t inlier : near) {
        unexplained -= explained[inlier] ? 0 : 1;
        explained[inlier] = true;
      }
      if (is_plausible(map, options_.object_width, options_.object_height)) refined.push_back(map);
    }
    return refined;
  }

  // The map of the model fitted to pairs, if a camera could see the object so.
  std::optional<Homography> fit(PoseModel model, const std::vector<std::uint32_t>& indices,
                                const Homography& start, double tolerance_px) const {
    std::vector<PointPair> points;
    points.reserve(indices.size());
    for (const std::uint32_t i : indices) points.push_back(candidates_[i].points);
    const std::optional<Homography> map = fit_pose(model, points, start, tolerance_px / 2);
    if (!map || !is_plausible(*map, options_.object_width, options_.object_height)) {
      return std::nullopt;
    }
    return map;
  }

  // Fits to the inliers again and again while the distance narrows.
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

  // The homography near an affine map, where the inliers support it; otherwise the affine map.
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

  std::uint32_t occupied_cells(const std::vector<std::uint32_t>& indices) const {
    std::vector<bool> occupied(std::size_t{kGridCells} * kGridCells, false);
    const auto cell = [](double position, int size) {
      return std::clamp(static_cast<int>((position + 0.5) * kGridCells / size), 0, kGridCells - 1);
    };
    for (const std::uint32_t i : indices) {
      const Point& place = candidates_[i].points.object;
      const int index =
          cell(place.y, options_.object_height) * kGridCells + cell(place.x, options_.object_width);
      occupied[static_cast<std::size_t>(index)] = true;
    }
    return static_cast<std::uint32_t>(std::count(occupied.begin(), occupied.end(), true));
  }

  static constexpr std::array<double, 4> kWidening = {3, 2, 1.5, 1};

  const PoseOptions& options_;
  std::vector<PoseCandidate> candidates_;
  SimilarityScores similarities_;
};

}  // namespace

std::optional<Pose> find_pose(std::span<const PlacePair> pairs, const PoseOptions& options) {
  if (pairs.empty() || pairs.size() < options.min_inliers) return std::nullopt;
  return PoseFinder(pairs, options).find();
}

}  // namespace lookalike
