#include "stages/match/pair_finder.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "stages/match/decide/decision.h"

namespace lookalike {
namespace {

// Images, the best by votes, that are compared one by one, as any of them may be enough.
constexpr std::size_t kComparedAlone = 8;
// Images, the best by votes, that are compared after them. More show one thing only in large groups
// of similar images, which fewer pairs hold together.
constexpr std::size_t kMostCompared = 40;

}  // namespace

SurePairs PairFinder::find(const PairCandidates& candidates) {
  const IndexQuery query = input_.words(Look::kFirst);
  const std::vector<RankedImage> shortlist =
      search_.vote(query, shortlist_length(shared_, candidates.share), &candidates.images);
  std::vector<RankedImage> early;
  std::vector<RankedImage> others;
  for (const RankedImage& image : shortlist) {
    const bool is_early = early.size() < kComparedAlone && candidates.is_early(image.image);
    (is_early ? early : others).push_back(image);
  }
  if (!find_enough(query, candidates, search_.verify(query, early, shortlist))) {
    add_others(query, candidates, search_.verify(query, others, shortlist));
    std::ranges::sort(pairs_.matches, {}, [](const Match& match) { return match.image.content; });
  }
  return std::move(pairs_);
}

// Compares matches one by one. Keeps only the first that is enough, and returns true if there is
// one.
bool PairFinder::find_enough(const IndexQuery& query, const PairCandidates& candidates,
                             std::vector<Match> early) {
  for (Match& match : early) {
    if (!pixels_.could_be_sure(match) || is_needless(match, candidates)) continue;
    const std::size_t known = pairs_.matches.size();
    add_sure(query, {std::move(match)});
    if (pairs_.matches.size() == known || !candidates.is_enough) continue;
    if (!candidates.is_enough(pairs_.matches.back())) continue;
    pairs_.matches = {std::move(pairs_.matches.back())};
    pairs_.enough = pairs_.matches.front().image.id;
    return true;
  }
  return false;
}

// Compares matches together, those that are wanted.
void PairFinder::add_others(const IndexQuery& query, const PairCandidates& candidates,
                            std::vector<Match> others) {
  std::size_t left = kMostCompared;
  std::erase_if(others, [&](const Match& match) {
    const bool is_compared = left > 0 && pixels_.could_be_sure(match) &&
                             candidates.is_wanted(match.image.id) &&
                             !is_needless(match, candidates);
    left -= is_compared ? 1 : 0;
    return !is_compared;
  });
  const auto known = static_cast<std::ptrdiff_t>(pairs_.matches.size());
  add_sure(query, std::move(others));
  if (!candidates.is_enough) return;
  const auto enough =
      std::find_if(pairs_.matches.begin() + known, pairs_.matches.end(), candidates.is_enough);
  if (enough != pairs_.matches.end()) pairs_.enough = enough->image.id;
}

SurePairs PairFinder::compare(ImageId other) {
  if (std::optional<Match> equal = pixels_.equal_match(other)) {
    pairs_.matches.push_back(*std::move(equal));
    return std::move(pairs_);
  }
  const IndexQuery query = input_.words(Look::kFirst);
  const RankedImage entry{other, 0};
  add_sure(query, search_.verify(query, {&entry, 1}, {}));
  return std::move(pairs_);
}

// True if the pixels of a match need not be compared, given those found so far.
bool PairFinder::is_needless(const Match& match, const PairCandidates& candidates) const {
  return candidates.is_needless && candidates.is_needless(match, pairs_.matches);
}

// Adds the matches that are sure by pixels, with their decisions, ranked.
void PairFinder::add_sure(const IndexQuery& query, std::vector<Match> matches) {
  pairs_.all_read = pixels_.keep_sure(matches) && pairs_.all_read;
  for (Match& match : matches) {
    match.decision = decide(match, query.width, query.height, shared_.options);
    pairs_.matches.push_back(std::move(match));
  }
}

}  // namespace lookalike
