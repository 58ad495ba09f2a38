#include "stages/match/verify/verification.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <thread>
#include <utility>

#include "base/parallel.h"
#include "stages/match/verify/pairs.h"
#include "stages/match/verify/pose.h"

namespace lookalike {
namespace {

Match verify(const IndexQuery& query, const ShortlistedImage& candidate,
             const MatchOptions& options) {
  Match match;
  const std::vector<IndexedFeature>& features = candidate.record->features;
  match.image = candidate.record->image;
  match.evidence.votes = candidate.votes;
  const auto pairs = pair_words(features, query.words, options.hamming_threshold);
  match.evidence.pairs = static_cast<std::uint32_t>(pairs.size());
  std::vector<PlacePair> places;
  places.reserve(pairs.size());
  for (const FeaturePair& pair : pairs) {
    places.push_back({place_of(features[pair.object]), query.places[pair.scene]});
  }
  auto pose = find_pose(places, {match.image.width, match.image.height},
                        {query.width, query.height}, options);
  if (!pose) return match;
  match.evidence.inliers = static_cast<std::uint32_t>(pose->inliers.size());
  match.evidence.effective_inliers = pose->effective_inliers;
  match.object_to_query = pose->object_to_scene;
  match.quad = outline(pose->object_to_scene, match.image.width, match.image.height);
  match.inlier_pairs = std::move(pose->inlier_points);
  for (const std::uint32_t i : pose->inliers) match.query_features.push_back(pairs[i].scene);
  return match;
}

}  // namespace

std::vector<Match> verify_all(const IndexQuery& query,
                              const std::vector<ShortlistedImage>& candidates,
                              const MatchOptions& options) {
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  OrderedParallel<Match> verified(candidates.size(), threads, 4 * threads, [&](std::size_t i) {
    return verify(query, candidates[i], options);
  });
  std::vector<Match> matches;
  while (auto match = verified.next()) matches.push_back(std::move(*match));
  return matches;
}

}  // namespace lookalike
