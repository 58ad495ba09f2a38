#include "stages/match/verify/verification.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/assign/assign.h"
#include "kernels/voting/voting.h"
#include "stages/match/verify/pose.h"

namespace lookalike {
namespace {

// Returns the weight of each pair: that of a vote at its Hamming distance.
std::vector<double> weights_of(std::span<const FeaturePair> pairs) {
  static const VotingWeights by_distance = voting_weights(kSignatureBits);
  std::vector<double> weights;
  weights.reserve(pairs.size());
  for (const FeaturePair& pair : pairs) {
    weights.push_back(by_distance.weights[static_cast<std::size_t>(pair.distance)] / kVotingOne);
  }
  return weights;
}

}  // namespace

Verification verify(const IndexQuery& query, const Record& record,
                    std::span<const WordPair> word_pairs, const VerifyOptions& options) {
  Verification verified;
  Match& match = verified.match;
  match.image = record.image;
  const auto pairs = feature_pairs(record.features, query.words, word_pairs);
  match.evidence.pairs = static_cast<std::uint32_t>(pairs.size());
  std::vector<PlacePair>& places = verified.pairs;
  places.reserve(pairs.size());
  for (const FeaturePair& pair : pairs) {
    places.push_back({place_of(record.features.geometry[pair.object]), query.places[pair.scene]});
  }
  verified.agreeing = agreeing_pairs(places, weights_of(pairs));
  match.evidence.agreeing_votes = verified.agreeing.weight;
  if (verified.agreeing.count < options.min_inliers) return verified;
  auto pose = find_pose(places, {match.image.width, match.image.height},
                        {query.width, query.height}, options, &verified.attempt);
  if (!pose) return verified;
  match.evidence.inliers = static_cast<std::uint32_t>(pose->inliers.size());
  match.evidence.effective_inliers = pose->effective_inliers;
  match.evidence.coherence = pose->coherence;
  match.evidence.squeeze = pose->squeeze;
  match.pose.object_to_query = pose->object_to_scene;
  match.pose.quad = outline(pose->object_to_scene, match.image.width, match.image.height);
  match.pose.inlier_pairs = std::move(pose->inlier_points);
  for (const std::uint32_t i : pose->inliers) match.pose.query_features.push_back(pairs[i].scene);
  verified.inliers = std::move(pose->inliers);
  return verified;
}

namespace {

constexpr float kMaxRatio = 0.85F;
constexpr std::size_t kNeighbours = 4;  // examined, so that two of the same sign are likely

struct Nearest {
  std::uint32_t index;
  float ratio;
};

// Returns the nearest of the neighbours with this sign, if it is clearly the nearest. Neighbours
// come nearest first.
std::optional<Nearest> distinct_nearest(std::span<const std::uint32_t> neighbours,
                                        std::span<const float> squared_distances, std::int32_t sign,
                                        const FeatureSet& features) {
  const auto has_sign = [&](std::uint32_t i) {
    return features.keypoints[i].laplacian_sign == sign;
  };
  const auto first = std::find_if(neighbours.begin(), neighbours.end(), has_sign);
  if (first == neighbours.end()) return std::nullopt;
  const auto at = static_cast<std::size_t>(first - neighbours.begin());
  if (at + 1 == neighbours.size() && neighbours.size() > 1) return std::nullopt;
  // Without a second of the sign, the farthest neighbour bounds its distance from below.
  const auto second = std::find_if(first + 1, neighbours.end(), has_sign);
  const auto next =
      std::min(static_cast<std::size_t>(second - neighbours.begin()), squared_distances.size() - 1);
  const float ratio = next == at || squared_distances[next] <= 0
                          ? 0.0F
                          : std::sqrt(squared_distances[at] / squared_distances[next]);
  if (ratio > kMaxRatio) return std::nullopt;
  return Nearest{*first, ratio};
}

// Finds the distinct nearest in `to` for each feature of `from`.
std::vector<std::optional<Nearest>> distinct_nearest(OpenClSession& session, const FeatureSet& from,
                                                     const FeatureSet& to) {
  WordAssigner assigner(session, to.descriptor_matrix());
  const std::size_t m = std::min(kNeighbours, to.size());
  const Assignment found = assigner.nearest(from.descriptor_matrix(), m);
  std::vector<std::optional<Nearest>> result(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    result[i] = distinct_nearest(std::span(found.words).subspan(i * m, m),
                                 std::span(found.squared_distances).subspan(i * m, m),
                                 from.keypoints[i].laplacian_sign, to);
  }
  return result;
}

}  // namespace

std::vector<Match> verify_all(const IndexQuery& query, std::span<const RankedImage> shortlist,
                              std::span<const std::vector<WordPair>> pairs,
                              const RecordOf& record_of, const VerifyOptions& options,
                              std::size_t threads) {
  std::vector<Match> matches(shortlist.size());
  parallel_for(shortlist.size(), threads, [&](std::size_t i) {
    matches[i] = verify(query, *record_of(shortlist[i].image), pairs[i], options).match;
    matches[i].evidence.votes = shortlist[i].score;
  });
  return matches;
}

std::vector<FeaturePair> one_to_one(std::span<const FeaturePair> pairs) {
  std::size_t objects = 0;
  std::size_t scenes = 0;
  for (const FeaturePair& pair : pairs) {
    objects = std::max(objects, std::size_t{pair.object} + 1);
    scenes = std::max(scenes, std::size_t{pair.scene} + 1);
  }
  std::vector<bool> object_used(objects);
  std::vector<bool> scene_used(scenes);
  std::vector<FeaturePair> chosen;
  for (const FeaturePair& pair : pairs) {
    if (object_used[pair.object] || scene_used[pair.scene]) continue;
    object_used[pair.object] = true;
    scene_used[pair.scene] = true;
    chosen.push_back(pair);
  }
  return chosen;
}

namespace {

// A pair as one number, which sorts faster: by distance, then by query feature, then by object
// feature, each below 2^28.
constexpr unsigned kFeatureBits = 28;

std::uint64_t sort_key(std::uint32_t hamming, std::uint32_t scene, std::size_t object) {
  return std::uint64_t{hamming} << 2 * kFeatureBits | std::uint64_t{scene} << kFeatureBits | object;
}

FeaturePair pair_of(std::uint64_t sort_key) {
  constexpr std::uint64_t kFeature = (std::uint64_t{1} << kFeatureBits) - 1;
  return {static_cast<std::uint32_t>(sort_key & kFeature),
          static_cast<std::uint32_t>(sort_key >> kFeatureBits & kFeature),
          static_cast<float>(sort_key >> 2 * kFeatureBits)};
}

}  // namespace

std::vector<FeaturePair> feature_pairs(const StoredFeatures& object,
                                       std::span<const QueryWord> query,
                                       std::span<const WordPair> pairs) {
  std::vector<std::uint64_t> keys;
  keys.reserve(pairs.size());
  std::uint32_t last_word = 0;
  std::size_t first = 0;  // of the last word's features
  for (const WordPair& pair : pairs) {
    const QueryWord& word = query[pair.query_word];
    if (keys.empty() || word.word != last_word) first = object.first_of(word.word);
    last_word = word.word;
    const std::size_t feature = first + pair.place;
    if (feature >= object.size() || object.words[feature] != word.word) {
      throw Error(ErrorKind::kStorage,
                  "an image's postings and its histogram differ: run `lookalike check`");
    }
    if (object.geometry[feature].laplacian_sign != word.laplacian_sign) continue;
    keys.push_back(sort_key(pair.distance, word.feature, feature));
  }
  std::ranges::sort(keys);
  std::vector<FeaturePair> chosen;
  chosen.reserve(keys.size());
  for (const std::uint64_t key : keys) chosen.push_back(pair_of(key));
  return one_to_one(chosen);
}

std::vector<FeaturePair> pair_descriptors(OpenClSession& session, const FeatureSet& object,
                                          const FeatureSet& scene) {
  require(object.descriptor_size == scene.descriptor_size,
          "pair_descriptors: the descriptors are of different sizes");
  std::vector<FeaturePair> pairs;
  if (object.size() == 0 || scene.size() == 0) return pairs;
  const auto in_object = distinct_nearest(session, scene, object);
  for (std::uint32_t i = 0; i < scene.size(); ++i) {
    if (in_object[i]) pairs.push_back({in_object[i]->index, i, in_object[i]->ratio});
  }
  const auto in_scene = distinct_nearest(session, object, scene);
  for (std::uint32_t i = 0; i < object.size(); ++i) {
    if (!in_scene[i]) continue;
    const auto& back = in_object[in_scene[i]->index];
    if (back && back->index == i) continue;  // found from the other side already
    pairs.push_back({i, in_scene[i]->index, in_scene[i]->ratio});
  }
  std::ranges::sort(pairs, [](const FeaturePair& a, const FeaturePair& b) {
    return std::tie(a.distance, a.object, a.scene) < std::tie(b.distance, b.object, b.scene);
  });
  return pairs;
}

}  // namespace lookalike
