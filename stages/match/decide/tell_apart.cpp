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

bool is_sure(const Match& match) {
  return match.decision >= Decision::kSameObject;
}

bool correlates_below(double limit, const Match& match) {
  return match.evidence.correlation.value_or(-1) < limit;
}

// False for variants and duplicates: what they show was compared as a whole.
bool may_lose(const Match& match) {
  return match.decision == Decision::kSameObject && correlates_below(kNoRivalCorrelation, match);
}

bool may_lose_by_detail(const Match& match) {
  return may_lose(match) && correlates_below(kAgreeingPixels, match);
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
  return outline(match.pose.object_to_query, match.image.width, match.image.height);
}

// The matches that lie in one place, and what tells the best of them apart.
class Place {
 public:
  Place(Match& best, const CompareMatches& compare) : best_(best), compare_(compare) {}

  bool holds(const Match& match) const {
    return intersection_over_union(whole(best_), whole(match)) >= kOneOutline;
  }

  // Compares the best with one more match, which may take its rank.
  void add(Match& match) {
    const RivalComparison found = compare_with(match);
    if (found.is_one_print() && is_sure(match) &&
        loses(best_, found.second_wins(), found.of_first)) {
      std::swap(best_.score, match.score);
      std::swap(best_, match);
      lose(match, best_);
      of_its_print_ = &match;
      own_ = found.of_second;
      lacking_.clear();
      for (Match* const other : others_) settle(*other, compare_with(*other));
    } else {
      settle(match, found);
    }
    others_.push_back(&match);
  }

  // Lets the best lose if the photo lacks what sets it apart from all others of its print.
  void end() {
    if (!own_.is_missing() || !may_lose_by_detail(best_)) return;
    for (Match* const match : lacking_) lose(*match, best_);
    lose(best_, *of_its_print_);
  }

 private:
  static constexpr std::size_t kMostComparisons = 16;

  // Returns no print in common if neither may lose, or after kMostComparisons.
  RivalComparison compare_with(const Match& match) {
    if (!may_lose(best_) && !may_lose(match)) return {};
    if (++comparisons_ > kMostComparisons) return {};
    return compare_(best_, match);
  }

  // Judges a match beside the best, to which it loses if it has lost to an earlier best.
  void settle(Match& match, const RivalComparison& found) {
    if (!found.is_one_print()) return;
    if (of_its_print_ == nullptr) of_its_print_ = &match;
    own_ += found.of_first;
    if (match.rival || loses(match, found.first_wins(), found.of_second)) {
      lose(match, best_);
    } else if (may_lose_by_detail(match) && found.of_second.is_missing()) {
      lacking_.push_back(&match);
    }
  }

  Match& best_;
  const CompareMatches& compare_;
  std::vector<Match*> others_{};
  std::size_t comparisons_ = 0;
  const Match* of_its_print_ = nullptr;  // the first other image of the best one's print
  OwnDetail own_{};                      // of the best, against all others of its print
  std::vector<Match*> lacking_{};        // those of its print whose own detail the photo lacks
};

// True if a match is a part only because the photo shows no content of its own.
bool lacks_content(const Match& match) {
  return match.decision == Decision::kPart && has_other_content_in_print(match.evidence);
}

// Lets a match that is unclear be the same object if the photo agrees clearly more with it than
// with each other image in its place.
//   matches  with distinctive cells, in one place, none of which shows its content
void confirm_unclear(const std::vector<Match*>& matches) {
  const auto agreement = [](const Match* match) { return *match->evidence.own_agreement; };
  Match* const best = *std::ranges::max_element(matches, {}, agreement);
  const bool is_clear = std::ranges::all_of(matches, [&](const Match* match) {
    return match == best || agreement(best) - agreement(match) >= kResemblesMore;
  });
  if (is_clear && is_own_content_unclear(best->evidence) && !shows_a_part(*best)) {
    best->decision = Decision::kSameObject;
  }
}

// Judges the matches that have distinctive cells by these, place by place.
void tell_contents_apart(std::vector<Match>& judged) {
  std::vector<std::vector<Match*>> places;
  for (Match& match : judged) {
    if (!match.evidence.own_agreement || (!is_sure(match) && !lacks_content(match))) continue;
    const auto place = std::ranges::find_if(places, [&](const std::vector<Match*>& known) {
      return intersection_over_union(whole(*known.front()), whole(match)) >= kOneOutline;
    });
    if (place != places.end()) {
      place->push_back(&match);
    } else {
      places.push_back({&match});
    }
  }
  for (const std::vector<Match*>& place : places) {
    if (std::ranges::all_of(place, [](const Match* match) { return lacks_content(*match); })) {
      confirm_unclear(place);
    }
    Match& first = *place.front();
    if (!lacks_content(first)) continue;
    const auto shown =
        std::ranges::find_if(place, [](const Match* match) { return is_sure(*match); });
    if (shown == place.end()) continue;
    std::swap(first.score, (*shown)->score);
    std::swap(first, **shown);
  }
}

}  // namespace

void tell_rivals_apart(std::vector<Match>& judged, const CompareMatches& compare) {
  tell_contents_apart(judged);
  std::vector<Place> places;
  for (Match& match : judged) {
    const bool is_rival = is_sure(match) || match.decision == Decision::kPart;
    if (!is_rival || !match.evidence.correlation) continue;
    const auto place =
        std::ranges::find_if(places, [&](const Place& known) { return known.holds(match); });
    if (place != places.end()) {
      place->add(match);
    } else if (is_sure(match)) {
      places.emplace_back(match, compare);
    }
  }
  for (Place& place : places) place.end();
}

}  // namespace lookalike
