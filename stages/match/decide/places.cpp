#include "stages/match/decide/places.h"

#include <algorithm>
#include <cstddef>

#include "base/geometry.h"
#include "stages/match/decide/decision.h"

namespace lookalike {
namespace {

bool lie_in_one_place(const Match& a, const Match& b, const Quad& photo) {
  return intersection_over_union(clockwise(a.pose.quad), clockwise(b.pose.quad), photo) >=
         kSamePlace;
}

}  // namespace

std::size_t number_places(std::vector<Match>& ranked, int width, int height) {
  const Quad photo = outline({}, width, height);
  std::vector<const Match*> best;  // of each place
  const auto is_in_place_of = [&](const Match& match, const Match* other) {
    return match.has_pose() && other->has_pose() && lie_in_one_place(match, *other, photo);
  };
  for (Match& match : ranked) match.place = 0;
  for (Match& match : ranked) {
    if (!match.via.empty()) {
      const auto source = find_match(ranked, match.via.front().id);
      if (source != ranked.end()) match.place = source->place;
    } else {
      const auto found = std::ranges::find_if(
          best, [&](const Match* other) { return is_in_place_of(match, other); });
      if (found != best.end()) match.place = (*found)->place;
    }
    if (match.place > 0) continue;
    best.push_back(&match);
    match.place = best.size();
  }
  return best.size();
}

bool shows_several_things(const std::vector<Match>& judged, int width, int height) {
  const Quad photo = outline({}, width, height);
  const Match* first = nullptr;
  for (const Match& match : judged) {
    if (match.decision < Decision::kSameObject) continue;
    if (first == nullptr) first = &match;
    if (!lie_in_one_place(*first, match, photo)) return true;
  }
  return false;
}

bool is_guess(const Match& match) {
  return match.decision == Decision::kSimilar && match.probability < kSimilarProbability;
}

void drop_guesses(std::vector<Match>& matches) {
  const auto is_sure = [](const Match& match) { return is_found(match.decision); };
  if (std::ranges::none_of(matches, is_sure)) return;
  std::erase_if(matches, is_guess);
}

}  // namespace lookalike
