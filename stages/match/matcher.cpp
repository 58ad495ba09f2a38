#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <utility>
#include <variant>

#include "stages/match/decision.h"
#include "stages/match/match.h"
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

  std::vector<Candidate> load(const std::vector<RankedImage>& ranked) const;
  std::vector<Match> verified(const Question& question,
                              const std::vector<RankedImage>& ranked) const;
  std::size_t locate(const Query& query, std::vector<Match>& matches);
  void sharpen(const Query& query, Match& match);

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

// Indexed images are read again at the size at which they are compared.
constexpr auto kReadLongestSidePx = static_cast<std::uint32_t>(PoseSharpener::kLongestSidePx);

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
    match.evidence.correlation = pose.correlation;
    match.object_to_query = to_query.inverse() * pose.object_to_scene * to_object;
    match.quad = outline(match.object_to_query, match.image.width, match.image.height);
    return;
  }
}

// The first so many that have a pose.
std::size_t Matcher::Impl::locate(const Query& query, std::vector<Match>& matches) {
  std::size_t done = 0;
  for (Match& match : matches) {
    if (done == options.locate_candidates) break;
    if (!match.is_located()) continue;
    sharpen(query, match);
    match.score = ranking_score(match.evidence, options);
    ++done;
  }
  return done;
}

Matcher::Matcher(OpenClSession& session, const IndexReader& index, const MatchOptions& options)
    : impl_(std::make_unique<Impl>(session, index, options)) {}

Matcher::~Matcher() = default;

MatchTimes Matcher::times() const {
  return impl_->times;
}

std::vector<Match> Matcher::match(const Query& query) {
  impl_->times = {};
  if (query.features.size() == 0) return {};
  Question question;
  question.words = timed(impl_->times.words, [&] {
    return query_words(query.features, impl_->codebook, impl_->assigner,
                       impl_->options.words_per_feature);
  });
  for (const Keypoint& keypoint : query.features.keypoints) {
    question.places.push_back(place_of(keypoint));
  }
  question.width = query.image.record.width;
  question.height = query.image.record.height;
  const auto ranked = timed(impl_->times.shortlist, [&] {
    return impl_->shortlist.find(question.words,
                                 shortlist_depth(impl_->options, impl_->shortlist.image_count()));
  });
  std::vector<Match> matches =
      timed(impl_->times.verify, [&] { return impl_->verified(question, ranked); });
  timed(impl_->times.locate, [&] { return impl_->locate(query, matches); });
  for (Match& match : matches) {
    match.probability = probability_of_same(match.evidence);
    match.decision = decide(match, question.width, question.height, ranked.size(), impl_->options);
  }
  std::erase_if(matches, [&](const Match& match) {
    return match.decision < weakest_reported(impl_->options);
  });
  std::sort(matches.begin(), matches.end(), ranks_before);
  matches.resize(std::min<std::size_t>(matches.size(), impl_->options.top));
  return matches;
}

}  // namespace lookalike
