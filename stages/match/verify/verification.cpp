#include "stages/match/verify/verification.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <thread>
#include <utility>

#include "base/parallel.h"
#include "base/quad.h"
#include "stages/match/verify/pairs.h"

namespace lookalike {

FeaturePlace place_of(const IndexedFeature& feature) {
  return {feature.x, feature.y, feature.size, feature.angle_degrees};
}

FeaturePlace place_of(const Keypoint& keypoint) {
  return {keypoint.x, keypoint.y, keypoint.size, keypoint.angle_degrees};
}

Question question_of(const StoredImage& image, std::span<const IndexedFeature> features) {
  Question question;
  question.itself = image.id;
  question.width = image.width;
  question.height = image.height;
  for (const IndexedFeature& feature : features) {
    question.words.push_back({feature.word, feature.signature,
                              static_cast<std::uint32_t>(question.places.size()),
                              feature.laplacian_sign});
    question.places.push_back(place_of(feature));
  }
  return question;
}

Match verify(const Question& question, const ShortlistedImage& candidate,
             const MatchOptions& options) {
  Match match;
  const std::vector<IndexedFeature>& features = candidate.record->features;
  match.image = candidate.record->image;
  match.evidence.votes = candidate.votes;
  const auto pairs = pair_features(question.words, features, options.hamming_threshold);
  match.evidence.pairs = static_cast<std::uint32_t>(pairs.size());
  std::vector<PlacePair> places;
  places.reserve(pairs.size());
  for (const FeaturePair& pair : pairs) {
    places.push_back({place_of(features[pair.object]), question.places[pair.query]});
  }
  const double distance_px = options.inlier_distance * std::hypot(question.width, question.height);
  const auto pose = find_pose(places, {.object_width = match.image.width,
                                       .object_height = match.image.height,
                                       .inlier_distance_px = distance_px,
                                       .min_inliers = options.min_inliers,
                                       .seed = options.seed});
  if (!pose) return match;
  match.evidence.inliers = static_cast<std::uint32_t>(pose->inliers.size());
  match.evidence.effective_inliers = pose->effective_inliers;
  match.object_to_query = pose->object_to_scene;
  match.quad = outline(pose->object_to_scene, match.image.width, match.image.height);
  for (const std::uint32_t i : pose->inliers) {
    const PlacePair& pair = places[i];
    match.inlier_pairs.push_back({{pair.object.x, pair.object.y}, {pair.scene.x, pair.scene.y}});
    match.query_features.push_back(pairs[i].query);
  }
  return match;
}

std::vector<Match> verify_all(const Question& question,
                              const std::vector<ShortlistedImage>& candidates,
                              const MatchOptions& options) {
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  OrderedParallel<Match> verified(candidates.size(), threads, 4 * threads, [&](std::size_t i) {
    return verify(question, candidates[i], options);
  });
  std::vector<Match> matches;
  while (auto match = verified.next()) matches.push_back(std::move(*match));
  return matches;
}

}  // namespace lookalike
