#pragma once

#include <vector>

#include "stages/match/feature_search.h"
#include "stages/match/match.h"
#include "stages/match/pixel_comparison.h"
#include "stages/match/query_input.h"
#include "stages/match/shared_search.h"
#include "stages/match/sure_pairs.h"
#include "stages/match/vote/query_words.h"

namespace lookalike {

// Finds the images that surely show the same thing as a query. For one search.
class PairFinder {
 public:
  PairFinder(SharedSearch& shared, QueryInput& input)
      : shared_(shared),
        input_(input),
        search_(shared),
        pixels_(shared, input, PixelSteps::kDifference) {}

  // See Matcher::pairs and Matcher::pair.
  SurePairs find(const PairCandidates& candidates);
  SurePairs compare(ImageId other);

 private:
  bool find_enough(const IndexQuery& query, const PairCandidates& candidates,
                   std::vector<Match> early);
  void add_others(const IndexQuery& query, const PairCandidates& candidates,
                  std::vector<Match> others);
  bool is_needless(const Match& match, const PairCandidates& candidates) const;
  void add_sure(const IndexQuery& query, std::vector<Match> matches);

  SharedSearch& shared_;
  QueryInput& input_;
  FeatureSearch search_;
  PixelComparison pixels_;
  SurePairs pairs_;
};

}  // namespace lookalike
