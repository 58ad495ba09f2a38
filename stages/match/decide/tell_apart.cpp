#include "stages/match/decide/tell_apart.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/geometry.h"
#include "stages/match/decide/decision.h"

namespace lookalike {
namespace {

// The correlation with the photo from which a match never loses; from kAgreeingPixels on, it does
// not lose by detail.
constexpr double kNoRivalCorrelation = 0.7;
// Least intersection over union of the outlines of two images of one print.
constexpr double kOneOutline = 0.5;
constexpr std::size_t kMostRivals = 8;  // compared in one place, at most

// Matches that lie in one place.
struct Place {
  Match* best;  // a sure one
  std::size_t compared = 0;
  OwnDetail of_best{};  // against all others of its print
  std::vector<const Match*> of_its_print{};
  std::vector<Match*> lacking{};  // those of its print whose own detail the photo lacks
};

bool is_sure(const Match& match) {
  return match.decision == Decision::kSameObject;
}

bool correlates_below(double limit, const Match& match) {
  return match.evidence.correlation.value_or(-1) < limit;
}

bool may_lose(const Match& match) {
  return is_sure(match) && correlates_below(kNoRivalCorrelation, match);
}

bool may_lose_by_detail(const Match& match) {
  return is_sure(match) && correlates_below(kAgreeingPixels, match);
}

// True if the other wins by its colours, or is shown in place of the match's own detail.
bool loses(const Match& match, bool other_wins, const OwnDetail& own) {
  return (other_wins && may_lose(match)) || (own.is_replaced() && may_lose_by_detail(match));
}

void lose(Match& match, const Match& to) {
  match.decision = Decision::kPart;
  match.rival = to.image;
}

// Returns where the whole image lies in the photo, though only a part of it agrees.
Quad whole(const Match& match) {
  return outline(match.object_to_query, match.image.width, match.image.height);
}

bool lies_in(const Place& place, const Match& match) {
  return intersection_over_union(whole(*place.best), whole(match)) >= kOneOutline;
}

void compare_in(Place& place, Match& match, const CompareMatches& compare) {
  Match& best = *place.best;
  if (!may_lose(best) && !may_lose(match)) return;
  if (++place.compared > kMostRivals) return;
  const RivalComparison found = compare(best, match);
  if (!found.is_one_print()) return;
  place.of_its_print.push_back(&match);
  if (is_sure(match) && loses(best, found.second_wins(), found.of_first)) {
    std::swap(best.score, match.score);
    std::swap(best, match);
    place.of_best = found.of_second;
    lose(match, best);
    return;
  }
  place.of_best += found.of_first;
  if (loses(match, found.first_wins(), found.of_second)) {
    lose(match, best);
  } else if (may_lose_by_detail(match) && found.of_second.is_missing()) {
    place.lacking.push_back(&match);
  }
}

}  // namespace

void tell_rivals_apart(std::vector<Match>& judged, const CompareMatches& compare) {
  std::vector<Place> places;
  for (Match& match : judged) {
    const bool is_rival = is_sure(match) || match.decision == Decision::kPart;
    if (!is_rival || !match.evidence.correlation) continue;
    const auto place =
        std::ranges::find_if(places, [&](const Place& known) { return lies_in(known, match); });
    if (place != places.end()) {
      compare_in(*place, match, compare);
    } else if (is_sure(match)) {
      places.push_back({&match});
    }
  }
  for (const Place& place : places) {
    if (!place.of_best.is_missing() || !may_lose_by_detail(*place.best)) continue;
    for (Match* match : place.lacking) lose(*match, *place.best);
    lose(*place.best, *place.of_its_print.front());
  }
}

}  // namespace lookalike
