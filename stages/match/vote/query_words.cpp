#include "stages/match/vote/query_words.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "base/signature.h"

namespace lookalike {
namespace {

void sort_by_word(std::vector<QueryWord>& words) {
  std::ranges::sort(words, [](const QueryWord& a, const QueryWord& b) {
    return std::tie(a.word, a.feature) < std::tie(b.word, b.feature);
  });
}

// Returns a feature of the object as the query would show it.
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

void add(const IndexedFeature& feature, const FeaturePlace& place, IndexQuery& query) {
  const auto number = static_cast<std::uint32_t>(query.places.size());
  query.words.push_back({feature.word, feature.signature, number, feature.laplacian_sign});
  query.places.push_back(place);
}

}  // namespace

IndexQuery index_query(const Query& query, const Codebook& codebook, WordAssigner& assigner,
                       std::size_t words_per_feature, std::size_t features) {
  IndexQuery result;
  result.excluded_image = query.excluded_image;
  result.width = query.image.record.width;
  result.height = query.image.record.height;
  const std::vector<Keypoint>& keypoints = query.features.keypoints;
  for (const Keypoint& keypoint : keypoints) result.places.push_back(place_of(keypoint));
  const std::size_t m = std::min(words_per_feature, assigner.max_nearest());
  const MatrixView descriptors = query.features.descriptor_matrix().middle_rows(0, features);
  const auto words = assigner.nearest(descriptors, m).words;
  const auto signatures = signatures_of(descriptors, codebook, words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t feature = i / m;
    result.words.push_back({words[i], signatures[i], static_cast<std::uint32_t>(feature),
                            keypoints[feature].laplacian_sign});
  }
  sort_by_word(result.words);
  return result;
}

IndexQuery index_query(const Record& record) {
  IndexQuery result;
  result.excluded_image = record.image.id;
  result.width = record.image.width;
  result.height = record.image.height;
  for (const IndexedFeature& feature : record.features) add(feature, place_of(feature), result);
  return result;
}

IndexQuery expanded(IndexQuery query, std::span<const ExpansionSource> sources) {
  for (const ExpansionSource& source : sources) {
    for (const IndexedFeature& feature : source.record->features) {
      const FeaturePlace place = moved(place_of(feature), source.object_to_query);
      if (place.x >= 0 && place.y >= 0 && place.x < query.width && place.y < query.height) {
        add(feature, place, query);
      }
    }
  }
  sort_by_word(query.words);
  return query;
}

}  // namespace lookalike
