#include "stages/match/matcher.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/page_name.h"
#include "base/parallel.h"
#include "base/random.h"
#include "stages/match/decide/decision.h"
#include "stages/match/refine/refiner.h"
#include "stages/match/verify/verification.h"
#include "stages/match/vote/query_words.h"
#include "stages/match/vote/shortlist.h"

namespace lookalike {
namespace {

// A photo whose best match is less probable than this gets a second look, however low the bar for
// a sure match is. A second look verifies so many times as many images.
constexpr double kEvenChance = 0.5;
constexpr std::size_t kSecondLookDepth = 3;
// Fewer sure matches are no reason to search again, unless fewer are asked for: the photo may show
// something that is indexed once.
constexpr std::size_t kFewestSources = 2;

// The depth of an automatic shortlist grows as the square root of the collection: at 500 images
// nearly a fifth are verified, at 62,500 a thousand.
std::size_t shortlist_depth(const MatchOptions& options, std::size_t images) {
  constexpr double kGrowth = 4;
  if (options.shortlist > 0) return options.shortlist;
  const double depth = kGrowth * std::sqrt(static_cast<double>(images));
  return std::clamp(static_cast<std::size_t>(depth), std::size_t{100}, std::size_t{1000});
}

std::size_t first_look_features(const Query& query) {
  return std::min(query.first_look.value_or(query.features.size()), query.features.size());
}

// Relates the votes of matches to those of the whole shortlist, best first.
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
  return a.score != b.score ? a.score > b.score : a.image.content < b.image.content;
}

std::vector<Match>::iterator find_match(std::vector<Match>& matches, ImageId image) {
  return std::ranges::find(matches, image, [](const Match& match) { return match.image.id; });
}

using ImageIds = std::unordered_set<ImageId>;

// The images of the first `count` matches that have a pose.
ImageIds first_located(std::span<const Match> matches, std::size_t count) {
  ImageIds images;
  for (const Match& match : matches) {
    if (images.size() == count) break;
    if (match.is_located()) images.insert(match.image.id);
  }
  return images;
}

// A pose that the pixels gave.
void set_pose(const RefinedPose& pose, Match& match) {
  match.evidence.correlation = pose.correlation;
  match.evidence.detail = pose.detail;
  match.evidence.largest_difference = pose.largest_difference;
  match.evidence.identical = pose.identical;
  match.object_to_query = pose.object_to_scene;
  match.quad = outline(match.object_to_query, match.image.width, match.image.height);
  if (pose.part) match.part = pose.part;
}

void note_missing_files(Match& match) {
  std::ranges::copy_if(match.image.paths, std::back_inserter(match.gone),
                       [](const std::string& path) { return !has_file(path); });
}

// The first options.top of the matches, and how many there are.
QueryResult result_of(std::vector<Match> matches, const MatchOptions& options,
                      const MatchTimes& times) {
  QueryResult result;
  result.times = times;
  result.total = matches.size();
  result.found = static_cast<std::size_t>(
      std::ranges::count_if(matches, [](const Match& match) { return is_found(match.decision); }));
  matches.resize(std::min<std::size_t>(matches.size(), options.top));
  std::ranges::for_each(matches, note_missing_files);
  result.matches = std::move(matches);
  return result;
}

// Refiners with a device queue each, as many as are used at the same time.
class Refiners {
 public:
  // Compiles what they need.
  explicit Refiners(const OpenClSession& session) : session_(session) {
    with([](auto&) {});
  }

  // Calls work(refiner) with one that no other thread has.
  template <typename Work>
  void with(Work work) {
    std::unique_ptr<Queued> mine = take();
    if (!mine) mine = std::make_unique<Queued>(session_);
    work(mine->refiner);
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(mine));
  }

 private:
  struct Queued {
    explicit Queued(const OpenClSession& first) : session(first.another_queue()) {}
    OpenClSession session;
    PoseRefiner refiner{session};
  };

  std::unique_ptr<Queued> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return nullptr;
    std::unique_ptr<Queued> taken = std::move(free_.back());
    free_.pop_back();
    return taken;
  }

  const OpenClSession& session_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Queued>> free_;
};

// Turns features into words, for one query at a time.
class SharedAssigner {
 public:
  SharedAssigner(const OpenClSession& session, const Codebook& codebook)
      : session_(session.another_queue()), codebook_(codebook), assigner_(session_, codebook) {}

  IndexQuery query(const Query& query, std::size_t words_per_feature, std::size_t features) {
    const std::lock_guard lock(mutex_);
    return index_query(query, codebook_, assigner_, words_per_feature, features);
  }

 private:
  std::mutex mutex_;
  OpenClSession session_;
  const Codebook& codebook_;
  WordAssigner assigner_;
};

// Adds matches of images that are not there yet, or score better than the match that is.
void merge_matches(std::vector<Match>& matches, std::vector<Match> more) {
  std::move(more.begin(), more.end(), std::back_inserter(matches));
  std::sort(matches.begin(), matches.end(), ranks_before);
  ImageIds seen;
  std::erase_if(matches, [&](const Match& match) { return !seen.insert(match.image.id).second; });
}

// An image that is followed through a query.
struct Followed {
  ImageId image = 0;
  std::size_t verified = 0;  // images of the shortlist
  bool second_look = false;
  std::optional<Match> judged{};  // at last, whether reported or not; none if it was not verified
};

std::size_t distinct_words(std::span<const std::uint32_t> ascending) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    count += i == 0 || ascending[i] != ascending[i - 1] ? 1 : 0;
  }
  return count;
}

void explain_words(const IndexQuery& query, const Record& record, Explanation& explanation) {
  std::vector<std::uint32_t> in_query;
  for (const QueryWord& word : query.words) in_query.push_back(word.word);
  std::vector<std::uint32_t> in_image;
  for (const IndexedFeature& feature : record.features) in_image.push_back(feature.word);
  std::vector<std::uint32_t> common;
  std::ranges::set_intersection(in_query, in_image, std::back_inserter(common));
  explanation.query_words = distinct_words(in_query);
  explanation.image_words = distinct_words(in_image);
  explanation.common_words = distinct_words(common);
}

void explain_pairs(const Verification& verified, Explanation& explanation) {
  for (const auto& [object, scene] : verified.pairs) {
    explanation.pairs.push_back({{{object.x, object.y}, {scene.x, scene.y}}, false});
  }
  for (const std::uint32_t i : verified.inliers) explanation.pairs[i].inlier = true;
  explanation.attempt = verified.attempt;
}

// Brings the explanation of a mirrored photo that is `width` px wide back to the photo itself.
void unmirror(Explanation& explanation, double width) {
  for (Match* match : {&explanation.by_features, &explanation.match}) {
    std::vector<Match> alone = {std::move(*match)};
    unmirror(alone, width);
    *match = std::move(alone.front());
  }
  for (auto& [places, inlier] : explanation.pairs) places.scene.x = width - 1 - places.scene.x;
}

// The surer match among the answers that explains most of a match's features, if any does.
std::optional<Rival> rival_of(const Match& match, std::span<const Match> answers,
                              const MatchOptions& options) {
  std::optional<Rival> rival;
  const std::unordered_set<std::uint32_t> own(match.query_features.begin(),
                                              match.query_features.end());
  for (const Match& other : answers) {
    if (other.image.id == match.image.id || !other.is_located() ||
        other.mirrored != match.mirrored || other.probability < options.same_probability ||
        keeps_its_features(match, other)) {
      continue;
    }
    const auto shared = static_cast<std::size_t>(std::ranges::count_if(
        other.query_features, [&](std::uint32_t feature) { return own.contains(feature); }));
    if (shared > (rival ? rival->features : 0)) rival = Rival{other, shared};
  }
  return rival;
}

}  // namespace

struct Matcher::Impl {
  Impl(OpenClSession& device_session, const IndexReader& index_reader,
       const Calibration& index_calibration, const MatchOptions& match_options,
       PictureLoader picture_loader)
      : session(device_session),
        reader(index_reader),
        calibration(index_calibration),
        options(match_options),
        load_picture(std::move(picture_loader)),
        codebook(reader.codebook()),
        index(reader, load_picture, std::size_t{match_options.cache_mib} << 20),
        assigner(session, codebook),
        shortlist(
            [this](std::uint32_t word, const auto& visit) { index.for_each_list(word, visit); },
            [this](ImageId image) { return reader.content(image); }, reader.norms(),
            reader.removed(), match_options.hamming_threshold),
        refiners(session) {}

  // A photo while its pixels are compared with those of indexed images.
  struct Comparison {
    const DecodedImage& photo;
    const Compared& is_compared;
    std::optional<Pyramid> scene{};  // made for the first image
    ImageIds compared{};
    std::atomic<bool> all_read = true;  // of the indexed images
  };

  // What a second look searches with.
  using SecondLook = std::function<IndexQuery()>;

  // Those of the photo and, with asked.mirror, of its mirror image. `followed` is nothing, or
  // one for each of the two. asked: as Matcher::match takes it.
  std::vector<Match> matches(const Query& query, const Compared& is_compared,
                             const MatchOptions& asked, MatchTimes& times,
                             std::span<Followed> followed = {});
  Explanation explain(const Query& query, const Followed& followed);
  IndexQuery first_look(const Query& query);
  IndexQuery second_look(const Query& query);
  std::vector<Match> answer(const Query& query, const Compared& is_compared,
                            const MatchOptions& asked, MatchTimes& times, Followed* followed);
  std::vector<Match> answer(const IndexQuery& first_look, const SecondLook& second_look,
                            const DecodedImage& photo, const Compared& is_compared,
                            const MatchOptions& asked, MatchTimes& times,
                            Followed* followed = nullptr);
  // The photo's pixels, or nothing if they cannot be read; called once at most.
  using PictureOf = std::function<const DecodedImage*()>;
  Pairs pairs(const IndexQuery& query, const PictureOf& picture_of, const Wanted& wanted);
  bool could_be_sure(const Match& match) const;
  std::vector<RankedImage> vote(const IndexQuery& query) const;
  std::vector<Match> verify(const IndexQuery& query, std::span<const RankedImage> images,
                            std::size_t count);
  bool needs_second_look(const std::vector<Match>& ranked) const;
  void expand(const IndexQuery& query, std::vector<Match>& matches);
  void add_identical(const IndexQuery& query, Comparison& comparison, std::vector<Match>& matches);
  std::size_t refine(const ImageIds& images, Comparison& comparison, std::vector<Match>& matches);
  bool refine(PoseRefiner& refiner, const DecodedImage& photo, const Pyramid& scene, Match& match);
  void compare_whole(PoseRefiner& refiner, const DecodedImage& photo, Match& match,
                     const DecodedImage* known = nullptr);
  std::vector<Match> decided(const IndexQuery& query, std::vector<Match> matches,
                             const MatchOptions& asked, Followed* followed) const;
  void judge(const IndexQuery& query, std::vector<Match>& matches) const;
  void rank(std::vector<Match>& matches) const;
  // For the loops of one query: the queries that are being answered share the cores.
  std::size_t threads() const { return std::max<std::size_t>(1, core_count() / in_progress); }

  const OpenClSession& session;
  const IndexReader& reader;
  const Calibration calibration;
  const MatchOptions options;
  const PictureLoader load_picture;
  const Codebook codebook;
  IndexCache index;
  SharedAssigner assigner;
  Shortlist shortlist;
  const std::size_t depth = shortlist_depth(options, shortlist.image_count());
  Refiners refiners;
  std::atomic<std::size_t> in_progress = 0;  // queries
};

namespace {

// A query while it is being answered.
class InProgress {
 public:
  explicit InProgress(std::atomic<std::size_t>& count) : count_(count) { ++count_; }
  ~InProgress() { --count_; }
  InProgress(const InProgress&) = delete;
  InProgress& operator=(const InProgress&) = delete;

 private:
  std::atomic<std::size_t>& count_;
};

// Runs a step and adds its duration in milliseconds.
template <typename Step>
auto timed(double& total_ms, Step step) {
  struct Timer {
    using Clock = std::chrono::steady_clock;
    ~Timer() { total += std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }
    double& total;
    const Clock::time_point start = Clock::now();
  } timer{total_ms};
  return step();
}

}  // namespace

std::vector<Match> Matcher::Impl::matches(const Query& query, const Compared& is_compared,
                                          const MatchOptions& asked, MatchTimes& times,
                                          std::span<Followed> followed) {
  const auto follow = [&](std::size_t i) { return followed.empty() ? nullptr : &followed[i]; };
  std::vector<Match> found = answer(query, is_compared, asked, times, follow(0));
  if (!asked.mirror) return found;
  std::vector<Match> as_mirrored = answer(mirrored(query), is_compared, asked, times, follow(1));
  // Votes without a pose are no evidence of a mirror.
  std::erase_if(as_mirrored, [](const Match& match) { return !match.is_located(); });
  unmirror(as_mirrored, mirror_width(query.image));
  merge_matches(found, std::move(as_mirrored));
  return found;
}

std::vector<Match> Matcher::Impl::answer(const Query& query, const Compared& is_compared,
                                         const MatchOptions& asked, MatchTimes& times,
                                         Followed* followed) {
  const IndexQuery words = timed(times.words, [&] { return first_look(query); });
  const auto more = [&] { return timed(times.words, [&] { return second_look(query); }); };
  return answer(words, more, query.image, is_compared, asked, times, followed);
}

IndexQuery Matcher::Impl::first_look(const Query& query) {
  return assigner.query(query, options.words_per_feature, first_look_features(query));
}

IndexQuery Matcher::Impl::second_look(const Query& query) {
  return assigner.query(query, kSecondLookWords * options.words_per_feature, query.features.size());
}

// The matches that are reported, best first. A photo without pixels is not compared.
std::vector<Match> Matcher::Impl::answer(const IndexQuery& first_look,
                                         const SecondLook& second_look, const DecodedImage& photo,
                                         const Compared& is_compared, const MatchOptions& asked,
                                         MatchTimes& times, Followed* followed) {
  const auto images = timed(times.shortlist, [&] { return vote(first_look); });
  std::vector<Match> matches =
      timed(times.verify, [&] { return verify(first_look, images, depth); });
  std::optional<IndexQuery> second;
  if (options.second_look && needs_second_look(matches)) {
    second = second_look();
    matches = timed(times.verify, [&] { return verify(*second, images, images.size()); });
  }
  const IndexQuery& query = second ? *second : first_look;
  if (followed) {
    followed->verified = matches.size();
    followed->second_look = second.has_value();
  }
  if (options.expansion_hits > 0) timed(times.expand, [&] { expand(query, matches); });
  if (options.refine_candidates == 0 || photo.pixels.empty()) {
    return decided(query, matches, asked, followed);
  }

  Comparison comparison{photo, is_compared};
  add_identical(query, comparison, matches);
  const auto refine_first = [&](std::span<const Match> best_first, std::size_t count) {
    const ImageIds chosen = first_located(best_first, count);
    return timed(times.refine, [&] { return refine(chosen, comparison, matches); });
  };
  refine_first(matches, options.refine_candidates);
  while (true) {
    std::vector<Match> answered = decided(query, matches, asked, followed);
    // Refining changes the order, and with it the answer.
    const std::size_t listed = std::min<std::size_t>(answered.size(), asked.top);
    if (refine_first(std::span(answered).first(listed), listed) == 0) return answered;
  }
}

Matcher::Pairs Matcher::Impl::pairs(const IndexQuery& query, const PictureOf& picture_of,
                                    const Wanted& wanted) {
  const std::vector<RankedImage> voted = vote(query);
  std::vector<RankedImage> images;
  std::ranges::copy_if(voted, std::back_inserter(images),
                       [&](const RankedImage& image) { return wanted(image.image); });
  Pairs pairs;
  std::vector<Match>& matches = pairs.matches;
  matches = verify_all(
      query, images, [&](ImageId image) { return index.record(image); }, options, threads());
  compare_votes(voted, matches);
  std::erase_if(matches, [&](const Match& match) { return !could_be_sure(match); });
  if (matches.empty()) return pairs;
  const DecodedImage* const picture = picture_of();
  pairs.all_read = picture != nullptr;
  if (picture != nullptr) {
    const Compared always = [](const Match&) { return true; };
    Comparison comparison{*picture, always};
    refine(first_located(matches, matches.size()), comparison, matches);
    pairs.all_read = comparison.all_read;
  }
  rank(matches);
  std::erase_if(matches,
                [&](const Match& match) { return match.probability < options.same_probability; });
  for (Match& match : matches) {
    match.decision = decide(match, query.width, query.height, options);
  }
  std::ranges::sort(matches, {}, [](const Match& match) { return match.image.content; });
  return pairs;
}

// Whether the match is sure if all pixels agree.
bool Matcher::Impl::could_be_sure(const Match& match) const {
  if (!match.is_located()) return false;
  Evidence best = match.evidence;
  best.correlation = best.detail = 1;
  return calibration.probability(best) >= options.same_probability;
}

// As many as a second look verifies.
std::vector<RankedImage> Matcher::Impl::vote(const IndexQuery& query) const {
  auto images = shortlist.find(query.words,
                               options.shortlist > 0 ? depth : kSecondLookDepth * depth, threads());
  std::erase_if(images,
                [&](const RankedImage& entry) { return entry.image == query.excluded_image; });
  return images;
}

// The first `count` images of the shortlist, best first.
std::vector<Match> Matcher::Impl::verify(const IndexQuery& query,
                                         std::span<const RankedImage> images, std::size_t count) {
  std::vector<Match> matches = verify_all(
      query, images.first(std::min(images.size(), count)),
      [&](ImageId image) { return index.record(image); }, options, threads());
  compare_votes(images, matches);
  rank(matches);
  return matches;
}

bool Matcher::Impl::needs_second_look(const std::vector<Match>& ranked) const {
  return ranked.empty() ||
         ranked.front().probability < std::max(options.same_probability, kEvenChance);
}

// Searches again with the features of the best matches added, as long as they are sure, and adds
// the images that only the wider query finds.
void Matcher::Impl::expand(const IndexQuery& query, std::vector<Match>& matches) {
  std::vector<ExpansionSource> sources;
  for (const Match& match : matches) {
    if (sources.size() == options.expansion_hits || match.probability < kSureProbability) break;
    sources.push_back({index.record(match.image.id), match.object_to_query});
  }
  if (sources.size() < std::min<std::size_t>(kFewestSources, options.expansion_hits)) return;
  const IndexQuery wider = expanded(query, sources);
  for (Match& found : verify(wider, vote(wider), depth)) {
    const auto known = find_match(matches, found.image.id);
    if (known == matches.end()) {
      matches.push_back(std::move(found));
    } else if (!known->is_located()) {
      *known = std::move(found);
    }
  }
  rank(matches);
}

// Adds the indexed image of the photo's very file, if its pixels agree: it may have too few
// features to be found.
void Matcher::Impl::add_identical(const IndexQuery& query, Comparison& comparison,
                                  std::vector<Match>& matches) {
  const DecodedImage& photo = comparison.photo;
  const std::optional<ImageId> id = reader.find(photo.record.content);
  if (!id || *id == query.excluded_image) return;
  const auto known = find_match(matches, *id);
  if (known != matches.end() && known->is_located()) return;
  Match copy;
  copy.image = *reader.image(*id);
  if (copy.image.width != photo.record.width || copy.image.height != photo.record.height) return;
  refiners.with([&](PoseRefiner& refiner) { compare_whole(refiner, photo, copy); });
  if (!copy.evidence.identical) return;
  copy.evidence.inliers = copy.evidence.effective_inliers = copy.evidence.pairs =
      static_cast<std::uint32_t>(copy.image.feature_count);
  if (known != matches.end()) matches.erase(known);
  matches.push_back(std::move(copy));
  comparison.compared.insert(*id);
}

// Refines the poses of these images that were not compared yet; returns their number.
std::size_t Matcher::Impl::refine(const ImageIds& images, Comparison& comparison,
                                  std::vector<Match>& matches) {
  std::vector<Match*> chosen;
  for (Match& match : matches) {
    if (!match.is_located() || !images.contains(match.image.id)) continue;
    if (!comparison.is_compared(match)) continue;
    if (comparison.compared.insert(match.image.id).second) chosen.push_back(&match);
  }
  if (chosen.empty()) return 0;
  if (!comparison.scene) comparison.scene.emplace(comparison.photo);
  parallel_for(chosen.size(), threads(), [&](std::size_t i) {
    refiners.with([&](PoseRefiner& refiner) {
      if (!refine(refiner, comparison.photo, *comparison.scene, *chosen[i])) {
        comparison.all_read = false;
      }
    });
  });
  return chosen.size();
}

// Leaves the match unchanged, and returns false, when the indexed image cannot be read any more.
bool Matcher::Impl::refine(PoseRefiner& refiner, const DecodedImage& photo, const Pyramid& scene,
                           Match& match) {
  const auto object = index.picture(match.image);
  if (!*object) return false;
  const Quad before = match.quad;
  set_pose(refiner.refine(**object, scene, match.object_to_query, match.inlier_pairs), match);
  if (fills(match.quad, photo.record.width, photo.record.height)) {
    compare_whole(refiner, photo, match, &**object);
  }
  match.moved_px = furthest_corner_px(before, match.quad);
  return true;
}

// Takes the pose under which each picture fills the other if they agree better so. The indexed one
// is read at the size of the photo, so that both are reduced alike; `known`: the indexed picture,
// if already loaded at some size.
void Matcher::Impl::compare_whole(PoseRefiner& refiner, const DecodedImage& photo, Match& match,
                                  const DecodedImage* known) {
  WantedSize size(static_cast<std::uint32_t>(std::max(photo.pixels.width, photo.pixels.height)));
  size.at_least_px = size.at_most_px;
  std::optional<DecodedImage> loaded;
  const auto side = known ? std::max(known->pixels.width, known->pixels.height) : 0;
  if (static_cast<std::uint32_t>(side) != size.at_most_px) {
    loaded = load_picture(match.image, size);
    if (!loaded) return;
  }
  const RefinedPose pose = refiner.whole(loaded ? *loaded : *known, photo);
  if (pose.correlation && *pose.correlation >= match.evidence.correlation.value_or(-1)) {
    set_pose(pose, match);
  }
}

// The matches to be reported, best first.
std::vector<Match> Matcher::Impl::decided(const IndexQuery& query, std::vector<Match> matches,
                                          const MatchOptions& asked, Followed* followed) const {
  judge(query, matches);
  if (followed) {
    const auto known = find_match(matches, followed->image);
    if (known != matches.end()) followed->judged = *known;
  }
  std::erase_if(matches, [&](const Match& match) { return !is_reported(match, asked); });
  return matches;
}

// Decides about all matches, best first; a feature that several of them explain goes to the surest.
void Matcher::Impl::judge(const IndexQuery& query, std::vector<Match>& matches) const {
  rank(matches);
  if (options.resolve_overlaps) {
    resolve_overlaps(matches, options);
    rank(matches);
  }
  for (Match& match : matches) {
    match.decision = decide(match, query.width, query.height, options);
    if (match.decision == Decision::kPart) match.quad = *match.part;
  }
}

// The steps of answer() for the image that was followed, without regard to other matches.
Explanation Matcher::Impl::explain(const Query& photo, const Followed& followed) {
  Explanation explanation;
  explanation.options = options;
  const ImageId id = followed.image;
  const IndexQuery first = first_look(photo);
  const auto record = index.record(id);
  explanation.query_features = first_look_features(photo);
  explain_words(first, *record, explanation);

  const std::vector<RankedImage> shortlisted = vote(first);
  const auto ranking = shortlist.find(first.words, shortlist.image_count(), threads());
  const auto ranked = std::ranges::find(ranking, id, &RankedImage::image);
  explanation.images = shortlist.image_count();
  if (ranked != ranking.end()) {
    explanation.rank = static_cast<std::size_t>(ranked - ranking.begin()) + 1;
  }
  explanation.shortlist = followed.verified;
  explanation.shortlisted = explanation.rank && *explanation.rank <= followed.verified;

  if (followed.second_look) explanation.second_look = photo.features.size();
  const IndexQuery query = followed.second_look ? second_look(photo) : first;
  Verification verified = lookalike::verify(query, *record, options);
  explain_pairs(verified, explanation);
  if (ranked != ranking.end()) verified.match.evidence.votes = ranked->score;
  std::vector<Match> alone = {std::move(verified.match)};
  compare_votes(shortlisted, alone);
  rank(alone);
  explanation.by_features = alone.front();

  if (options.refine_candidates > 0 && !photo.image.pixels.empty()) {
    const Compared always = [](const Match&) { return true; };
    Comparison comparison{photo.image, always};
    add_identical(query, comparison, alone);
    std::erase_if(alone, [&](const Match& match) { return match.image.id != id; });
    refine(ImageIds{id}, comparison, alone);
  }
  judge(query, alone);
  explanation.match = std::move(alone.front());
  const Evidence& evidence = explanation.match.evidence;
  if (evidence.effective_inliers > 0 && !evidence.identical) {
    const auto terms = calibration.terms(evidence);
    explanation.terms.assign(terms.begin(), terms.end());
  }
  return explanation;
}

// Brings probabilities, scores and the order up to date with the evidence.
void Matcher::Impl::rank(std::vector<Match>& matches) const {
  for (Match& match : matches) {
    match.probability = calibration.probability(match.evidence);
    match.score = ranking_score(match.evidence);
  }
  std::sort(matches.begin(), matches.end(), ranks_before);
}

Matcher::Matcher(OpenClSession& session, const IndexReader& index, const Calibration& calibration,
                 const MatchOptions& options, PictureLoader load_picture)
    : impl_(std::make_unique<Impl>(session, index, calibration, options, std::move(load_picture))) {
  if (impl_->shortlist.image_count() == 0) {
    throw Error(ErrorKind::kInput,
                "the index holds no images with features: run `lookalike index --images DIR`");
  }
}

Matcher::~Matcher() = default;

void Matcher::vote_on_device() {
  // Past the cache, which could hold a part of the lists at most.
  const auto for_each_list = [this](std::uint32_t word, const auto& visit) {
    impl_->reader.for_each_list(word, visit);
  };
  impl_->shortlist.load(impl_->session, for_each_list, impl_->codebook.size(),
                        impl_->reader.counts().postings, core_count());
}

QueryResult Matcher::match(const Query& query, const Compared& compared) const {
  const InProgress in_progress(impl_->in_progress);
  MatchTimes times;
  std::vector<Match> matches = impl_->matches(query, compared, impl_->options, times);
  return result_of(std::move(matches), impl_->options, times);
}

QueryResult Matcher::match(const Query& query, const MatchOptions& asked) const {
  const InProgress in_progress(impl_->in_progress);
  MatchTimes times;
  const Compared always = [](const Match&) { return true; };
  std::vector<Match> matches = impl_->matches(query, always, asked, times);
  return result_of(std::move(matches), asked, times);
}

Explanation Matcher::explain(const Query& query, ImageId id) const {
  const InProgress in_progress(impl_->in_progress);
  const std::optional<StoredImage> image = impl_->reader.image(id);
  if (!image) {
    throw Error(ErrorKind::kInput,
                "explain: there is no image " + std::to_string(id) + " in the index");
  }
  id = image->id;  // that of a copy's original
  const MatchOptions& options = impl_->options;
  std::array<Followed, 2> followed = {Followed{id}, Followed{id}};
  MatchTimes times;
  std::vector<Match> answers = impl_->matches(
      query, [](const Match&) { return true; }, options, times, followed);
  Explanation explanation = impl_->explain(query, followed[0]);
  std::size_t side = 0;
  if (options.mirror) {
    Explanation as_mirrored = impl_->explain(mirrored(query), followed[1]);
    if (as_mirrored.match.is_located() && as_mirrored.match.score > explanation.match.score) {
      unmirror(as_mirrored, mirror_width(query.image));
      explanation = std::move(as_mirrored);
      side = 1;
    }
  }
  explanation.total = answers.size();
  explanation.judged = std::move(followed[side].judged);
  const auto answered = find_match(answers, id);
  if (answered != answers.end()) {
    explanation.place = static_cast<std::size_t>(answered - answers.begin()) + 1;
    explanation.judged = *answered;
  }
  const auto inliers = [](const Match& match) { return match.evidence.inliers; };
  if (explanation.judged && inliers(*explanation.judged) < inliers(explanation.match)) {
    explanation.rival = rival_of(explanation.match, answers, options);
    if (explanation.rival) note_missing_files(explanation.rival->match);
  }
  note_missing_files(explanation.match);
  return explanation;
}

Matcher::Pairs Matcher::pairs(ImageId id, const Wanted& wanted) const {
  const InProgress in_progress(impl_->in_progress);
  if (!impl_->reader.image(id)) {
    throw Error(ErrorKind::kInput,
                "match: there is no image " + std::to_string(id) + " in the index");
  }
  const auto record = impl_->index.record(id);
  std::shared_ptr<const std::optional<DecodedImage>> picture;
  return impl_->pairs(
      index_query(*record),
      [&] {
        picture = impl_->index.picture(record->image);
        return *picture ? &**picture : nullptr;
      },
      wanted);
}

Matcher::Pairs Matcher::mirrored_pairs(const Query& photo, const Wanted& wanted) const {
  const InProgress in_progress(impl_->in_progress);
  const Query mirror = mirrored(photo);
  Pairs pairs = impl_->pairs(
      impl_->first_look(mirror), [&] { return &mirror.image; }, wanted);
  unmirror(pairs.matches, mirror_width(photo.image));
  return pairs;
}

QueryResult Matcher::match_indexed(ImageId id) const {
  return match_indexed(id, impl_->options);
}

QueryResult Matcher::match_indexed(ImageId id, const MatchOptions& asked) const {
  const InProgress in_progress(impl_->in_progress);
  if (!impl_->reader.image(id)) {
    throw Error(ErrorKind::kInput,
                "match: there is no image " + std::to_string(id) + " in the index");
  }
  const auto record = impl_->index.record(id);
  if (record->features.empty()) return {};
  const auto picture = impl_->index.picture(record->image);
  const DecodedImage none;
  MatchTimes times;
  const IndexQuery words = index_query(*record);
  std::vector<Match> matches = impl_->answer(
      words, [&] { return words; }, *picture ? **picture : none, [](const Match&) { return true; },
      asked, times);
  return result_of(std::move(matches), asked, times);
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
