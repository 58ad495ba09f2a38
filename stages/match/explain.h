#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/geometry.h"
#include "config/options.h"
#include "stages/match/decide/calibration.h"
#include "stages/match/match.h"
#include "stages/match/verify/pose.h"

namespace lookalike {

// A pair of features, of the indexed image and of the photo, full-size px.
struct ExplainedPair {
  PointPair places;
  bool inlier = false;  // agrees with the pose
};

// A surer match that took features from another; see resolve_overlaps.
struct Rival {
  Match match;
  std::size_t features = 0;  // shared
};

// How a query fares with one indexed image, step by step; see Matcher::explain.
struct Explanation {
  MatchOptions options;

  std::size_t query_features = 0;  // in the first look
  std::size_t query_words = 0;     // distinct; several for each feature of the photo
  std::size_t image_words = 0;     // distinct; one for each feature of the image
  std::size_t common_words = 0;    // distinct

  std::size_t images = 0;           // in the index, with features
  std::optional<std::size_t> rank;  // by votes among them, from 1; unset without votes
  std::size_t shortlist = 0;        // images that the query verified
  bool shortlisted = false;         // true if the image is among them
  // True if the query found the image in the part of the photo that no match of the same object or
  // more covers. The following steps are based on the features of that part.
  bool in_rest = false;

  // Features of the photo's second look, on which the following steps are based otherwise. Unset
  // without one.
  std::optional<std::size_t> second_look;
  std::vector<ExplainedPair> pairs;
  std::size_t agreeing_pairs = 0;  // in turn and size
  PoseAttempt attempt;
  Match by_features;  // before pixels were compared

  Match match;  // as if no other image were found
  // Their sum is the logit of match.probability; empty without a pose and for identical pictures.
  std::vector<EvidenceTerm> terms;

  std::optional<Match> judged;  // by the query; unset if the query did not verify it
  // Among the query's matches, from 1; unset if not reported.
  std::optional<std::size_t> answer_rank;
  std::size_t total = 0;       // matches that the query reported, also beyond options.top
  std::optional<Rival> rival;  // set if it took features from the image
};

// A step in words.
struct ExplainedStep {
  std::string_view name;
  bool passed = false;
  std::string reason;  // sentences
};

// Describes all steps: features, words, votes, pairs, pose, refine, probability, decision and
// answer. Steps after a failed one give the result they would have had, or state that there is
// none.
std::vector<ExplainedStep> steps_of(const Explanation& explanation);

}  // namespace lookalike
