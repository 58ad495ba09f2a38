#include "stages/match/locate/search_plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <numbers>
#include <utility>

#include "base/image.h"
#include "base/pair_sums.h"

namespace lookalike {
namespace {

constexpr double kMaxMargin = 0.6;
constexpr double kMaxFirstTaps = 128;
constexpr double kChanceHits = 0.01;  // false hits per search, about
constexpr double kReachSlack = 1.25;  // for scales that the fit passes through

constexpr double kCircle = 2 * std::numbers::pi;

double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

float sample(const PoseObject& object, double x, double y) {
  const auto pixel = [&](int column, int row) {
    return double{
        object.pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(object.width) +
                      static_cast<std::size_t>(column)]};
  };
  return static_cast<float>(bilinear(pixel, object.width, object.height, x, y));
}

double correlation_when_moved(const PoseObject& object, const Point& shift, const TurnScale& pose) {
  const double cosine = pose.scale * std::cos(pose.turn);
  const double sine = pose.scale * std::sin(pose.turn);
  PairSums<double> sums;
  for (const Point& point : object.points) {
    sums.add(sample(object, object.centre.x + point.x, object.centre.y + point.y),
             sample(object, object.centre.x + cosine * point.x - sine * point.y + shift.x,
                    object.centre.y + sine * point.x + cosine * point.y + shift.y));
  }
  return correlation_of(sums);
}

// Returns the largest loss of score between the poses of a level's grid: 1 less the object's
// correlation with itself, moved by half a pixel along both axes and turned and scaled by half a
// step, in the worst of the 16 directions.
double grid_loss(const PoseObject& object, const PoseGrid& grid, int level) {
  double worst = 1;
  for (int corner = 0; corner < 16; ++corner) {
    const auto sign = [&](int bit) { return (corner >> bit & 1) != 0 ? 0.5 : -0.5; };
    worst =
        std::min(worst, correlation_when_moved(object, {sign(0), sign(1)},
                                               {sign(2) * grid.turn_step(level),
                                                std::exp(sign(3) * grid.log_scale_step(level))}));
  }
  return 1 - worst;
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

std::vector<TurnScale> PoseGrid::poses(std::span<const PoseIndex> indices, int level) const {
  std::vector<TurnScale> found;
  found.reserve(indices.size());
  for (const PoseIndex& index : indices) found.push_back(pose(index, level));
  return found;
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

SearchPlan::SearchPlan(const SearchObject& object, const LocateOptions& options)
    : object_(object),
      options_(options),
      coarsest_(object.coarsest(options.min_scale)),
      finest_tried_(object.finest_tried(coarsest_)),
      grid_(options, object.rim_px(), coarsest_),
      reach_px_(
          static_cast<int>(std::ceil(
              object.rim_px() * std::max(options.max_scale * kReachSlack, grid_.max_scale()))) +
          1) {
  for (int level = finest_tried_; level <= coarsest_; ++level) {
    thresholds_.push_back(threshold_at(level));
  }
}

FitFreedom SearchPlan::freedom() const {
  return {options_.max_turn_degrees > options_.min_turn_degrees,
          options_.max_scale > options_.min_scale};
}

float SearchPlan::threshold_at(int level) const {
  const double margin =
      options_.margin > 0
          ? options_.margin
          : std::min(kMaxMargin, grid_loss(object_.level(level), grid_, level) + kMarginSlack);
  return static_cast<float>(options_.min_correlation - margin);
}

double SearchPlan::wanted_nats(const ImageView& scene) const {
  const double places = std::ldexp(static_cast<double>(scene.size()), -2 * coarsest_);
  const auto poses = static_cast<double>(grid_.coarsest_poses().size());
  return std::log(std::max(1.0, places * poses) / kChanceHits);
}

bool SearchPlan::in_ranges(const TurnScale& pose) const {
  const double slack = 1 / std::max(1.0, object_.rim_px());
  const double middle = (options_.min_turn_degrees + options_.max_turn_degrees) / 2;
  const double turn = std::remainder(pose.turn * 180 / std::numbers::pi - middle, 360.0);
  return std::abs(turn) <= options_.max_turn_degrees - middle + slack * 180 / std::numbers::pi &&
         pose.scale >= options_.min_scale / (1 + slack) &&
         pose.scale <= options_.max_scale * (1 + slack);
}

bool SearchPlan::right_polarity(double correlation) const {
  return either_polarity() || (correlation > 0) == (options_.polarity == "same");
}

PoseObject SearchPlan::shown(int level) const {
  PoseObject shown = object_.level(level);
  if (options_.polarity == "reversed") {
    for (float& pixel : shown.pixels) pixel = -pixel;
  }
  return shown;
}

PoseObject SearchPlan::sampled() const {
  PoseObject sampled = shown(coarsest_);
  const double share = kMaxFirstTaps / static_cast<double>(sampled.points.size());
  // Multiples of the golden ratio lie evenly along rows and, unlike every n-th point, across them.
  double place = 0;
  std::erase_if(sampled.points, [&](const Point&) {
    place += std::numbers::phi;
    return place - std::floor(place) >= share;
  });
  return sampled;
}

}  // namespace lookalike
