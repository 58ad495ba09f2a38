#include "pipeline/headline.h"

#include <functional>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lookalike {
namespace {

// Returns what is said of one match, or of several, behind their number.
const char* words_of(Decision decision, bool is_one) {
  switch (decision) {
    case Decision::kDuplicate:
      return is_one ? "same picture" : "same pictures";
    case Decision::kVariant:
      return is_one ? "changed version" : "changed versions";
    case Decision::kSameObject:
      return is_one ? "shows it" : "show it";
    case Decision::kPart:
      return is_one ? "shares a part" : "share a part";
    case Decision::kSimilar:
      return is_one ? "looks similar" : "look similar";
    case Decision::kRelated:
      return "related";
    case Decision::kNone:
      break;
  }
  return "unlikely";
}

// Returns the headline where nothing sure was found.
std::string nothing_sure(const std::vector<const Match*>& guesses, std::size_t total, Asked asked) {
  const bool is_indexed = asked == Asked::kIndexedImage;
  if (total == 0) return is_indexed ? "no other image shows this" : "nothing found";
  const std::string text = is_indexed ? "no other image surely shows this" : "nothing sure found";
  return guesses.empty() ? text : fmt::format("{}, {}", text, decision_counts(guesses));
}

}  // namespace

std::string decision_counts(std::span<const Match* const> matches) {
  std::map<Decision, std::size_t, std::greater<>> counts;
  for (const Match* match : matches) ++counts[match->decision];
  std::vector<std::string> texts;
  texts.reserve(counts.size());
  for (const auto& [decision, count] : counts) {
    texts.push_back(fmt::format("{} {}", count, words_of(decision, count == 1)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string headline(const QueryResult& result, Asked asked) {
  std::vector<const Match*> sure;
  std::vector<const Match*> guesses;
  std::set<std::size_t> places;
  std::set<std::size_t> sure_places;
  for (const Match& match : result.matches) {
    (is_found(match.decision) ? sure : guesses).push_back(&match);
    places.insert(match.place);
    if (is_found(match.decision)) sure_places.insert(match.place);
  }
  std::string text = result.found == 0 ? nothing_sure(guesses, result.total, asked)
                     : sure.empty()    ? fmt::format("{} found", result.found)
                                       : decision_counts(sure);
  if (result.places > places.size()) {
    text += fmt::format(", {} of {} places listed", places.size(), result.places);
  } else if (sure_places.size() > 1) {
    text += fmt::format(", in {} places", sure_places.size());
  }
  return text;
}

}  // namespace lookalike
