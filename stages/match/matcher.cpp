#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/quad.h"
#include "stages/match/decide/calibration.h"
#include "stages/match/decide/decision.h"
#include "stages/match/decide/explanations.h"
#include "stages/match/match.h"
#include "stages/match/mirror.h"
#include "stages/match/refine/indexed_picture.h"
#include "stages/match/refine/reduction.h"
#include "stages/match/refine/sharpen.h"
#include "stages/match/verify/pose_geometry.h"
#include "stages/match/verify/verification.h"
#include "stages/match/vote/expansion.h"
#include "stages/match/vote/index_cache.h"
#include "stages/match/vote/query_words.h"
#include "stages/match/vote/shortlist.h"

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

Calibration stored_calibration(const IndexReader& index) {
  const std::optional<std::string> text = index.derived(std::string(kCalibrationName));
  return text ? calibration_from(*text).value_or(Calibration{}) : Calibration{};
}

// Sets the votes of matches against those of all that the shortlist holds, best first.
void compare_votes(std::span<const RankedImage> shortlist, std::vector<Match>& matches) {
  if (shortlist.empty()) return;
  const auto at = [&](std::size_t quarter) {
    return shortlist[quarter * shortlist.size() / 4].score;
  };
  const double range = at(1) - at(3);
  for (Match& match : matches) {
    Evidence& evidence = match.evidence;
    evidence.votes_ratio = evidence.votes / at(2);
    evidence.votes_excess = range > 0 ? (evidence.votes - at(2)) / range : 0;
    evidence.shortlist = shortlist.size();
  }
}

bool ranks_before(const Match& a, const Match& b) {
  return a.score != b.score ? a.score > b.score : a.image.id < b.image.id;
}

bool is_there(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) || error;  // what cannot be looked at may be there
}

// The first options.top of them, and how many there are.
QueryResult result_of(std::vector<Match> matches, const MatchOptions& options) {
  QueryResult result;
  result.found = matches.size();
  matches.resize(std::min<std::size_t>(matches.size(), options.top));
  for (Match& match : matches) {
    std::ranges::copy_if(match.image.paths, std::back_inserter(match.gone),
                         [](const std::string& path) { return !is_there(path); });
  }
  result.matches = std::move(matches);
  return result;
}

// Adds what is not there yet or scores better than what is there of the same image.
void merge_matches(std::vector<Match>& matches, std::vector<Match> more) {
  std::move(more.begin(), more.end(), std::back_inserter(matches));
  std::sort(matches.begin(), matches.end(), ranks_before);
  std::unordered_set<ImageId> seen;
  std::erase_if(matches, [&](const Match& match) { return !seen.insert(match.image.id).second; });
}

// Whether an outline nearly is that of the whole photo.
bool fills(const Quad& quad, const DecodedImage& photo) {
  constexpr double kSlack = 0.03;  // of the longer side
  const int width = photo.record.width;
  const int height = photo.record.height;
  return furthest_corner_px(quad, outline({}, width, height)) <= kSlack * std::max(width, height);
}

using ImageIds = std::unordered_set<ImageId>;

// The images of the first so many matches that have a pose.
ImageIds first_located(std::span<const Match> matches, std::size_t count) {
  ImageIds images;
  for (const Match& match : matches) {
    if (images.size() == count) break;
    if (match.is_located()) images.insert(match.image.id);
  }
  return images;
}

// A photo whose pixels are compared with those of indexed images.
struct PixelComparison {
  explicit PixelComparison(const DecodedImage& of) : photo(of) {}
  const DecodedImage& photo;
  std::optional<Pyramid> scene;  // made for the first image
  ImageIds compared;
};

}  // namespace

struct Matcher::Impl {
  Impl(OpenClSession& session, const IndexReader& index_reader, const MatchOptions& match_options,
       const ImagesOptions& image_limits)
      : reader(index_reader),
        options(match_options),
        limits(image_limits),
        index(reader, limits, std::size_t{match_options.cache_mib} << 20),
        calibration(stored_calibration(reader)),
        codebook(reader.codebook()),
        assigner(session, codebook.word_matrix()),
        shortlist([this](std::uint32_t word) { return index.postings(word); }, reader.norms(),
                  match_options.hamming_threshold),
        sharpener(session) {}

  std::vector<Match> match(const Query& query);
  std::vector<Match> match_indexed(ImageId id);
  std::vector<Match> answer(const Question& question, const DecodedImage& photo);
  Question question_of_photo(const Query& query);
  std::vector<RankedImage> ranked(const Question& question) const;
  std::vector<Match> verified(const Question& question, std::span<const RankedImage> images);
  std::size_t expand(const Question& question, std::vector<Match>& matches);
  std::size_t compare(PixelComparison& comparison, const ImageIds& wanted,
                      std::vector<Match>& matches);
  void sharpen(const DecodedImage& photo, const Pyramid& scene, Match& match);
  void compare_whole(const DecodedImage& photo, Match& match);
  void add_twin(const Question& question, PixelComparison& comparison, std::vector<Match>& matches);
  void weigh(std::vector<Match>& matches) const;
  std::vector<Match> decided(const Question& question, std::vector<Match> matches) const;

  const IndexReader& reader;
  const MatchOptions options;
  const ImagesOptions limits;
  IndexCache index;
  const Calibration calibration;
  const Codebook codebook;
  WordAssigner assigner;
  const Shortlist shortlist;
  PoseSharpener sharpener;
  MatchTimes times;
};

Question Matcher::Impl::question_of_photo(const Query& query) {
  Question question;
  question.words = query_words(query.features, codebook, assigner, options.words_per_feature);
  for (const Keypoint& keypoint : query.features.keypoints) {
    question.places.push_back(place_of(keypoint));
  }
  question.width = query.image.record.width;
  question.height = query.image.record.height;
  return question;
}

std::vector<RankedImage> Matcher::Impl::ranked(const Question& question) const {
  auto images = shortlist.find(question.words, shortlist_depth(options, shortlist.image_count()));
  std::erase_if(images, [&](const RankedImage& entry) { return entry.image == question.itself; });
  return images;
}

std::vector<Match> Matcher::Impl::verified(const Question& question,
                                           std::span<const RankedImage> images) {
  std::vector<ShortlistedImage> candidates;
  for (const RankedImage& entry : images) {
    candidates.push_back({index.record(entry.image), entry.score});
  }
  std::vector<Match> matches = verify_all(question, candidates, options);
  compare_votes(images, matches);
  weigh(matches);
  return matches;
}

// Asks again with the features of the best matches, as long as they are sure, and takes over the
// images that only then are found. Returns how many matches it asked with.
std::size_t Matcher::Impl::expand(const Question& question, std::vector<Match>& matches) {
  std::vector<SureHit> hits;
  for (const Match& match : matches) {
    if (hits.size() == options.expansion_hits || match.probability < kSureProbability) break;
    hits.push_back({index.record(match.image.id), match.object_to_query});
  }
  if (hits.empty()) return 0;
  const Question wider = expanded(question, hits);
  for (Match& found : verified(wider, ranked(wider))) {
    const auto known = std::ranges::find(matches, found.image.id,
                                         [](const Match& match) { return match.image.id; });
    if (known == matches.end()) {
      matches.push_back(std::move(found));
    } else if (!known->is_located()) {
      *known = std::move(found);
    }
  }
  weigh(matches);
  return hits.size();
}

// Leaves the match as it is when the indexed image cannot be read any more.
void Matcher::Impl::sharpen(const DecodedImage& photo, const Pyramid& scene, Match& match) {
  const auto kept = index.picture(match.image);
  if (!*kept) return;
  const DecodedImage& object = **kept;
  const Homography to_object = reduction(object);
  const Homography to_query = reduction(photo);
  std::vector<PointPair> features;
  for (const auto& [on_object, in_query] : match.inlier_pairs) {
    features.push_back({to_object.apply(on_object), to_query.apply(in_query)});
  }
  const SharpenedPose pose = sharpener.sharpen(
      object.pixels.view(), scene, to_query * match.object_to_query * to_object.inverse(), features,
      object.alpha.view());
  match.evidence.correlation = pose.correlation;
  match.evidence.detail = pose.detail;
  match.object_to_query = to_query.inverse() * pose.object_to_scene * to_object;
  const Quad before = match.quad;
  match.quad = outline(match.object_to_query, match.image.width, match.image.height);
  if (pose.part) match.part = moved(*pose.part, match.object_to_query * to_object.inverse());
  if (fills(match.quad, photo)) compare_whole(photo, match);
  match.moved_px = furthest_corner_px(before, match.quad);
}

// Takes the pose under which each picture fills the other if they agree better so. The indexed one
// is read at the size of the photo, so that both are reduced alike.
void Matcher::Impl::compare_whole(const DecodedImage& photo, Match& match) {
  WantedSize size(static_cast<std::uint32_t>(std::max(photo.pixels.width, photo.pixels.height)));
  size.at_least_px = size.at_most_px;
  const std::optional<DecodedImage> object = read_indexed(match.image, size, limits);
  if (!object) return;
  const SharpenedPose pose = sharpener.whole(object->pixels.view(), photo.pixels.view());
  Evidence& evidence = match.evidence;
  if (!pose.correlation || *pose.correlation < evidence.correlation.value_or(-1)) return;
  evidence.correlation = pose.correlation;
  evidence.detail = pose.detail;
  evidence.identical = pose.identical;
  match.object_to_query =
      resizing(match.image.width, match.image.height, photo.record.width, photo.record.height);
  match.quad = outline(match.object_to_query, match.image.width, match.image.height);
}

// The indexed image of the photo's very file, if its pixels say so too: features may be too few to
// find it by.
void Matcher::Impl::add_twin(const Question& question, PixelComparison& comparison,
                             std::vector<Match>& matches) {
  const DecodedImage& photo = comparison.photo;
  const std::optional<ImageId> id = reader.find(photo.record.content);
  if (!id || *id == question.itself) return;
  const auto known =
      std::ranges::find(matches, *id, [](const Match& match) { return match.image.id; });
  if (known != matches.end() && known->is_located()) return;
  Match twin;
  twin.image = *reader.image(*id);
  if (twin.image.width != photo.record.width || twin.image.height != photo.record.height) return;
  compare_whole(photo, twin);
  if (!twin.evidence.identical) return;
  twin.evidence.inliers = twin.evidence.effective_inliers = twin.evidence.pairs =
      static_cast<std::uint32_t>(twin.image.feature_count);
  if (known != matches.end()) matches.erase(known);
  matches.push_back(std::move(twin));
  comparison.compared.insert(*id);
}

// Compares the wanted images that have a pose and were not compared yet; returns how many.
std::size_t Matcher::Impl::compare(PixelComparison& comparison, const ImageIds& wanted,
                                   std::vector<Match>& matches) {
  std::size_t done = 0;
  for (Match& match : matches) {
    if (!match.is_located() || !wanted.contains(match.image.id)) continue;
    if (!comparison.compared.insert(match.image.id).second) continue;
    if (!comparison.scene)
      comparison.scene.emplace(comparison.photo.pixels.view(), comparison.photo.alpha.view());
    sharpen(comparison.photo, *comparison.scene, match);
    ++done;
  }
  return done;
}

// Brings probabilities, scores and the order up to date with the evidence.
void Matcher::Impl::weigh(std::vector<Match>& matches) const {
  for (Match& match : matches) {
    match.probability = calibration.probability(match.evidence);
    match.score = ranking_score(match.evidence);
  }
  std::sort(matches.begin(), matches.end(), ranks_before);
}

// What is to be reported, best first, when features that several matches explain go to the surest.
std::vector<Match> Matcher::Impl::decided(const Question& question,
                                          std::vector<Match> matches) const {
  weigh(matches);
  if (options.explain_once) {
    resolve_explanations(matches, options);
    weigh(matches);
  }
  for (Match& match : matches) {
    match.decision = decide(match, question.width, question.height, options);
    if (match.decision == Decision::kPart) match.quad = *match.part;
  }
  std::erase_if(matches,
                [&](const Match& match) { return match.decision < weakest_reported(options); });
  return matches;
}

// What is asked, best first; photo has no pixels when they cannot be had.
std::vector<Match> Matcher::Impl::answer(const Question& question, const DecodedImage& photo) {
  const auto images = timed(times.shortlist, [&] { return ranked(question); });
  std::vector<Match> matches = timed(times.verify, [&] { return verified(question, images); });
  if (options.expansion_hits > 0) {
    timed(times.expand, [&] { return expand(question, matches); });
  }
  if (options.locate_candidates == 0 || photo.pixels.empty()) return decided(question, matches);
  PixelComparison comparison(photo);
  add_twin(question, comparison, matches);
  const auto compare_first = [&](std::span<const Match> best_first, std::size_t count) {
    const ImageIds wanted = first_located(best_first, count);
    return timed(times.locate, [&] { return compare(comparison, wanted, matches); });
  };
  compare_first(matches, options.locate_candidates);
  while (true) {
    std::vector<Match> answered = decided(question, matches);
    // Comparing changes the order, and with it what is answered.
    const std::size_t listed = std::min<std::size_t>(answered.size(), options.top);
    if (compare_first(std::span(answered).first(listed), listed) == 0) return answered;
  }
}

std::vector<Match> Matcher::Impl::match(const Query& query) {
  const Question question = timed(times.words, [&] { return question_of_photo(query); });
  return answer(question, query.image);
}

std::vector<Match> Matcher::Impl::match_indexed(ImageId id) {
  if (!reader.image(id)) {
    throw Error(ErrorKind::kInput,
                "match: there is no image " + std::to_string(id) + " in the index");
  }
  const auto record = index.record(id);
  if (record->features.empty()) return {};
  const auto picture = index.picture(record->image);
  return answer(question_of(record->image, record->features), picture->value_or(DecodedImage{}));
}

Matcher::Matcher(OpenClSession& session, const IndexReader& index, const MatchOptions& options,
                 const ImagesOptions& limits)
    : impl_(std::make_unique<Impl>(session, index, options, limits)) {
  if (impl_->shortlist.image_count() == 0) {
    throw Error(ErrorKind::kInput,
                "the index holds no images with features: run `lookalike index --images DIR`");
  }
}

Matcher::~Matcher() = default;

MatchTimes Matcher::times() const {
  return impl_->times;
}

QueryResult Matcher::match(const Query& query) {
  impl_->times = {};
  std::vector<Match> matches = impl_->match(query);
  if (impl_->options.mirror) {
    std::vector<Match> as_mirrored = impl_->match(mirrored(query));
    // Votes alone say nothing of a mirror.
    std::erase_if(as_mirrored, [](const Match& match) { return !match.is_located(); });
    unmirror(as_mirrored, mirror_width(query.image));
    merge_matches(matches, std::move(as_mirrored));
  }
  return result_of(std::move(matches), impl_->options);
}

QueryResult Matcher::match_indexed(ImageId id) {
  impl_->times = {};
  return result_of(impl_->match_indexed(id), impl_->options);
}

const std::string& path_of(const Match& match) {
  const std::vector<std::string>& paths = match.image.paths;
  const auto there = std::ranges::find_if(paths, [&](const std::string& path) {
    return std::ranges::find(match.gone, path) == match.gone.end();
  });
  return there == paths.end() ? paths.front() : *there;
}

}  // namespace lookalike
