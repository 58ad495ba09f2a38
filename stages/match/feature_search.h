#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stages/match/match.h"
#include "stages/match/shared_search.h"
#include "stages/match/vote/query_words.h"
#include "stages/match/vote/shortlist.h"
#include "stages/match/vote/word_pairs.h"

namespace lookalike {

// Searches the index by the features of a query: votes, then verifies. For one thread.
class FeatureSearch {
 public:
  explicit FeatureSearch(SharedSearch& shared) : shared_(shared) {}

  // Returns the best `count` images by votes, less the excluded image. Keeps the pairs seen.
  //   among  images that get votes; null: all
  std::vector<RankedImage> vote(const IndexQuery& query, std::size_t count,
                                const ImageSet* among = nullptr);
  // Returns the pairs of words between the query and each image.
  std::vector<std::vector<WordPair>> pairs(const IndexQuery& query,
                                           std::span<const RankedImage> images) const;
  // Verifies some images of the shortlist, and returns their matches in that order, not yet ranked.
  std::vector<Match> verify(const IndexQuery& query, std::span<const RankedImage> images,
                            std::span<const RankedImage> shortlist) const;

 private:
  SharedSearch& shared_;
  SeenPairs seen_;  // by the last vote
};

}  // namespace lookalike
