#include "stages/match/locate/search_plan.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lookalike {
namespace {

constexpr double kMaxMargin = 0.6;
constexpr double kMostFirstTaps = 128;
constexpr double kChanceHits = 0.01;  // of a search, about, by what has nothing to do with it
constexpr double kReachSlack = 1.25;  // for scales that the fit walks through

}  // namespace

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
  const double share = kMostFirstTaps / static_cast<double>(sampled.points.size());
  // Multiples of the golden ratio lie evenly along rows and, unlike every n-th point, across them.
  double place = 0;
  std::erase_if(sampled.points, [&](const Point&) {
    place += std::numbers::phi;
    return place - std::floor(place) >= share;
  });
  return sampled;
}

}  // namespace lookalike
