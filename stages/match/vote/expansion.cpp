#include "stages/match/vote/expansion.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <tuple>

#include "stages/match/verify/pose_geometry.h"

namespace lookalike {
namespace {

// A feature of the object as the query would show it.
FeaturePlace moved(const FeaturePlace& place, const Homography& object_to_query) {
  const Point at = {place.x, place.y};
  const Point to = object_to_query.apply(at);
  const Jacobian j = jacobian(object_to_query, at);
  const double radians = place.angle_degrees * std::numbers::pi / 180;
  const Point along = {std::cos(radians), std::sin(radians)};
  const double turned =
      std::atan2(j.yx * along.x + j.yy * along.y, j.xx * along.x + j.xy * along.y);
  return {to.x, to.y, place.size * std::sqrt(std::abs(j.determinant())),
          turned * 180 / std::numbers::pi};
}

}  // namespace

Question expanded(Question question, std::span<const SureHit> hits) {
  for (const SureHit& hit : hits) {
    for (const IndexedFeature& feature : hit.record->features) {
      const FeaturePlace place = moved(place_of(feature), hit.object_to_query);
      const bool inside =
          place.x >= 0 && place.y >= 0 && place.x < question.width && place.y < question.height;
      if (!inside) continue;
      const auto number = static_cast<std::uint32_t>(question.places.size());
      question.words.push_back({feature.word, feature.signature, number, feature.laplacian_sign});
      question.places.push_back(place);
    }
  }
  std::ranges::sort(question.words, [](const QueryWord& a, const QueryWord& b) {
    return std::tie(a.word, a.feature) < std::tie(b.word, b.feature);
  });
  return question;
}

}  // namespace lookalike
