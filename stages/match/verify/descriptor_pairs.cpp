#include "stages/match/verify/descriptor_pairs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <tuple>
#include <unordered_set>

#include "base/error.h"
#include "kernels/assign/assign.h"

namespace lookalike {
namespace {

constexpr float kMaxRatio = 0.85F;
constexpr std::size_t kNeighbours = 4;  // looked at, so that two of the same sign are likely

struct Nearest {
  std::uint32_t index;
  float ratio;
};

// The nearest of some neighbours, nearest first, that has the sign, if it is clearly the nearest.
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
  // Without a second of the sign, the farthest one seen bounds its distance from below.
  const auto second = std::find_if(first + 1, neighbours.end(), has_sign);
  const auto next =
      std::min(static_cast<std::size_t>(second - neighbours.begin()), squared_distances.size() - 1);
  const float ratio = next == at || squared_distances[next] <= 0
                          ? 0.0F
                          : std::sqrt(squared_distances[at] / squared_distances[next]);
  if (ratio > kMaxRatio) return std::nullopt;
  return Nearest{*first, ratio};
}

// For each feature of `from`, its distinct nearest in `to`.
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

FeaturePlace place_of(const Keypoint& keypoint) {
  return {keypoint.x, keypoint.y, keypoint.size, keypoint.angle_degrees};
}

}  // namespace

std::vector<DescriptorPair> pair_descriptors(OpenClSession& session, const FeatureSet& object,
                                             const FeatureSet& scene) {
  require(object.descriptor_size == scene.descriptor_size,
          "pair_descriptors: the descriptors are of different sizes");
  std::vector<DescriptorPair> pairs;
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
  std::sort(pairs.begin(), pairs.end(), [](const DescriptorPair& a, const DescriptorPair& b) {
    return std::tie(a.ratio, a.object, a.scene) < std::tie(b.ratio, b.object, b.scene);
  });
  return pairs;
}

std::vector<DescriptorPair> one_to_one(std::span<const DescriptorPair> pairs) {
  std::unordered_set<std::uint32_t> objects;
  std::unordered_set<std::uint32_t> scenes;
  std::vector<DescriptorPair> kept;
  for (const DescriptorPair& pair : pairs) {
    if (objects.contains(pair.object) || scenes.contains(pair.scene)) continue;
    objects.insert(pair.object);
    scenes.insert(pair.scene);
    kept.push_back(pair);
  }
  return kept;
}

std::vector<PlacePair> places_of(std::span<const DescriptorPair> pairs, const FeatureSet& object,
                                 const FeatureSet& scene) {
  std::vector<PlacePair> places;
  places.reserve(pairs.size());
  for (const DescriptorPair& pair : pairs) {
    places.push_back(
        {place_of(object.keypoints[pair.object]), place_of(scene.keypoints[pair.scene])});
  }
  return places;
}

}  // namespace lookalike
