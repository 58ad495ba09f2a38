#include "stages/match/explain_query.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "stages/match/decide/decision.h"
#include "stages/match/feature_search.h"
#include "stages/match/pixel_comparison.h"
#include "stages/match/verify/verification.h"
#include "stages/match/vote/vote_spread.h"

namespace lookalike {
namespace {

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

void explain_pairs(const Verification& verified, Explanation& explanation) {
  for (const auto& [object, scene] : verified.pairs) {
    explanation.pairs.push_back({{{object.x, object.y}, {scene.x, scene.y}}, false});
  }
  for (const std::uint32_t i : verified.inliers) explanation.pairs[i].inlier = true;
  explanation.agreeing_pairs = verified.agreeing.count;
  explanation.attempt = verified.attempt;
}

// Returns the search of the rest that found an image, or null.
const RestSearch* rest_that_found(const QueryTrace& trace, ImageId image) {
  const auto found = std::ranges::find_if(trace.rest, [&](const RestSearch& search) {
    return std::ranges::find(search.found, image) != search.found.end();
  });
  return found == trace.rest.end() ? nullptr : &*found;
}

}  // namespace

Explanation explain_image(SharedSearch& shared, QueryInput& input, const QueryTrace& trace,
                          ImageId image) {
  Explanation explanation;
  explanation.options = shared.options;
  const auto record = shared.cache.record(image);
  explain_words(trace.first_look, *record, explanation);

  const std::size_t images = shared.shortlist.image_count();
  const auto ranking = shared.shortlist.find(trace.first_look.words, images, shared.readers());
  const auto ranked = std::ranges::find(ranking, image, &RankedImage::image);
  explanation.images = images;
  if (ranked != ranking.end()) {
    explanation.rank = static_cast<std::size_t>(ranked - ranking.begin()) + 1;
  }
  explanation.shortlist = trace.verified;
  explanation.shortlisted = explanation.rank && *explanation.rank <= trace.verified;

  if (trace.second_look) explanation.second_look = trace.second_look->places.size();
  const RestSearch* const rest = rest_that_found(trace, image);
  explanation.in_rest = rest != nullptr;
  const IndexQuery& words = rest ? rest->words : trace.words();
  const std::vector<RankedImage>& votes = rest ? rest->shortlist : ranking;
  const auto voted = std::ranges::find(votes, image, &RankedImage::image);
  const RankedImage entry = voted != votes.end() ? *voted : RankedImage{image, 0};
  Verification verified = verify(
      words, *record, FeatureSearch(shared).pairs(words, {&entry, 1}).front(), shared.options);
  explain_pairs(verified, explanation);
  verified.match.evidence.votes = entry.score;
  std::vector<Match> alone = {std::move(verified.match)};
  compare_votes(spread_of(rest ? rest->shortlist : trace.shortlist), alone.front().evidence);
  rank(alone, shared.calibration);
  explanation.by_features = alone.front();

  PixelComparison pixels(shared, input, PixelSteps::kAll);
  if (pixels.is_possible()) {
    pixels.add_identical(trace.words(), alone);
    std::erase_if(alone, [&](const Match& match) { return match.image.id != image; });
    pixels.refine(alone, [](const Match&) { return true; });
    if (!alone.empty() && !alone.front().evidence.colour) {
      pixels.colours().compare_colours(alone.front());
    }
  }
  judge(alone, shared.calibration, trace.words().width, trace.words().height, shared.options);
  explanation.match = std::move(alone.front());
  const Evidence& evidence = explanation.match.evidence;
  if (evidence.effective_inliers > 0 && !evidence.identical) {
    const auto terms = shared.calibration.terms(evidence);
    explanation.terms.assign(terms.begin(), terms.end());
  }
  const auto known = find_match(trace.judged, image);
  if (known != trace.judged.end()) explanation.judged = *known;
  return explanation;
}

}  // namespace lookalike
