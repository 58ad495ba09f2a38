#pragma once

#include <cstddef>
#include <unordered_set>
#include <vector>

#include "config/options.h"
#include "stages/match/feature_search.h"
#include "stages/match/match.h"
#include "stages/match/pixel_comparison.h"
#include "stages/match/query_input.h"
#include "stages/match/query_trace.h"
#include "stages/match/shared_search.h"
#include "stages/match/vote/query_words.h"

namespace lookalike {

// One query: votes, verifies, looks again, refines, judges and relates. For one answer.
class QueryRun {
 public:
  // Adds the steps' durations to `times`. All must outlive it.
  QueryRun(SharedSearch& shared, QueryInput& input, MatchTimes& times)
      : shared_(shared),
        input_(input),
        times_(times),
        search_(shared),
        pixels_(shared, input, PixelSteps::kAll),
        rest_pixels_(shared, input, PixelSteps::kAll) {}

  QueryTrace answer();

 private:
  using ImageIds = std::unordered_set<ImageId>;

  IndexQuery look(Look which);
  void verify(std::size_t count);
  bool needs_second_look() const;
  void judge_all();
  std::size_t refine(const ImageIds& images);
  ImageIds reportable() const;
  void search_rests();
  RestSearch search_rest(const IndexQuery& query);

  SharedSearch& shared_;
  const MatchOptions& options_ = shared_.options;
  QueryInput& input_;
  MatchTimes& times_;
  FeatureSearch search_;
  PixelComparison pixels_;
  PixelComparison rest_pixels_;  // of what is found in the rest of the query
  std::vector<Match> matches_;   // as the features and the pixels gave them
  QueryTrace trace_;
};

// Returns the matches that the options let into an answer.
std::vector<Match> reported(std::vector<Match> judged, const ReportOptions& options);

}  // namespace lookalike
