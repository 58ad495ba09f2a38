#include "stages/match/feature_search.h"

#include <cstdint>

#include "stages/match/verify/verification.h"
#include "stages/match/vote/vote_spread.h"

namespace lookalike {

std::vector<RankedImage> FeatureSearch::vote(const IndexQuery& query, std::size_t count,
                                             const ImageSet* among) {
  auto images = shared_.shortlist.find(query.words, count, shared_.readers(), &seen_, among);
  std::erase_if(images,
                [&](const RankedImage& entry) { return entry.image == query.excluded_image; });
  return images;
}

std::vector<std::vector<WordPair>> FeatureSearch::pairs(const IndexQuery& query,
                                                        std::span<const RankedImage> images) const {
  std::vector<ImageId> ids;
  for (const RankedImage& entry : images) ids.push_back(entry.image);
  return word_pairs(
      query.words, ids,
      [&](std::uint32_t word, const auto& visit) { shared_.cache.for_each_list(word, visit); },
      shared_.options.hamming_threshold, shared_.readers(), seen_);
}

std::vector<Match> FeatureSearch::verify(const IndexQuery& query,
                                         std::span<const RankedImage> images,
                                         std::span<const RankedImage> shortlist) const {
  if (images.empty()) return {};
  std::vector<Match> matches = verify_all(
      query, images, pairs(query, images),
      [&](ImageId image) { return shared_.cache.record(image); }, shared_.options,
      shared_.readers());
  const VoteSpread spread = spread_of(shortlist);
  for (Match& match : matches) compare_votes(spread, match.evidence);
  return matches;
}

}  // namespace lookalike
