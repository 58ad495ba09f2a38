#include "stages/match/matcher.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/page_name.h"
#include "base/parallel.h"
#include "base/path_set.h"
#include "base/random.h"
#include "stages/match/decide/decision.h"
#include "stages/match/decide/places.h"
#include "stages/match/explain_query.h"
#include "stages/match/pair_finder.h"
#include "stages/match/query_input.h"
#include "stages/match/query_run.h"
#include "stages/match/refine/refiner.h"
#include "stages/match/shared_search.h"

namespace lookalike {
namespace {

void note_missing_files(Match& match) {
  std::ranges::copy_if(match.image.paths, std::back_inserter(match.gone),
                       [](const std::string& path) { return is_path(path) && !has_file(path); });
}

// Numbers the places of the reported matches in a width x height px photo. Guesses are not reported
// beside sure matches, unless all matches are.
std::size_t place(std::vector<Match>& matches, const ReportOptions& options, int width,
                  int height) {
  if (weakest_reported(options) > Decision::kNone) drop_guesses(matches);
  return number_places(matches, width, height);
}

// Returns the matches of the first options.top places, with the number of all.
QueryResult result_of(std::vector<Match> matches, const ReportOptions& options, int width,
                      int height, const MatchTimes& times) {
  QueryResult result;
  result.times = times;
  result.places = place(matches, options, width, height);
  result.total = matches.size();
  result.found = static_cast<std::size_t>(
      std::ranges::count_if(matches, [](const Match& match) { return is_found(match.decision); }));
  std::erase_if(matches, [&](const Match& match) { return match.place > options.top; });
  std::ranges::for_each(matches, note_missing_files);
  result.matches = std::move(matches);
  return result;
}

// Adds the matches of a photo's mirror image; an image found both ways keeps the better score.
// Drops those without a pose: votes alone are no evidence of a mirror.
void merge_mirrored(std::vector<Match>& matches, std::vector<Match> mirrored, double width) {
  std::erase_if(mirrored, [](const Match& match) { return !match.has_pose(); });
  unmirror(mirrored, width);
  std::move(mirrored.begin(), mirrored.end(), std::back_inserter(matches));
  sort_by_flow(matches);
  std::unordered_set<ImageId> seen;
  std::erase_if(matches, [&](const Match& match) { return !seen.insert(match.image.id).second; });
}

// Moves the explanation of a mirrored photo, `width` px wide, back to the photo.
void unmirror(Explanation& explanation, double width) {
  for (Match* match : {&explanation.by_features, &explanation.match}) {
    std::vector<Match> alone = {std::move(*match)};
    unmirror(alone, width);
    *match = std::move(alone.front());
  }
  for (auto& [places, inlier] : explanation.pairs) places.scene.x = width - 1 - places.scene.x;
}

// Returns the surer match that shares most of a match's features, if one took any.
std::optional<Rival> rival_of(const Match& match, std::span<const Match> answers,
                              const DecideOptions& options) {
  std::optional<Rival> rival;
  const std::unordered_set<std::uint32_t> own(match.pose.query_features.begin(),
                                              match.pose.query_features.end());
  for (const Match& other : answers) {
    if (other.image.id == match.image.id || !other.has_pose() ||
        other.pose.mirrored != match.pose.mirrored ||
        other.probability < options.same_probability || keeps_its_features(match, other)) {
      continue;
    }
    const auto shared = static_cast<std::size_t>(std::ranges::count_if(
        other.pose.query_features, [&](std::uint32_t feature) { return own.contains(feature); }));
    if (shared > (rival ? rival->features : 0)) rival = Rival{other, shared};
  }
  return rival;
}

// Completes the explanation of an image by its rank among the answers.
void rank_among(const std::vector<Match>& answers, const DecideOptions& options,
                Explanation& explanation) {
  explanation.total = answers.size();
  const auto answered = find_match(answers, explanation.match.image.id);
  if (answered != answers.end()) {
    explanation.answer_rank = static_cast<std::size_t>(answered - answers.begin()) + 1;
    explanation.judged = *answered;
  }
  const auto inliers = [](const Match& match) { return match.evidence.inliers; };
  if (explanation.judged && inliers(*explanation.judged) < inliers(explanation.match)) {
    explanation.rival = rival_of(explanation.match, answers, options);
    if (explanation.rival) note_missing_files(explanation.rival->match);
  }
}

// Returns an image and its record; `what` begins the message of the error if there is none.
std::shared_ptr<const Record> must_find(SharedSearch& shared, ImageId id, const char* what) {
  const std::optional<StoredImage> image = shared.reader.image(id);
  if (!image) {
    throw Error(ErrorKind::kInput, fmt::format("{}: there is no image {} in the index", what, id));
  }
  return shared.cache.record(image->id);
}

}  // namespace

Matcher::Matcher(OpenClSession& session, const IndexReader& index, const Calibration& calibration,
                 const MatchOptions& options, PictureLoaders loaders)
    : shared_(std::make_unique<SharedSearch>(session, index, calibration, options,
                                             std::move(loaders))) {
  if (shared_->shortlist.image_count() == 0) {
    throw Error(ErrorKind::kInput,
                "the index holds no images with features: run `lookalike index --images DIR`");
  }
}

Matcher::~Matcher() = default;

void Matcher::vote_on_device() {
  // Past the cache, which could hold a part of the lists at most.
  const auto for_each_list = [this](std::uint32_t word, const auto& visit) {
    shared_->reader.for_each_list(word, visit);
  };
  shared_->shortlist.load(shared_->session, for_each_list, shared_->codebook.size(),
                          shared_->reader.counts().postings, core_count());
}

QueryResult Matcher::match(const Query& query, const IsCompared& is_compared) const {
  return match(query, shared_->options, is_compared);
}

QueryResult Matcher::match(const Query& query, const ReportOptions& asked,
                           const IsCompared& is_compared) const {
  MatchTimes times;
  const auto matches_of = [&](const Query& photo) {
    QueryInput input(*shared_, photo, asked, is_compared);
    return reported(QueryRun(*shared_, input, times).answer().judged, asked);
  };
  std::vector<Match> matches = matches_of(query);
  if (asked.mirror) {
    merge_mirrored(matches, matches_of(mirrored(query)), mirror_width(query.image));
  }
  const ImageRecord& photo = query.image.record;
  return result_of(std::move(matches), asked, photo.width, photo.height, times);
}

QueryResult Matcher::match_indexed(ImageId id) const {
  return match_indexed(id, shared_->options);
}

QueryResult Matcher::match_indexed(ImageId id, const ReportOptions& asked) const {
  const auto record = must_find(*shared_, id, "match");
  if (record->features.empty()) return {};
  MatchTimes times;
  QueryInput input(*shared_, record, asked);
  std::vector<Match> judged = QueryRun(*shared_, input, times).answer().judged;
  return result_of(reported(std::move(judged), asked), asked, record->image.width,
                   record->image.height, times);
}

SurePairs Matcher::pairs(ImageId id, const PairCandidates& candidates) const {
  QueryInput input(*shared_, must_find(*shared_, id, "match"));
  return PairFinder(*shared_, input).find(candidates);
}

SurePairs Matcher::pair(ImageId id, ImageId other) const {
  QueryInput input(*shared_, must_find(*shared_, id, "match"));
  return PairFinder(*shared_, input).compare(other);
}

std::unique_ptr<NeighbourJoin> Matcher::join(std::vector<NeighbourJoin::Image> batch,
                                             NeighbourJoin::IsVoter is_voter,
                                             const std::function<void()>& before_range) const {
  return std::make_unique<NeighbourJoin>(*shared_, std::move(batch), std::move(is_voter),
                                         before_range);
}

SurePairs Matcher::mirrored_pairs(const Query& photo, const PairCandidates& candidates) const {
  const Query mirror = mirrored(photo);
  QueryInput input(*shared_, mirror);
  SurePairs pairs = PairFinder(*shared_, input).find(candidates);
  unmirror(pairs.matches, mirror_width(photo.image));
  return pairs;
}

Explanation Matcher::explain(const Query& query, ImageId id) const {
  const MatchOptions& options = shared_->options;
  const ImageId image = must_find(*shared_, id, "explain")->image.id;  // a copy's original
  struct Side {
    std::vector<Match> answers;
    Explanation explanation;
  };
  const auto explained = [&](const Query& photo) -> Side {
    QueryInput input(*shared_, photo, options);
    MatchTimes times;
    const QueryTrace trace = QueryRun(*shared_, input, times).answer();
    Explanation explanation = explain_image(*shared_, input, trace, image);
    explanation.query_features = photo.first_look_features();
    return {reported(trace.judged, options), std::move(explanation)};
  };
  auto [answers, explanation] = explained(query);
  if (options.mirror) {
    const double width = mirror_width(query.image);
    Side side = explained(mirrored(query));
    merge_mirrored(answers, std::move(side.answers), width);
    const Match& match = side.explanation.match;
    if (match.has_pose() && match.score > explanation.match.score) {
      unmirror(side.explanation, width);
      explanation = std::move(side.explanation);
    }
  }
  place(answers, options, query.image.record.width, query.image.record.height);
  rank_among(answers, options, explanation);
  note_missing_files(explanation.match);
  return explanation;
}

void build_word_kernels(OpenClSession& session, std::size_t descriptor_size,
                        std::size_t words_per_feature) {
  constexpr std::size_t kRows = 64;
  const std::vector<float> zeros(kRows * descriptor_size);
  const MatrixView rows(zeros.data(), kRows, descriptor_size);
  WordAssigner(session, rows).nearest(rows, words_per_feature);
}

void build_pixel_kernels(OpenClSession& session) {
  DecodedImage picture;
  picture.pixels = GrayImage(320, 240);
  picture.record.width = picture.pixels.width;
  picture.record.height = picture.pixels.height;
  Random random(1);
  for (std::uint8_t& pixel : picture.pixels.pixels) {
    pixel = static_cast<std::uint8_t>(random.below(256));
  }
  PoseRefiner(session).refine(picture, Pyramid(picture), Homography{}, {});
}

}  // namespace lookalike
