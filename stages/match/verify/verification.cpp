#include "stages/match/verify/verification.h"

#include <cstddef>
#include <utility>

#include "base/parallel.h"
#include "stages/match/verify/pairs.h"
#include "stages/match/verify/pose.h"

namespace lookalike {
namespace {

Match verify(const IndexQuery& query, const Record& record, const MatchOptions& options) {
  Match match;
  const std::vector<IndexedFeature>& features = record.features;
  match.image = record.image;
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

std::vector<Match> verify_all(const IndexQuery& query, std::span<const RankedImage> shortlist,
                              const RecordOf& record_of, const MatchOptions& options,
                              std::size_t threads) {
  std::vector<Match> matches(shortlist.size());
  parallel_for(shortlist.size(), threads, [&](std::size_t i) {
    matches[i] = verify(query, *record_of(shortlist[i].image), options);
    matches[i].evidence.votes = shortlist[i].score;
  });
  return matches;
}

}  // namespace lookalike
