#include "stages/match/query_run.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <span>
#include <unordered_set>
#include <utility>

#include "base/work_limits.h"
#include "stages/match/decide/decision.h"
#include "stages/match/decide/places.h"
#include "stages/match/decide/tell_apart.h"
#include "stages/match/relate/relate.h"

namespace lookalike {
namespace {

// A photo whose best match is less probable than this gets a second look, whatever
// options.same_probability is.
constexpr double kEvenChance = 0.5;
constexpr std::size_t kMostSearchesOfRest = 4;  // of one query
// Least probability of an image found there. Each search judges hundreds of images, some of which
// pass options.same_probability by chance.
constexpr double kSureInRest = 0.8;

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

}  // namespace

QueryTrace QueryRun::answer() {
  trace_.first_look = look(Look::kFirst);
  trace_.shortlist = timed(
      times_.shortlist, [&] { return search_.vote(trace_.first_look, shortlist_length(shared_)); });
  verify(std::min(trace_.shortlist.size(), shared_.depth));
  if (options_.second_look && needs_second_look()) {
    trace_.second_look = look(Look::kSecond);
    verify(trace_.shortlist.size());
  }
  const bool compares = pixels_.is_possible();
  if (compares) {
    pixels_.add_identical(trace_.words(), matches_);
    refine(first_with_pose(matches_, options_.refine_candidates));
  }
  judge_all();
  const IndexQuery& query = trace_.first_look;
  if (compares && options_.second_look &&
      shows_several_things(trace_.judged, query.width, query.height)) {
    search_rests();
  }
  return std::move(trace_);
}

IndexQuery QueryRun::look(Look which) {
  return timed(times_.words, [&] { return input_.words(which); });
}

// Verifies the first `count` images of the shortlist by the words of the last look.
void QueryRun::verify(std::size_t count) {
  trace_.verified = count;
  timed(times_.verify, [&] {
    const std::span<const RankedImage> shortlist = trace_.shortlist;
    matches_ = search_.verify(trace_.words(), shortlist.first(count), shortlist);
    rank(matches_, shared_.calibration);
  });
}

bool QueryRun::needs_second_look() const {
  return matches_.empty() ||
         matches_.front().probability < std::max(options_.same_probability, kEvenChance);
}

// Judges and relates all matches; again while the pixels of some that are reported are to be
// compared, as they change probabilities, and with them what is reported.
void QueryRun::judge_all() {
  const bool compares = pixels_.is_possible();
  const IndexQuery& query = trace_.words();
  do {
    trace_.judged = matches_;
    judge(trace_.judged, shared_.calibration, query.width, query.height, options_);
    if (compares && input_.has_colours()) {
      timed(times_.refine, [&] {
        tell_rivals_apart(trace_.judged, [&](const Match& first, const Match& second) {
          return pixels_.colours().rivals(first, second);
        });
      });
    }
    if (options_.related) {
      timed(times_.relate,
            [&] { relate(shared_, query.excluded_image, input_.report(), trace_.judged); });
    }
  } while (compares && refine(reportable()) > 0);
}

// Refines the poses of the given images that were not compared yet; returns their number.
std::size_t QueryRun::refine(const ImageIds& images) {
  return timed(times_.refine, [&] {
    return pixels_.refine(matches_,
                          [&](const Match& match) { return images.contains(match.image.id); });
  });
}

// Returns the images with a pose that may be reported, whatever options.top is.
QueryRun::ImageIds QueryRun::reportable() const {
  ImageIds images;
  for (const Match& match : trace_.judged) {
    if (match.has_pose() && is_reported(match, input_.report())) images.insert(match.image.id);
  }
  return images;
}

// Searches the rest of a query of several things, and what is left of it, until nothing is found.
void QueryRun::search_rests() {
  const IndexQuery whole = look(Look::kSecond);
  while (trace_.rest.size() < kMostSearchesOfRest) {
    const IndexQuery& last = trace_.rest.empty() ? whole : trace_.rest.back().words;
    trace_.rest.push_back(search_rest(last));
    if (trace_.rest.back().found.empty()) break;
    judge_all();
  }
}

// Searches the part of the query that no match of the same object or more covers, and adds those
// found there to the matches. On a photo of a shelf, a few things have the strongest features and
// most of the votes, so the first look misses the others. Images that were compared with the photo
// before keep their poses, and what is dropped here keeps an earlier one, which is still to be
// compared if it is reported.
RestSearch QueryRun::search_rest(const IndexQuery& query) {
  RestSearch rest{.words = query, .shortlist = {}, .found = {}};
  std::erase_if(rest.words.words, [&](const QueryWord& word) {
    const FeaturePlace& at = query.places[word.feature];
    return std::ranges::any_of(trace_.judged, [&](const Match& match) {
      return match.decision >= Decision::kSameObject && contains(match.pose.quad, {at.x, at.y});
    });
  });
  if (rest.words.words.empty()) return rest;
  rest.shortlist =
      timed(times_.shortlist, [&] { return search_.vote(rest.words, shortlist_length(shared_)); });
  std::vector<Match> added = timed(times_.verify, [&] {
    const std::size_t count = std::min(rest.shortlist.size(), shared_.depth);
    return search_.verify(rest.words, std::span(rest.shortlist).first(count), rest.shortlist);
  });
  std::erase_if(added, [&](const Match& match) {
    return pixels_.has_compared(match.image.id) || rest_pixels_.has_compared(match.image.id);
  });
  timed(times_.refine, [&] { return rest_pixels_.keep_sure(added); });
  std::erase_if(added, [](const Match& match) { return match.probability < kSureInRest; });
  for (const Match& match : added) {
    rest.found.push_back(match.image.id);
    pixels_.skip(match.image.id);
  }
  std::erase_if(matches_, [&](const Match& match) {
    return find_match(added, match.image.id) != added.end();
  });
  std::ranges::move(added, std::back_inserter(matches_));
  return rest;
}

std::vector<Match> reported(std::vector<Match> judged, const ReportOptions& options) {
  std::erase_if(judged, [&](const Match& match) { return !is_reported(match, options); });
  return judged;
}

}  // namespace lookalike
