#include "pipeline/duplicates/pair.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numbers>
#include <span>

#include "stages/match/decide/decision.h"

namespace lookalike {
namespace {

constexpr std::array<std::string_view, 8> kNames = {"part",     "object", "variant", "crop",
                                                    "mirrored", "turned", "copy",    "exact"};
constexpr double kSameScale = 0.95;
constexpr double kQuarterTurnSlack = 1;  // degrees

Quad frame_of(PictureSize size) {
  return outline({}, size.width, size.height);
}

// Adds a grid of points of an image, its corners included, that a map takes into another image.
void add_common(PictureSize size, const Homography& map, PictureSize other,
                std::vector<Point>& points) {
  constexpr int kSteps = 8;
  const Quad frame = moved(frame_of(other), translation(-0.5, -0.5));
  for (int i = 0; i <= kSteps; ++i) {
    for (int j = 0; j <= kSteps; ++j) {
      const Point at{double{1} * size.width * j / kSteps - 0.5,
                     double{1} * size.height * i / kSteps - 0.5};
      if (map.depth(at) > 0 && contains(frame, map.apply(at))) points.push_back(at);
    }
  }
}

// Edits keep a picture if they are similarities, also mirrored, or stretch it along its sides, also
// with the sides exchanged. The functions below fit one to points about their middle, by least
// squares, and return the largest departure from it.
Point as_seen(Point at, bool mirrored) {
  return {mirrored ? -at.x : at.x, at.y};
}

double departure_from_similarity(std::span<const PointPair> pairs, bool mirrored) {
  double along = 0;
  double across = 0;
  double squares = 0;
  for (const PointPair& pair : pairs) {
    const Point p = as_seen(pair.object, mirrored);
    along += p.x * pair.scene.x + p.y * pair.scene.y;
    across += p.x * pair.scene.y - p.y * pair.scene.x;
    squares += p.x * p.x + p.y * p.y;
  }
  const double c = along / squares;
  const double s = across / squares;
  double furthest = 0;
  for (const PointPair& pair : pairs) {
    const Point p = as_seen(pair.object, mirrored);
    furthest = std::max(
        furthest, std::hypot(c * p.x - s * p.y - pair.scene.x, s * p.x + c * p.y - pair.scene.y));
  }
  return furthest;
}

double departure_from_stretching(std::span<const PointPair> pairs, bool exchanged) {
  const auto x_of = [&](Point p) { return exchanged ? p.y : p.x; };
  const auto y_of = [&](Point p) { return exchanged ? p.x : p.y; };
  double xx = 0;
  double yy = 0;
  double x_squares = 0;
  double y_squares = 0;
  for (const auto& [object, scene] : pairs) {
    xx += x_of(object) * scene.x;
    yy += y_of(object) * scene.y;
    x_squares += x_of(object) * x_of(object);
    y_squares += y_of(object) * y_of(object);
  }
  double furthest = 0;
  for (const auto& [object, scene] : pairs) {
    furthest = std::max(furthest, std::hypot(xx / x_squares * x_of(object) - scene.x,
                                             yy / y_squares * y_of(object) - scene.y));
  }
  return furthest;
}

Point middle_of(std::span<const Point> points) {
  Point sum;
  for (const Point& point : points) sum = {sum.x + point.x, sum.y + point.y};
  const auto count = static_cast<double>(points.size());
  return {sum.x / count, sum.y / count};
}

// True if editing can explain a pose; see kMostBent. Poses of small pictures have an error of half
// a pixel of the coarser one.
bool is_edit(const Homography& map, PictureSize first, PictureSize second, double scale) {
  constexpr double kLeastErrorPx = 0.5;
  std::vector<Point> points;
  add_common(first, map, second, points);
  const Homography back = map.inverse();
  const std::size_t forward = points.size();
  std::vector<Point> more;
  add_common(second, back, first, more);
  points.reserve(forward + more.size());
  for (const Point& point : more) points.push_back(back.apply(point));
  if (points.size() < 3) return false;
  std::vector<Point> places;
  places.reserve(points.size());
  for (const Point& point : points) places.push_back(map.apply(point));
  const Point from = middle_of(points);
  const Point to = middle_of(places);
  std::vector<PointPair> pairs;
  double radius = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    pairs.push_back(
        {{points[i].x - from.x, points[i].y - from.y}, {places[i].x - to.x, places[i].y - to.y}});
    radius = std::max(radius, std::hypot(pairs[i].scene.x, pairs[i].scene.y));
  }
  const double departure =
      std::min({departure_from_similarity(pairs, false), departure_from_similarity(pairs, true),
                departure_from_stretching(pairs, false), departure_from_stretching(pairs, true)});
  return departure <= std::max(kMostBent * 2 * radius, kLeastErrorPx * std::max(1.0, scale));
}

bool is_upright_or_quarter_turned(const Relation& relation) {
  return std::abs(std::remainder(relation.turn_degrees, 90)) <= kQuarterTurnSlack;
}

}  // namespace

std::string_view to_string(PairKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<PairKind> pair_kind(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<PairKind>(found - kNames.begin());
}

std::vector<std::string_view> pair_kind_names() {
  return {kNames.rbegin(), kNames.rend()};
}

bool pixels_agree(const Evidence& evidence, double duplicate_correlation) {
  if (evidence.identical) return true;
  const double correlation = evidence.correlation.value_or(-1);
  return correlation >= duplicate_correlation &&
         (correlation >= kSurelyEqual || evidence.detail.value_or(-1) >= kEqualInDetail);
}

Relation relation_of(const FoundPair& pair, PictureSize first, PictureSize second,
                     const Calibration& calibration, const MatchOptions& options) {
  Relation relation;
  const Homography& map = pair.first_to_second;
  relation.outline = outline(map, first.width, first.height);
  relation.probability = calibration.probability(pair.evidence);
  relation.second_shown = share_covered(relation.outline, second.width, second.height);
  relation.first_shown =
      share_covered(moved(frame_of(second), map.inverse()), first.width, first.height);
  const Jacobian at = jacobian(map, middle(first.width, first.height));
  const double side = at.determinant() < 0 ? -1 : 1;  // turned after it was mirrored
  const double turn = std::atan2(side * at.yx, side * at.xx) * 180 / std::numbers::pi;
  relation.turn_degrees = turn == -180 ? 180 : turn + 0.0;  // no -0
  relation.scale = std::sqrt(std::abs(at.determinant()));
  relation.difference = pair.evidence.difference;
  const bool are_two_shots = relation.difference && relation.difference->shots.are_clear();
  const bool one_picture = pixels_agree(pair.evidence, options.duplicate_correlation) &&
                           is_edit(map, first, second, relation.scale) && !are_two_shots;

  Match match;
  match.evidence = pair.evidence;
  match.probability = relation.probability;
  match.pose.quad = relation.outline;
  if (pair.has_part) match.pose.part = relation.outline;
  const Decision decision = decide(match, second.width, second.height, options);
  if (decision == Decision::kPart) {
    relation.kind = PairKind::kPart;
  } else if (!one_picture) {
    relation.kind = PairKind::kObject;
  } else if (relation.difference && relation.difference->is_seen()) {
    relation.kind = PairKind::kVariant;
  } else if (pair.mirrored) {
    relation.kind = PairKind::kMirrored;
  } else if (decision == Decision::kDuplicate) {
    relation.kind = PairKind::kCopy;
  } else {
    const bool turned = std::abs(relation.turn_degrees) >= kLeastTurnDegrees;
    relation.kind = turned ? PairKind::kTurned : PairKind::kCrop;
  }
  return relation;
}

Relation Relation::reversed(const Homography& first_to_second, PictureSize second) const {
  Relation result = *this;
  std::swap(result.first_shown, result.second_shown);
  // A mirrored picture turns the same way seen from either side.
  const bool mirror = signed_area(outline) < 0;
  result.turn_degrees = mirror || turn_degrees == 180 ? turn_degrees : -turn_degrees;
  result.scale = 1 / scale;
  result.outline = lookalike::outline(first_to_second.inverse(), second.width, second.height);
  return result;
}

std::optional<int> orientation_of_whole(const Relation& relation) {
  if (relation.kind == PairKind::kCopy) return 1;
  const bool is_turned = relation.kind == PairKind::kTurned || relation.kind == PairKind::kMirrored;
  if (!is_turned || std::min(relation.first_shown, relation.second_shown) < kWholeShare) {
    return std::nullopt;
  }
  if (!is_upright_or_quarter_turned(relation)) return std::nullopt;
  const Point across{relation.outline[1].x - relation.outline[0].x,
                     relation.outline[1].y - relation.outline[0].y};
  const Point down{relation.outline[3].x - relation.outline[0].x,
                   relation.outline[3].y - relation.outline[0].y};
  if (std::abs(across.x) > std::abs(across.y)) {
    if (across.x > 0) return down.y > 0 ? 1 : 4;
    return down.y > 0 ? 2 : 3;
  }
  if (across.y > 0) return down.x > 0 ? 5 : 6;
  return down.x > 0 ? 8 : 7;
}

std::string_view what_is_hidden(const Relation& relation, PictureSize first, PictureSize second) {
  if (relation.kind == PairKind::kExact) return {};
  if (relation.kind < PairKind::kVariant) return "is another picture";
  if (relation.kind == PairKind::kVariant) {
    return relation.difference->lacks_colours ? kHasOtherColours : kDiffers;
  }
  if (!relation.difference) return "could not be compared in full";
  if (relation.difference->is_relit) return "has another light or tone than the other";
  if (relation.first_shown < kWholeShare) return "is not shown whole by the other";
  if (relation.kind == PairKind::kCopy) {
    return second.pixels() >= first.pixels() ? "" : kHasMorePixels;
  }
  if (!is_upright_or_quarter_turned(relation)) {
    return "is turned, and which of both was resampled is unknown";
  }
  return relation.scale >= kSameScale ? "" : kHasMorePixels;
}

}  // namespace lookalike
