#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>

#include "pipeline/error.h"
#include "stages/match/decision.h"
#include "stages/match/match.h"
#include "stages/match/mirror.h"
#include "stages/match/quad.h"
#include "stages/match/query_words.h"
#include "stages/match/reduction.h"
#include "stages/match/sharpen.h"
#include "stages/match/shortlist.h"
#include "stages/match/verification.h"

namespace lookalike {
namespace {

// The depth of an automatic shortlist grows as the square root of the collection: at 500 images
// nearly a fifth are verified, at 62,500 a thousand.
constexpr double kDepthGrowth = 4;
constexpr std::size_t kLeastDepth = 100;
constexpr std::size_t kMostDepth = 1000;

std::size_t shortlist_depth(const MatchOptions& options, std::size_t images) {
  if (options.shortlist > 0) return options.shortlist;
  const double depth = kDepthGrowth * std::sqrt(static_cast<double>(images));
  return std::clamp(static_cast<std::size_t>(depth), kLeastDepth, kMostDepth);
}

// Runs a step and adds what it took, in milliseconds.
template <typename Step>
auto timed(double& total_ms, Step step) {
  const auto start = std::chrono::steady_clock::now();
  auto result = step();
  total_ms +=
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return result;
}

bool ranks_before(const Match& a, const Match& b) {
  return a.score != b.score ? a.score > b.score : a.image.id < b.image.id;
}

// Indexed images are read again at the size at which they are compared.
constexpr auto kReadLongestSidePx = static_cast<std::uint32_t>(PoseSharpener::kLongestSidePx);

// Nothing when no file of it can be read any more, or all have changed.
std::optional<DecodedImage> read_again(const StoredImage& image) {
  for (const std::string& path : image.paths) {
    auto decoded = decode_file(path, kReadLongestSidePx, {});
    auto* pixels = std::get_if<DecodedImage>(&decoded);
    if (pixels != nullptr && pixels->record.content == image.content) return std::move(*pixels);
  }
  return std::nullopt;
}

// Adds what is not there yet or scores better than what is there of the same image.
void merge_matches(std::vector<Match>& matches, std::vector<Match> more) {
  std::move(more.begin(), more.end(), std::back_inserter(matches));
  std::sort(matches.begin(), matches.end(), ranks_before);
  std::unordered_set<ImageId> seen;
  std::erase_if(matches, [&](const Match& match) { return !seen.insert(match.image.id).second; });
}

}  // namespace

struct Matcher::Impl {
  Impl(OpenClSession& session, const IndexReader& reader, const MatchOptions& match_options)
      : index(reader),
        options(match_options),
        codebook(reader.codebook()),
        assigner(session, codebook.word_matrix()),
        shortlist([&reader](std::uint32_t word) { return reader.postings(word); }, reader.norms(),
                  {.hamming_threshold = match_options.hamming_threshold,
                   .hamming_weights = match_options.hamming_weights,
                   .burstiness = match_options.burstiness}),
        sharpener(session) {}

  std::vector<Match> match(const Query& query);
  std::vector<Match> answer(const Question& question, const DecodedImage& photo);
  std::vector<Candidate> load(const std::vector<RankedImage>& ranked) const;
  std::vector<Match> verified(const Question& question,
                              const std::vector<RankedImage>& ranked) const;
  std::size_t locate(const DecodedImage& photo, std::vector<Match>& matches);
  void sharpen(const DecodedImage& photo, Match& match);

  const IndexReader& index;
  const MatchOptions options;
  const Codebook codebook;
  WordAssigner assigner;
  const Shortlist shortlist;
  PoseSharpener sharpener;
  MatchTimes times;
};

std::vector<Candidate> Matcher::Impl::load(const std::vector<RankedImage>& ranked) const {
  std::vector<Candidate> candidates;
  for (const RankedImage& entry : ranked) {
    std::optional<StoredImage> image = index.image(entry.image);
    if (image) candidates.push_back({std::move(*image), index.features(entry.image)});
  }
  return candidates;
}

std::vector<Match> Matcher::Impl::verified(const Question& question,
                                           const std::vector<RankedImage>& ranked) const {
  std::vector<Match> matches = verify_all(question, load(ranked), options);
  const double median = ranked.empty() ? 1 : ranked[ranked.size() / 2].score;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    matches[i].evidence.votes = ranked[i].score;
    matches[i].evidence.votes_ratio = ranked[i].score / median;
    matches[i].score = ranking_score(matches[i].evidence, options);
  }
  std::sort(matches.begin(), matches.end(), ranks_before);
  return matches;
}

// Leaves the match as it is when the indexed image cannot be read any more.
void Matcher::Impl::sharpen(const DecodedImage& photo, Match& match) {
  const std::optional<DecodedImage> object = read_again(match.image);
  if (!object) return;
  const Homography to_object = reduction(*object);
  const Homography to_query = reduction(photo);
  std::vector<PointPair> features;
  for (const auto& [on_object, in_query] : match.inlier_pairs) {
    features.push_back({to_object.apply(on_object), to_query.apply(in_query)});
  }
  const SharpenedPose pose =
      sharpener.sharpen(object->pixels.view(), photo.pixels.view(),
                        to_query * match.object_to_query * to_object.inverse(), features);
  match.evidence.correlation = pose.correlation;
  match.object_to_query = to_query.inverse() * pose.object_to_scene * to_object;
  match.quad = outline(match.object_to_query, match.image.width, match.image.height);
}

// The first so many that have a pose.
std::size_t Matcher::Impl::locate(const DecodedImage& photo, std::vector<Match>& matches) {
  if (photo.pixels.empty()) return 0;
  std::size_t done = 0;
  for (Match& match : matches) {
    if (done == options.locate_candidates) break;
    if (!match.is_located()) continue;
    sharpen(photo, match);
    match.score = ranking_score(match.evidence, options);
    ++done;
  }
  return done;
}

// What is asked, best first; photo has no pixels when they cannot be had.
std::vector<Match> Matcher::Impl::answer(const Question& question, const DecodedImage& photo) {
  auto ranked = timed(times.shortlist, [&] {
    return shortlist.find(question.words, shortlist_depth(options, shortlist.image_count()));
  });
  std::erase_if(ranked, [&](const RankedImage& entry) { return entry.image == question.itself; });
  std::vector<Match> matches = timed(times.verify, [&] { return verified(question, ranked); });
  timed(times.locate, [&] { return locate(photo, matches); });
  for (Match& match : matches) {
    match.probability = probability_of_same(match.evidence);
    match.decision = decide(match, question.width, question.height, ranked.size(), options);
  }
  std::erase_if(matches,
                [&](const Match& match) { return match.decision < weakest_reported(options); });
  std::sort(matches.begin(), matches.end(), ranks_before);
  return matches;
}

std::vector<Match> Matcher::Impl::match(const Query& query) {
  if (query.features.size() == 0) return {};
  Question question;
  question.words = timed(times.words, [&] {
    return query_words(query.features, codebook, assigner, options.words_per_feature);
  });
  for (const Keypoint& keypoint : query.features.keypoints) {
    question.places.push_back(place_of(keypoint));
  }
  question.width = query.image.record.width;
  question.height = query.image.record.height;
  return answer(question, query.image);
}

Matcher::Matcher(OpenClSession& session, const IndexReader& index, const MatchOptions& options)
    : impl_(std::make_unique<Impl>(session, index, options)) {}

Matcher::~Matcher() = default;

MatchTimes Matcher::times() const {
  return impl_->times;
}

std::vector<Match> Matcher::match(const Query& query) {
  impl_->times = {};
  std::vector<Match> matches = impl_->match(query);
  if (impl_->options.mirror) {
    std::vector<Match> as_mirrored = impl_->match(mirrored(query));
    // Votes alone say nothing of a mirror.
    std::erase_if(as_mirrored, [](const Match& match) { return !match.is_located(); });
    unmirror(as_mirrored, mirror_width(query.image));
    merge_matches(matches, std::move(as_mirrored));
  }
  matches.resize(std::min<std::size_t>(matches.size(), impl_->options.top));
  return matches;
}

std::vector<Match> Matcher::match_indexed(ImageId id) {
  impl_->times = {};
  const std::optional<StoredImage> image = impl_->index.image(id);
  if (!image) {
    throw Error(ErrorKind::kInput,
                "match: there is no image " + std::to_string(id) + " in the index");
  }
  const std::vector<IndexedFeature> features = impl_->index.features(id);
  if (features.empty()) return {};
  std::vector<Match> matches =
      impl_->answer(question_of(*image, features), read_again(*image).value_or(DecodedImage{}));
  matches.resize(std::min<std::size_t>(matches.size(), impl_->options.top));
  return matches;
}

}  // namespace lookalike
