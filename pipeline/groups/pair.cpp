#include "pipeline/groups/pair.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numbers>

#include "stages/match/decide/decision.h"

namespace lookalike {
namespace {

constexpr std::array<std::string_view, 7> kNames = {"part",   "object", "crop", "mirrored",
                                                    "turned", "copy",   "exact"};
// What a pose of exact crops leaves uncovered by its error.
constexpr double kWholeShare = 0.98;
constexpr double kSameScale = 0.95;
constexpr double kQuarterTurnSlack = 1;  // degrees

Quad frame_of(PictureSize size) {
  return outline({}, size.width, size.height);
}

// The share of a picture that a quad covers.
double share_covered(const Quad& quad, PictureSize size) {
  const Quad frame = frame_of(size);
  const Quad other = clockwise(quad);
  const double common = intersection_over_union(frame, other);
  // |a and b| from |a and b| / |a or b|
  const double area = signed_area(frame);
  return std::min(1.0, common / (1 + common) * (area + signed_area(other)) / area);
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
  relation.second_shown = share_covered(relation.outline, second);
  relation.first_shown = share_covered(moved(frame_of(second), map.inverse()), first);
  const Jacobian at = jacobian(map, middle(first.width, first.height));
  const double side = at.determinant() < 0 ? -1 : 1;  // turned after it was mirrored
  const double turn = std::atan2(side * at.yx, side * at.xx) * 180 / std::numbers::pi;
  relation.turn_degrees = turn == -180 ? 180 : turn + 0.0;  // no -0
  relation.scale = std::sqrt(std::abs(at.determinant()));
  relation.pixels_agree = pixels_agree(pair.evidence, options.duplicate_correlation);

  Match match;
  match.evidence = pair.evidence;
  match.probability = relation.probability;
  match.quad = relation.outline;
  if (pair.has_part) match.part = relation.outline;
  const Decision decision = decide(match, second.width, second.height, options);
  if (decision == Decision::kPart) {
    relation.kind = PairKind::kPart;
  } else if (!relation.pixels_agree) {
    relation.kind = PairKind::kObject;
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
  // What is mirrored turns the same way as seen from either side.
  const bool mirror = signed_area(outline) < 0;
  result.turn_degrees = mirror || turn_degrees == 180 ? turn_degrees : -turn_degrees;
  result.scale = 1 / scale;
  result.outline = lookalike::outline(first_to_second.inverse(), second.width, second.height);
  return result;
}

bool shows_all(const Relation& relation, PictureSize first, PictureSize second) {
  const auto pixels = [](PictureSize size) { return double{1} * size.width * size.height; };
  if (relation.kind == PairKind::kExact) return true;
  if (relation.first_shown < kWholeShare) return false;
  if (relation.kind == PairKind::kCopy) return pixels(second) >= pixels(first);
  const double beyond = std::abs(std::remainder(relation.turn_degrees, 90));
  return relation.pixels_agree && relation.kind != PairKind::kPart && beyond <= kQuarterTurnSlack &&
         relation.scale >= kSameScale;
}

}  // namespace lookalike
