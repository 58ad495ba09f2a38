#include "stages/match/locate/pose_grid.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

namespace lookalike {
namespace {

constexpr double kCircle = 2 * std::numbers::pi;

double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

}  // namespace

PoseGrid::Axis PoseGrid::axis(double low, double high, double step) {
  if (!(high > low)) return {.base = low};
  Axis axis{.base = low <= 0 && high >= 0 ? 0 : low, .step = std::min(step, high - low)};
  axis.first = static_cast<int>(std::floor((low - axis.base) / axis.step + 1e-9));
  axis.last = static_cast<int>(std::ceil((high - axis.base) / axis.step - 1e-9));
  return axis;
}

PoseGrid::PoseGrid(const LocateOptions& options, double rim_px, int coarsest)
    : coarsest_(coarsest) {
  const double scale = std::sqrt(options.min_scale * options.max_scale);
  const double pixel_at_rim = 1 / std::max(1.0, rim_px * scale / (1 << coarsest));
  const double turn_step =
      options.turn_step_degrees > 0 ? radians(options.turn_step_degrees) : pixel_at_rim;
  const double low = radians(options.min_turn_degrees);
  const double high = radians(options.max_turn_degrees);
  if (high - low > kCircle - 1e-9) {
    const int count = static_cast<int>(std::ceil(kCircle / turn_step));
    turns_ = {.step = kCircle / count, .last = count - 1, .circle = true};
  } else {
    turns_ = axis(low, high, turn_step);
  }
  scales_ = axis(std::log(options.min_scale), std::log(options.max_scale),
                 options.scale_step > 0 ? std::log1p(options.scale_step) : pixel_at_rim);
}

std::vector<PoseIndex> PoseGrid::coarsest_poses() const {
  std::vector<PoseIndex> poses;
  for (int scale = scales_.first; scale <= scales_.last; ++scale) {
    for (int turn = turns_.first; turn <= turns_.last; ++turn) poses.push_back({turn, scale});
  }
  return poses;
}

double PoseGrid::max_scale() const {
  return std::exp(scales_.base + scales_.last * scales_.step);
}

TurnScale PoseGrid::pose(PoseIndex index, int level) const {
  return {turns_.base + index.turn * turn_step(level),
          std::exp(scales_.base + index.scale * log_scale_step(level))};
}

std::vector<PoseIndex> PoseGrid::around(PoseIndex index, int level, int turns, int scales) const {
  const int halvings = coarsest_ - level;
  const int turn_count = (turns_.last + 1) << halvings;
  const auto range = [&](const Axis& axis, int at, int reach) {
    if (axis.step == 0) return std::pair{at, at};
    if (axis.circle) return std::pair{at - reach, at + reach};
    return std::pair{std::max(at - reach, axis.first * (1 << halvings)),
                     std::min(at + reach, axis.last * (1 << halvings))};
  };
  const auto [first_turn, last_turn] = range(turns_, index.turn, turns);
  const auto [first_scale, last_scale] = range(scales_, index.scale, scales);
  std::vector<PoseIndex> found;
  for (int scale = first_scale; scale <= last_scale; ++scale) {
    for (int turn = first_turn; turn <= last_turn; ++turn) {
      const int wrapped = turns_.circle ? (turn + turn_count) % turn_count : turn;
      found.push_back({wrapped, scale});
    }
  }
  return found;
}

int PoseGrid::turns_apart(PoseIndex a, PoseIndex b, int level) const {
  const int apart = std::abs(a.turn - b.turn);
  if (!turns_.circle) return apart;
  return std::min(apart, ((turns_.last + 1) << (coarsest_ - level)) - apart);
}

}  // namespace lookalike
