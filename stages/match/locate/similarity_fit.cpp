#include "stages/match/locate/similarity_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <opencv2/core.hpp>

namespace lookalike {
namespace {

constexpr int kMaxSteps = 12;
constexpr int kPatientSteps = 3;  // after which a pose below the floor is given up
constexpr int kMaxHalvings = 3;
constexpr double kSmallestStepPx = 0.002;

// The unknowns of the fit, in the order of PoseFitSums; the scene is the seventh column.
enum Unknown { kX, kY, kTurn, kScale, kObject, kOne, kScene };
constexpr int kUnknowns = 6;

double product(const PoseFitSums& sums, int a, int b) {
  const auto [row, column] = std::minmax(a, b);
  return sums[static_cast<std::size_t>(row * 7 - row * (row + 1) / 2 + column)];
}

struct Solution {
  cv::Vec6d step;
  cv::Vec6d variance;  // diagonal of the inverse
};

// Solves for the step d, gain g and offset o that minimise the squares of scene + slopes * d - g *
// object - o. Columns are scaled to length 1 first, as their units differ. Unknowns that are fixed
// or undetermined stay 0: the inverse is the pseudo-inverse.
Solution solve(const PoseFitSums& sums, const FitFreedom& freedom) {
  cv::Vec6d factor;
  for (int i = 0; i < kUnknowns; ++i) {
    const bool fixed = (i == kTurn && !freedom.turn) || (i == kScale && !freedom.scale);
    const double length = std::sqrt(product(sums, i, i));
    if (fixed || !(length > 0)) continue;
    factor(i) = (i < kObject ? 1 : -1) / length;
  }
  cv::Matx66d matrix;
  cv::Vec6d right;
  for (int row = 0; row < kUnknowns; ++row) {
    for (int column = 0; column < kUnknowns; ++column) {
      matrix(row, column) = product(sums, row, column) * factor(row) * factor(column);
    }
    right(row) = -product(sums, row, kScene) * factor(row);
  }
  cv::Matx66d inverse;
  cv::invert(matrix, inverse, cv::DECOMP_SVD);
  Solution solution{inverse * right, {}};
  for (int i = 0; i < kUnknowns; ++i) {
    solution.step(i) *= factor(i);
    solution.variance(i) = std::max(0.0, inverse(i, i)) * factor(i) * factor(i);
  }
  return solution;
}

double covariance(const PoseFitSums& sums, int a, int b) {
  return product(sums, a, b) -
         product(sums, a, kOne) * product(sums, b, kOne) / std::max(1.0, product(sums, kOne, kOne));
}

FittedPose rated(const PoseFitSums& sums, const CentrePose& pose, std::size_t object_pixels) {
  FittedPose rated{.pose = pose};
  const double count = product(sums, kOne, kOne);
  rated.inside = count / std::max(1.0, static_cast<double>(object_pixels));
  const double scene = covariance(sums, kScene, kScene);
  const double object = covariance(sums, kObject, kObject);
  const double both = covariance(sums, kScene, kObject);
  // Float sums do not distinguish less contrast from none.
  if (!(object > 0) || !(scene > 1e-6 * product(sums, kScene, kScene))) return rated;
  rated.correlation = std::clamp(both / std::sqrt(scene * object), -1.0, 1.0);
  const double left = std::max(0.0, scene - both * both / object);
  const Solution solution = solve(sums, {});
  rated.position_error_px = std::sqrt(left / std::max(1.0, count - double{kUnknowns}) *
                                      (solution.variance(kX) + solution.variance(kY)));
  return rated;
}

// A pose on its way to the best fit.
struct Walk {
  FittedPose best;
  std::array<double, 4> step{};
  int halvings = 0;
  bool started = false;
  bool done = false;

  CentrePose next() const {
    CentrePose pose = best.pose;
    pose.centre.x += step[kX];
    pose.centre.y += step[kY];
    pose.turn_scale.turn += step[kTurn];
    pose.turn_scale.scale *= std::exp(step[kScale]);
    return pose;
  }

  double step_px(double rim_px) const {
    return std::hypot(step[kX], step[kY]) +
           rim_px * best.pose.turn_scale.scale * std::hypot(step[kTurn], step[kScale]);
  }

  void move(const FittedPose& here, const PoseFitSums& sums, const FitFreedom& freedom,
            double rim_px) {
    if (started && !(std::abs(here.correlation) > std::abs(best.correlation))) {
      for (double& value : step) value /= 2;
      done = ++halvings > kMaxHalvings || step_px(rim_px) < kSmallestStepPx;
      return;
    }
    started = true;
    halvings = 0;
    best = here;
    const double count = product(sums, kOne, kOne);
    if (count > 0) best.pose.grey += product(sums, kScene, kOne) / count;
    const Solution solution = solve(sums, freedom);
    std::copy_n(solution.step.val, step.size(), step.begin());
    // The linear model holds no further.
    const double length = step_px(rim_px);
    for (double& value : step) value *= std::min(1.0, 1.5 / std::max(length, 1e-9));
    done = length < kSmallestStepPx || here.correlation == 0;
  }
};

double rim_of(const PoseObject& object) {
  double rim = 0;
  for (const Point& point : object.points) rim = std::max(rim, std::hypot(point.x, point.y));
  return rim;
}

}  // namespace

std::vector<FittedPose> rate_poses(PoseSearch& search, const PyramidLevel& level,
                                   const PoseObject& object, std::span<const CentrePose> poses) {
  if (poses.empty()) return {};
  const std::vector<PoseFitSums> sums = search.fit_sums(level, search.fit_object(object), poses);
  std::vector<FittedPose> result;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    result.push_back(rated(sums[i], poses[i], object.points.size()));
  }
  return result;
}

std::vector<FittedPose> fit_poses(PoseSearch& search, const PyramidLevel& level,
                                  const PoseObject& object, std::span<const CentrePose> poses,
                                  const FitFreedom& freedom, double floor) {
  if (poses.empty()) return {};
  const double rim_px = rim_of(object);
  const FitObject on_device = search.fit_object(object);
  std::vector<Walk> walks(poses.size());
  for (std::size_t i = 0; i < poses.size(); ++i) walks[i].best.pose = poses[i];
  for (int step = 0; step <= kMaxSteps; ++step) {
    std::vector<std::size_t> walking;
    std::vector<CentrePose> next;
    for (std::size_t i = 0; i < walks.size(); ++i) {
      if (walks[i].done) continue;
      walking.push_back(i);
      next.push_back(walks[i].next());
    }
    if (walking.empty()) break;
    const std::vector<PoseFitSums> sums = search.fit_sums(level, on_device, next);
    for (std::size_t i = 0; i < walking.size(); ++i) {
      Walk& walk = walks[walking[i]];
      walk.move(rated(sums[i], next[i], object.points.size()), sums[i], freedom, rim_px);
      if (step >= kPatientSteps && std::abs(walk.best.correlation) < floor) walk.done = true;
    }
  }
  std::vector<FittedPose> fitted;
  fitted.reserve(walks.size());
  for (const Walk& walk : walks) fitted.push_back(walk.best);
  return fitted;
}

}  // namespace lookalike
