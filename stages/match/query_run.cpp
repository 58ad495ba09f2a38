#include "stages/match/query_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "base/parallel.h"
#include "base/work_limits.h"
#include "stages/match/decide/decision.h"
#include "stages/match/decide/places.h"
#include "stages/match/decide/tell_apart.h"
#include "stages/match/refine/colour.h"
#include "stages/match/refine/compare_pictures.h"
#include "stages/match/refine/other_content.h"
#include "stages/match/refine/prints.h"
#include "stages/match/relate/relate.h"
#include "stages/match/verify/verification.h"
#include "stages/match/vote/vote_spread.h"

namespace lookalike {
namespace {

// A photo whose best match is less probable than this gets a second look, whatever
// options.same_probability is.
constexpr double kEvenChance = 0.5;
constexpr std::size_t kMostSearchesOfRest = 4;  // of one query
// Least probability of an image found there. Each search judges hundreds of images, some of which
// pass options.same_probability by chance.
constexpr double kSureInRest = 0.8;
// Images, the best by votes, that are compared one by one, as any of them may be enough.
constexpr std::size_t kComparedAlone = 8;
// Images, the best by votes, that are compared after them. More show one thing only in large groups
// of similar images, which fewer pairs hold together.
constexpr std::size_t kMostCompared = 40;
// Share of distinctive cells (prints.h) from which two whole pictures of one print are other
// contents. With fewer, one is an edited version of the other.
constexpr double kLeastContent = 0.1;

// Runs a step and adds its duration in milliseconds. Throws Overdue instead if the time is over.
template <typename Step>
auto timed(double& total_ms, Step step) {
  struct Timer {
    using Clock = std::chrono::steady_clock;
    ~Timer() { total += std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }
    double& total;
    const Clock::time_point start = Clock::now();
  } timer{total_ms};
  check_time();
  return step();
}

// Returns the images of the first `count` matches that have a pose.
std::unordered_set<ImageId> first_with_pose(std::span<const Match> matches, std::size_t count) {
  std::unordered_set<ImageId> images;
  for (const Match& match : matches) {
    if (images.size() == count) break;
    if (match.has_pose()) images.insert(match.image.id);
  }
  return images;
}

// Gives the match the pose that the pixels gave.
void set_pose(const RefinedPose& pose, Match& match) {
  match.evidence.correlation = pose.correlation;
  match.evidence.detail = pose.detail;
  match.evidence.exact = pose.exact;
  match.evidence.identical = pose.identical;
  match.object_to_query = pose.object_to_scene;
  match.quad = outline(match.object_to_query, match.image.width, match.image.height);
  if (pose.part) match.part = pose.part;
}

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
  const std::vector<std::uint32_t>& in_image = record.features.words;
  std::vector<std::uint32_t> common;
  std::ranges::set_intersection(in_query, in_image, std::back_inserter(common));
  explanation.query_words = distinct_words(in_query);
  explanation.image_words = distinct_words(in_image);
  explanation.common_words = distinct_words(common);
}

bool have_equal_pixels(const ColourImage& one, const ColourImage& other) {
  const auto are_equal = [](const GrayImage& a, const GrayImage& b) {
    return a.width == b.width && a.height == b.height && a.pixels == b.pixels;
  };
  return one.full_width == other.full_width && one.full_height == other.full_height &&
         are_equal(one.brightness, other.brightness) && are_equal(one.alpha, other.alpha) &&
         one.colours == other.colours;
}

void explain_pairs(const Verification& verified, Explanation& explanation) {
  for (const auto& [object, scene] : verified.pairs) {
    explanation.pairs.push_back({{{object.x, object.y}, {scene.x, scene.y}}, false});
  }
  for (const std::uint32_t i : verified.inliers) explanation.pairs[i].inlier = true;
  explanation.agreeing_pairs = verified.agreeing.count;
  explanation.attempt = verified.attempt;
}

}  // namespace

QueryInput input_of(SharedSearch& shared, const Query& photo, const ReportOptions& report,
                    const Matcher::Compared& is_compared) {
  const std::size_t at_first = shared.options.words_per_feature;
  const std::size_t at_second = most_words_per_feature(shared.options);
  const auto found = std::make_shared<PhotoWords>(photo, shared.codebook, at_second);
  const auto words = [&shared, &photo, at_first, at_second, found](Look look) {
    return look == Look::kFirst ? shared.words_of(*found, at_first, photo.first_look_features())
                                : shared.words_of(*found, at_second, photo.features.size());
  };
  QueryInput input = {words, [&] { return &photo.image; }, nullptr, report, is_compared};
  if (photo.colours) {
    input.colours = [&photo](ColourSize size) {
      return std::make_shared<const ColourImage>(photo.colours(most_pixels(size)));
    };
  }
  return input;
}

QueryInput input_of(SharedSearch& shared, const std::shared_ptr<const Record>& record,
                    const ReportOptions& report) {
  std::shared_ptr<const std::optional<DecodedImage>> picture;
  return {
      [&shared, record](Look) { return index_query(*record, shared.cache.signatures(*record)); },
      [&shared, record, picture]() mutable {
        picture = shared.cache.picture(record->image);
        return *picture ? &**picture : nullptr;
      },
      [&shared, record](ColourSize size) { return shared.cache.colours(record->image, size); },
      report};
}

const RestSearch* QueryTrace::rest_that_found(ImageId image) const {
  const auto found = std::ranges::find_if(rest, [&](const RestSearch& search) {
    return std::ranges::find(search.found, image) != search.found.end();
  });
  return found == rest.end() ? nullptr : &*found;
}

QueryTrace QueryRun::answer(MatchTimes& times) {
  QueryTrace trace;
  const auto look = [&](Look which) {
    return timed(times.words, [&] { return input_.words(which); });
  };
  trace.first_look = look(Look::kFirst);
  trace.shortlist = timed(times.shortlist, [&] { return vote(trace.first_look); });
  const std::span<const RankedImage> shortlist = trace.shortlist;
  trace.verified = std::min(shortlist.size(), shared_.depth);
  const auto verify_some = [&] {
    std::vector<Match> verified = verify(trace.words(), shortlist.first(trace.verified), shortlist);
    rank(verified);
    return verified;
  };
  std::vector<Match> matches = timed(times.verify, verify_some);
  if (options_.second_look && needs_second_look(matches)) {
    trace.second_look = look(Look::kSecond);
    trace.verified = shortlist.size();
    matches = timed(times.verify, verify_some);
  }

  const auto refine_some = [&](const ImageIds& images) {
    return timed(times.refine, [&] { return refine(images, matches); });
  };
  const bool compares = compares_pixels();
  if (compares) {
    add_identical(trace.words(), matches);
    refine_some(first_with_pose(matches, options_.refine_candidates));
  }
  const auto judge = [&] {
    do {
      trace.judged = judged(trace.words(), matches);
      if (compares && input_.colours) {
        timed(times.refine, [&] {
          tell_rivals_apart(trace.judged, [&](const Match& first, const Match& second) {
            return compare(first, second);
          });
        });
      }
      if (options_.related) {
        timed(times.relate,
              [&] { relate(shared_, trace.words().excluded_image, input_.report, trace.judged); });
      }
      // Pixels change probabilities, and with them what is reported.
    } while (compares && refine_some(reportable(trace.judged)) > 0);
  };
  judge();
  const IndexQuery& query = trace.first_look;
  if (!compares || !options_.second_look ||
      !shows_several_things(trace.judged, query.width, query.height)) {
    return trace;
  }
  const IndexQuery whole = look(Look::kSecond);
  while (trace.rest.size() < kMostSearchesOfRest) {
    const IndexQuery& last = trace.rest.empty() ? whole : trace.rest.back().words;
    trace.rest.push_back(search_rest(last, trace.judged, matches, times));
    if (trace.rest.back().found.empty()) break;
    judge();
  }
  return trace;
}

// Searches the part of the query that no match of the same object or more covers, and adds those
// found there to the matches. On a photo of a shelf, a few things have the strongest features and
// most of the votes, so the first look misses the others. Images that were compared with the photo
// before keep their poses.
RestSearch QueryRun::search_rest(const IndexQuery& query, const std::vector<Match>& judged,
                                 std::vector<Match>& matches, MatchTimes& times) {
  RestSearch rest{.words = query, .shortlist = {}, .found = {}};
  std::erase_if(rest.words.words, [&](const QueryWord& word) {
    const FeaturePlace& at = query.places[word.feature];
    return std::ranges::any_of(judged, [&](const Match& match) {
      return match.decision >= Decision::kSameObject && contains(match.quad, {at.x, at.y});
    });
  });
  if (rest.words.words.empty()) return rest;
  rest.shortlist = timed(times.shortlist, [&] { return vote(rest.words); });
  std::vector<Match> added = timed(times.verify, [&] {
    const std::size_t count = std::min(rest.shortlist.size(), shared_.depth);
    return verify(rest.words, std::span(rest.shortlist).first(count), rest.shortlist);
  });
  std::erase_if(added, [&](const Match& match) {
    return compared_.contains(match.image.id) || not_in_rest_.contains(match.image.id);
  });
  ImageIds compared = compared_;
  timed(times.refine, [&] { return keep_sure(added); });
  std::erase_if(added, [](const Match& match) { return match.probability < kSureInRest; });
  for (const Match& match : added) {
    rest.found.push_back(match.image.id);
    compared.insert(match.image.id);
  }
  // What is dropped keeps an earlier pose, which is still to be compared if it is reported.
  std::swap(compared_, compared);
  not_in_rest_.merge(compared);
  std::erase_if(matches, [&](const Match& match) {
    return find_match(added, match.image.id) != added.end();
  });
  std::ranges::move(added, std::back_inserter(matches));
  return rest;
}

Matcher::Pairs QueryRun::pairs(const Matcher::Candidates& candidates) {
  const IndexQuery query = input_.words(Look::kFirst);
  const std::vector<RankedImage> shortlist = vote(query, &candidates);
  std::vector<RankedImage> early;
  std::vector<RankedImage> others;
  for (const RankedImage& image : shortlist) {
    const bool is_early = early.size() < kComparedAlone && candidates.is_early(image.image);
    (is_early ? early : others).push_back(image);
  }
  finds_crops_ = true;
  Matcher::Pairs pairs;
  const auto is_needless = [&](const Match& match) {
    return candidates.is_needless && candidates.is_needless(match, pairs.matches);
  };
  for (Match& match : verify(query, early, shortlist)) {
    if (!could_be_sure(match) || is_needless(match)) continue;
    const std::size_t known = pairs.matches.size();
    add_sure(query, {std::move(match)}, pairs);
    if (pairs.matches.size() == known || !candidates.is_enough) continue;
    if (!candidates.is_enough(pairs.matches.back())) continue;
    pairs.matches = {std::move(pairs.matches.back())};
    pairs.enough = pairs.matches.front().image.id;
    return pairs;
  }
  std::vector<Match> matches = verify(query, others, shortlist);
  std::size_t left = kMostCompared;
  std::erase_if(matches, [&](const Match& match) {
    const bool is_compared = left > 0 && could_be_sure(match) &&
                             candidates.is_wanted(match.image.id) && !is_needless(match);
    left -= is_compared ? 1 : 0;
    return !is_compared;
  });
  const std::size_t known = pairs.matches.size();
  add_sure(query, std::move(matches), pairs);
  const auto enough = std::find_if(
      pairs.matches.begin() + static_cast<std::ptrdiff_t>(known), pairs.matches.end(),
      [&](const Match& match) { return candidates.is_enough && candidates.is_enough(match); });
  if (enough != pairs.matches.end()) pairs.enough = enough->image.id;
  std::ranges::sort(pairs.matches, {}, [](const Match& match) { return match.image.content; });
  return pairs;
}

Matcher::Pairs QueryRun::pair(ImageId other) {
  finds_crops_ = true;
  Matcher::Pairs pairs;
  if (std::optional<Match> equal = equal_match(other)) {
    pairs.matches.push_back(*std::move(equal));
    return pairs;
  }
  const IndexQuery query = input_.words(Look::kFirst);
  const RankedImage entry{other, 0};
  add_sure(query, verify(query, {&entry, 1}, {}), pairs);
  return pairs;
}

// Returns the match of an image with the photo's pixels, judged by the differences in colour and
// full size; nothing if its pixels are others. Reads no words: their lists are long if many images
// show the same.
std::optional<Match> QueryRun::equal_match(ImageId other) {
  if (!compares_pixels()) return std::nullopt;
  const StoredImage image = shared_.cache.record(other)->image;
  const auto object = shared_.cache.picture(image);
  if (!*object) return std::nullopt;
  std::optional<Match> match = identical_match(image, &**object);
  if (!match) return std::nullopt;
  find_difference(*match);
  match->probability = shared_.calibration.probability(match->evidence);
  match->score = ranking_score(match->evidence);
  match->decision = decide(*match, image.width, image.height, options_);
  return match;
}

// Adds the matches that are sure by pixels, with their decisions, ranked.
void QueryRun::add_sure(const IndexQuery& query, std::vector<Match> matches,
                        Matcher::Pairs& pairs) {
  pairs.all_read = keep_sure(matches) && pairs.all_read;
  for (Match& match : matches) {
    match.decision = decide(match, query.width, query.height, options_);
    pairs.matches.push_back(std::move(match));
  }
}

// Compares the matches that may be sure by pixels, and keeps those that are, ranked. Returns false
// if a picture could not be read.
bool QueryRun::keep_sure(std::vector<Match>& matches) {
  std::erase_if(matches, [&](const Match& match) { return !could_be_sure(match); });
  if (matches.empty()) return true;
  if (picture()) refine(first_with_pose(matches, matches.size()), matches);
  rank(matches);
  std::erase_if(matches,
                [&](const Match& match) { return match.probability < options_.same_probability; });
  return picture() && all_read_;
}

// Returns the best images by votes, as many as a second look verifies, or the share that is wanted
// of the candidates. Keeps the pairs seen.
std::vector<RankedImage> QueryRun::vote(const IndexQuery& query,
                                        const Matcher::Candidates* candidates) {
  std::size_t count = shortlist_length(shared_);
  if (candidates != nullptr) {
    const double share = std::ceil(static_cast<double>(count) * candidates->share);
    count = std::max(static_cast<std::size_t>(share), Matcher::kLeastCandidates);
  }
  auto images = shared_.shortlist.find(query.words, count, shared_.readers(), &seen_,
                                       candidates != nullptr ? &candidates->images : nullptr);
  std::erase_if(images,
                [&](const RankedImage& entry) { return entry.image == query.excluded_image; });
  return images;
}

// Returns the pairs of words between the query and each image.
std::vector<std::vector<WordPair>> QueryRun::pairs_of(const IndexQuery& query,
                                                      std::span<const RankedImage> images) const {
  std::vector<ImageId> ids;
  for (const RankedImage& entry : images) ids.push_back(entry.image);
  return word_pairs(
      query.words, ids,
      [&](std::uint32_t word, const auto& visit) { shared_.cache.for_each_list(word, visit); },
      options_.hamming_threshold, shared_.readers(), seen_);
}

// Verifies some images of the shortlist, and returns their matches in that order, not yet ranked.
std::vector<Match> QueryRun::verify(const IndexQuery& query, std::span<const RankedImage> images,
                                    std::span<const RankedImage> shortlist) const {
  if (images.empty()) return {};
  std::vector<Match> matches = verify_all(
      query, images, pairs_of(query, images),
      [&](ImageId image) { return shared_.cache.record(image); }, options_, shared_.readers());
  const VoteSpread spread = spread_of(shortlist);
  for (Match& match : matches) compare_votes(spread, match.evidence);
  return matches;
}

bool QueryRun::needs_second_look(const std::vector<Match>& ranked) const {
  return ranked.empty() ||
         ranked.front().probability < std::max(options_.same_probability, kEvenChance);
}

// Brings probabilities, scores and the order up to date with the evidence.
void QueryRun::rank(std::vector<Match>& matches) const {
  for (Match& match : matches) {
    match.probability = shared_.calibration.probability(match.evidence);
    match.score = ranking_score(match.evidence);
  }
  std::sort(matches.begin(), matches.end(), ranks_before);
}

// Returns the query's picture, or null if it cannot be read.
const DecodedImage* QueryRun::picture() {
  if (!picture_) picture_ = input_.picture();
  return *picture_;
}

// True if matches are to be compared with the query's picture.
bool QueryRun::compares_pixels() {
  return options_.refine_candidates > 0 && picture() && !picture()->pixels.empty();
}

// Adds the indexed image of the photo's very file, if its pixels agree: it may have too few
// features to be found.
void QueryRun::add_identical(const IndexQuery& query, std::vector<Match>& matches) {
  const std::optional<ImageId> id = shared_.reader.find(picture()->record.content);
  if (!id || *id == query.excluded_image) return;
  const auto known = find_match(matches, *id);
  if (known != matches.end() && known->has_pose()) return;
  std::optional<Match> copy = identical_match(shared_.reader.existing_image(*id), nullptr);
  if (!copy) return;
  copy->evidence.difference = PictureDifference{};
  if (known != matches.end()) matches.erase(known);
  matches.push_back(*std::move(copy));
  compared_.insert(*id);
}

// Returns the match of an indexed image if it has the photo's size and, reduced alike, the photo's
// pixels; otherwise nothing. Compares no features. `known` as in compare_whole().
std::optional<Match> QueryRun::identical_match(StoredImage image, const DecodedImage* known) {
  const ImageRecord& photo = picture()->record;
  if (image.width != photo.width || image.height != photo.height) return std::nullopt;
  Match match;
  match.image = std::move(image);
  compare_whole(Pool<Queued<PoseRefiner>>::Lease(shared_.refiners)->object, match, known);
  if (!match.evidence.identical) return std::nullopt;
  match.evidence.inliers = match.evidence.effective_inliers = match.evidence.pairs =
      static_cast<std::uint32_t>(match.image.feature_count);
  return match;
}

// Refines the poses of the given images that were not compared yet; returns their number.
std::size_t QueryRun::refine(const ImageIds& images, std::vector<Match>& matches) {
  std::vector<Match*> chosen;
  for (Match& match : matches) {
    if (!match.has_pose() || !images.contains(match.image.id)) continue;
    if (input_.is_compared && !input_.is_compared(match)) continue;
    if (compared_.insert(match.image.id).second) chosen.push_back(&match);
  }
  if (chosen.empty()) return 0;
  if (!scene_) scene_.emplace(*picture());
  parallel_for(chosen.size(), shared_.threads(), [&](std::size_t i) {
    const Pool<Queued<PoseRefiner>>::Lease refiner(shared_.refiners);
    if (!refine(refiner->object, *chosen[i])) all_read_ = false;
  });
  return chosen.size();
}

// Leaves the match unchanged, and returns false, if the indexed image cannot be read any more.
bool QueryRun::refine(PoseRefiner& refiner, Match& match) {
  const auto object = shared_.cache.picture(match.image);
  if (!*object) return false;
  const Quad before = match.quad;
  const ImageRecord& photo = picture()->record;
  set_pose(refiner.refine(**object, *scene_, match.object_to_query, match.inlier_pairs), match);
  if (fills(match.quad, photo.width, photo.height)) compare_whole(refiner, match, &**object);
  match.moved_px = furthest_corner_px(before, match.quad);
  if (finds_pose_only_) return true;
  if (finds_crops_ || fills(match.quad, photo.width, photo.height)) find_difference(match);
  if (finds_crops_) return true;
  compare_own_cells(match);
  if (may_be_light((*object)->pixels.view())) find_content(match);
  const Evidence& evidence = match.evidence;
  if (evidence.correlation.value_or(-1) < kAgreeingPixels &&
      shared_.calibration.probability(evidence) >= options_.same_probability) {
    compare_colours(match);
  }
  return true;
}

// Looks for differences if the pixels agree.
void QueryRun::find_difference(Match& match) {
  if (!input_.colours || match.evidence.correlation.value_or(-1) < options_.duplicate_correlation) {
    return;
  }
  if (picture()->record.content == match.image.content) {
    match.evidence.difference = PictureDifference{};
    return;
  }
  check_time();
  const auto image = shared_.cache.colours(match.image, ColourSize::kFull);
  const ColourImage& photo = colours(ColourSize::kFull);
  if (image->empty() || photo.empty()) return;
  if (match.evidence.identical && have_equal_pixels(*image, photo)) {
    match.evidence.difference = PictureDifference{};
    return;
  }
  match.evidence.difference = compare_pictures(*image, photo, match.object_to_query);
}

// Looks for other content if the match is sure and the image is on light ground, unless the
// distinctive cells show it already.
void QueryRun::find_content(Match& match) {
  const Evidence& evidence = match.evidence;
  if (!input_.colours || evidence.difference || evidence.identical) return;
  if (has_other_content_in_print(evidence) && !is_own_content_unclear(evidence)) return;
  if (shared_.calibration.probability(evidence) < options_.same_probability) return;
  check_time();
  if (!is_light(*shared_.cache.colours(match.image, ColourSize::kReduced))) return;
  const auto image = shared_.cache.colours(match.image, ColourSize::kFull);
  const ColourImage& photo = colours(ColourSize::kFull);
  if (image->empty() || photo.empty()) return;
  match.evidence.other_content = find_other_content(*image, photo, match.object_to_query);
  if (!match.evidence.other_content.empty()) match.part.reset();  // the print agrees as a whole
}

// Returns the edges of an image to live images of its print; without any, those of the image that
// stands in for it.
std::vector<PrintEdge> QueryRun::prints_of(ImageId image) const {
  std::vector<PrintEdge> edges = shared_.reader.prints(image);
  if (edges.empty()) {
    const std::vector<Neighbour> neighbours = shared_.reader.neighbours(image);
    if (neighbours.empty() || !neighbours.front().stands_in()) return {};
    edges = shared_.reader.prints(neighbours.front().image);
  }
  std::erase_if(edges, [&](const PrintEdge& edge) { return !shared_.shortlist.has(edge.image); });
  return edges;
}

// Compares the distinctive cells of the image (prints.h) if the match is sure.
void QueryRun::compare_own_cells(Match& match) {
  Evidence& evidence = match.evidence;
  if (!input_.colours || evidence.identical ||
      shared_.calibration.probability(evidence) < options_.same_probability) {
    return;
  }
  const std::vector<PrintEdge> edges = prints_of(match.image.id);
  const cv::Mat distinctive = distinctive_cells(edges);
  if (distinctive.empty()) return;
  // Two whole pictures that differ in little are versions of one.
  if (evidence.difference &&
      cv::countNonZero(distinctive) < kLeastContent * static_cast<double>(distinctive.total())) {
    return;
  }
  check_time();
  const auto image = shared_.cache.colours(match.image, ColourSize::kReduced);
  const ColourImage& photo = colours(ColourSize::kReduced);
  if (image->empty() || photo.empty()) return;
  const PrintAgreement found =
      print_agreement(edges, distinctive, *image, photo, match.object_to_query);
  evidence.own_agreement = found.own;
  evidence.shared_agreement = found.shared;
  evidence.is_page = found.is_light && is_page(image->brightness.view());
}

// Compares the colours at the pose.
void QueryRun::compare_colours(Match& match) {
  if (!input_.colours || !match.has_pose()) return;
  check_time();
  const ColourImage& photo = colours(ColourSize::kReduced);
  if (is_grey(photo)) return;
  const auto image = shared_.cache.colours(match.image, ColourSize::kReduced);
  if (is_grey(*image)) return;
  match.evidence.colour = colour_agreement(*image, photo, match.object_to_query);
}

// Returns the query's picture in colour, empty if it cannot be read.
const ColourImage& QueryRun::colours(ColourSize size) {
  const std::lock_guard lock(reading_colours_);
  auto& colours = colours_[static_cast<std::size_t>(size)];
  if (!colours) colours = input_.colours(size);
  return *colours;
}

RivalComparison QueryRun::compare(const Match& first, const Match& second) {
  const auto [known, is_new] = rivals_.try_emplace({first.image.id, second.image.id});
  if (!is_new) return known->second;
  check_time();
  const auto one = shared_.cache.colours(first.image, ColourSize::kReduced);
  const auto two = shared_.cache.colours(second.image, ColourSize::kReduced);
  const ColourImage& photo = colours(ColourSize::kReduced);
  if (!one->empty() && !two->empty() && !is_grey(photo)) {
    known->second =
        compare_rivals(photo, {*one, first.object_to_query}, {*two, second.object_to_query});
  }
  return known->second;
}

// Takes the pose under which each picture fills the other if they agree better so. The indexed one
// is read at the size of the photo, so that both are reduced alike; `known` is the indexed picture
// at some size, or null.
void QueryRun::compare_whole(PoseRefiner& refiner, Match& match, const DecodedImage* known) {
  const DecodedImage& photo = *picture();
  WantedSize size(static_cast<std::uint32_t>(std::max(photo.pixels.width, photo.pixels.height)));
  size.at_least_px = size.at_most_px;
  std::optional<DecodedImage> loaded;
  if (known == nullptr ||
      std::max(known->pixels.width, known->pixels.height) != static_cast<int>(size.at_most_px)) {
    loaded = shared_.loaders.load_picture(match.image, size);
    if (!loaded) return;
    known = &*loaded;
  }
  const RefinedPose pose = refiner.whole(*known, photo);
  if (pose.correlation && *pose.correlation >= match.evidence.correlation.value_or(-1)) {
    set_pose(pose, match);
  }
}

// Decides about all matches; best first. A feature that several of them claim goes to the surest.
std::vector<Match> QueryRun::judged(const IndexQuery& query, std::vector<Match> matches) const {
  rank(matches);
  if (options_.resolve_overlaps) {
    resolve_overlaps(matches, options_);
    rank(matches);
  }
  for (Match& match : matches) {
    match.decision = decide(match, query.width, query.height, options_);
    if (match.decision == Decision::kPart && match.part) match.quad = *match.part;
  }
  return matches;
}

// Returns the images with a pose that may be reported, whatever options.top is.
QueryRun::ImageIds QueryRun::reportable(std::span<const Match> judged) const {
  ImageIds images;
  for (const Match& match : judged) {
    if (match.has_pose() && is_reported(match, input_.report)) images.insert(match.image.id);
  }
  return images;
}

// True if the match would be sure if all pixels agreed.
bool QueryRun::could_be_sure(const Match& match) const {
  if (!match.has_pose()) return false;
  Evidence best = match.evidence;
  best.correlation = best.detail = 1;
  return shared_.calibration.probability(best) >= options_.same_probability;
}

Explanation QueryRun::explain(const QueryTrace& trace, ImageId image) {
  Explanation explanation;
  explanation.options = options_;
  const auto record = shared_.cache.record(image);
  explain_words(trace.first_look, *record, explanation);

  const std::size_t images = shared_.shortlist.image_count();
  const auto ranking = shared_.shortlist.find(trace.first_look.words, images, shared_.readers());
  const auto ranked = std::ranges::find(ranking, image, &RankedImage::image);
  explanation.images = images;
  if (ranked != ranking.end()) {
    explanation.rank = static_cast<std::size_t>(ranked - ranking.begin()) + 1;
  }
  explanation.shortlist = trace.verified;
  explanation.shortlisted = explanation.rank && *explanation.rank <= trace.verified;

  if (trace.second_look) explanation.second_look = trace.second_look->places.size();
  const RestSearch* const rest = trace.rest_that_found(image);
  explanation.in_rest = rest != nullptr;
  const IndexQuery& words = rest ? rest->words : trace.words();
  const std::vector<RankedImage>& votes = rest ? rest->shortlist : ranking;
  const auto voted = std::ranges::find(votes, image, &RankedImage::image);
  const RankedImage entry = voted != votes.end() ? *voted : RankedImage{image, 0};
  Verification verified =
      lookalike::verify(words, *record, pairs_of(words, {&entry, 1}).front(), options_);
  explain_pairs(verified, explanation);
  verified.match.evidence.votes = entry.score;
  std::vector<Match> alone = {std::move(verified.match)};
  compare_votes(spread_of(rest ? rest->shortlist : trace.shortlist), alone.front().evidence);
  rank(alone);
  explanation.by_features = alone.front();

  if (compares_pixels()) {
    compared_.clear();
    add_identical(trace.words(), alone);
    std::erase_if(alone, [&](const Match& match) { return match.image.id != image; });
    refine({image}, alone);
    if (!alone.empty() && !alone.front().evidence.colour) compare_colours(alone.front());
  }
  explanation.match = judged(trace.words(), std::move(alone)).front();
  const Evidence& evidence = explanation.match.evidence;
  if (evidence.effective_inliers > 0 && !evidence.identical) {
    const auto terms = shared_.calibration.terms(evidence);
    explanation.terms.assign(terms.begin(), terms.end());
  }
  const auto known = find_match(trace.judged, image);
  if (known != trace.judged.end()) explanation.judged = *known;
  return explanation;
}

std::vector<Match> reported(std::vector<Match> judged, const ReportOptions& options) {
  std::erase_if(judged, [&](const Match& match) { return !is_reported(match, options); });
  return judged;
}

}  // namespace lookalike
