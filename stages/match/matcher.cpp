#include <algorithm>
#include <cmath>
#include <cstddef>
#include <thread>
#include <utility>
#include <variant>

#include "pipeline/ordered_parallel.h"
#include "stages/match/match.h"
#include "stages/match/pairs.h"
#include "stages/match/pose.h"
#include "stages/match/quad.h"
#include "stages/match/query_words.h"
#include "stages/match/reduction.h"
#include "stages/match/sharpen.h"
#include "stages/match/shortlist.h"

namespace lookalike {
namespace {

// Indexed images are read again at this size to be correlated, a little above what is compared.
constexpr std::uint32_t kReadLongestSidePx = 640;

// An image of the shortlist with its forward record.
struct Candidate {
  StoredImage image;
  std::vector<IndexedFeature> features;
};

FeaturePlace place_of(const IndexedFeature& feature) {
  return {feature.x, feature.y, feature.size, feature.angle_degrees};
}
FeaturePlace place_of(const Keypoint& keypoint) {
  return {keypoint.x, keypoint.y, keypoint.size, keypoint.angle_degrees};
}

void set_pose(Match& match, const Homography& object_to_query) {
  match.object_to_query = object_to_query;
  match.quad = outline(object_to_query, match.image.width, match.image.height);
}

}  // namespace

struct Matcher::Impl {
  Impl(OpenClSession& session, const IndexReader& reader, const MatchOptions& match_options)
      : index(reader),
        options(match_options),
        codebook(reader.codebook()),
        assigner(session, codebook.word_matrix()),
        shortlist([&reader](std::uint32_t word) { return reader.postings(word); }, reader.norms(),
                  match_options.hamming_threshold),
        sharpener(session) {}

  std::vector<Candidate> candidates(std::span<const QueryWord> words) const;
  std::optional<Match> verify(const Query& query, std::span<const QueryWord> words,
                              const Candidate& candidate) const;
  std::vector<Match> verify_all(const Query& query, std::span<const QueryWord> words,
                                const std::vector<Candidate>& found) const;
  void sharpen(const Query& query, Match& match);

  const IndexReader& index;
  const MatchOptions options;
  const Codebook codebook;
  WordAssigner assigner;
  const Shortlist shortlist;
  PoseSharpener sharpener;
};

std::vector<Candidate> Matcher::Impl::candidates(std::span<const QueryWord> words) const {
  std::vector<Candidate> found;
  for (const RankedImage& ranked : shortlist.find(words, options.shortlist)) {
    std::optional<StoredImage> image = index.image(ranked.image);
    if (image) found.push_back({std::move(*image), index.features(ranked.image)});
  }
  return found;
}

std::optional<Match> Matcher::Impl::verify(const Query& query, std::span<const QueryWord> words,
                                           const Candidate& candidate) const {
  const auto pairs = pair_features(words, candidate.features, options.hamming_threshold);
  std::vector<PlacePair> places;
  places.reserve(pairs.size());
  for (const FeaturePair& pair : pairs) {
    places.push_back({place_of(candidate.features[pair.object]),
                      place_of(query.features.keypoints[pair.query])});
  }
  const ImageRecord& record = query.image.record;
  const double distance_px = options.inlier_distance * std::hypot(record.width, record.height);
  const auto pose = find_pose(places, {.object_width = candidate.image.width,
                                       .object_height = candidate.image.height,
                                       .inlier_distance_px = distance_px,
                                       .min_inliers = options.min_inliers,
                                       .seed = options.seed});
  if (!pose) return std::nullopt;
  Match match;
  match.image = candidate.image;
  match.score = pose->effective_inliers;
  match.inliers = static_cast<std::uint32_t>(pose->inliers.size());
  set_pose(match, pose->object_to_scene);
  for (const std::uint32_t i : pose->inliers) {
    match.inlier_pairs.push_back(
        {{places[i].object.x, places[i].object.y}, {places[i].scene.x, places[i].scene.y}});
  }
  return match;
}

std::vector<Match> Matcher::Impl::verify_all(const Query& query, std::span<const QueryWord> words,
                                             const std::vector<Candidate>& found) const {
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  OrderedParallel<std::optional<Match>> verified(
      found.size(), threads, 4 * threads,
      [&](std::size_t i) { return verify(query, words, found[i]); });
  std::vector<Match> matches;
  while (auto match = verified.next()) {
    if (*match) matches.push_back(std::move(**match));
  }
  return matches;
}

// Leaves the match as it is when the indexed image cannot be read any more.
void Matcher::Impl::sharpen(const Query& query, Match& match) {
  for (const std::string& path : match.image.paths) {
    const auto decoded = decode_file(path, kReadLongestSidePx, {});
    const auto* object = std::get_if<DecodedImage>(&decoded);
    if (object == nullptr || object->record.content != match.image.content) continue;
    const Homography to_object = reduction(*object);
    const Homography to_query = reduction(query.image);
    std::vector<PointPair> features;
    for (const auto& [on_object, in_query] : match.inlier_pairs) {
      features.push_back({to_object.apply(on_object), to_query.apply(in_query)});
    }
    const SharpenedPose pose =
        sharpener.sharpen(object->pixels.view(), query.image.pixels.view(),
                          to_query * match.object_to_query * to_object.inverse(), features);
    match.correlation = pose.correlation;
    match.score *= 1 + std::max(0.0, pose.correlation.value_or(0));
    set_pose(match, to_query.inverse() * pose.object_to_scene * to_object);
    return;
  }
}

Matcher::Matcher(OpenClSession& session, const IndexReader& index, const MatchOptions& options)
    : impl_(std::make_unique<Impl>(session, index, options)) {}

Matcher::~Matcher() = default;

std::vector<Match> Matcher::match(const Query& query) {
  if (query.features.size() == 0) return {};
  const auto words = query_words(query.features, impl_->codebook, impl_->assigner);
  std::vector<Match> matches = impl_->verify_all(query, words, impl_->candidates(words));
  const auto better = [](const Match& a, const Match& b) {
    return a.score != b.score ? a.score > b.score : a.image.id < b.image.id;
  };
  std::sort(matches.begin(), matches.end(), better);
  matches.resize(std::min<std::size_t>(matches.size(), impl_->options.top));
  const std::size_t sharpened =
      std::min<std::size_t>(matches.size(), impl_->options.locate_candidates);
  for (std::size_t i = 0; i < sharpened; ++i) impl_->sharpen(query, matches[i]);
  std::erase_if(matches,
                [&](const Match& match) { return match.score < impl_->options.min_score; });
  std::sort(matches.begin(), matches.end(), better);
  return matches;
}

}  // namespace lookalike
