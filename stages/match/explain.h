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

// A feature of the indexed image and one of the photo that were paired, full-size px.
struct ExplainedPair {
  PointPair places;
  bool inlier = false;  // agrees with the pose
};

// A surer match that took features from another; see resolve_overlaps.
struct Rival {
  Match match;
  std::size_t features = 0;  // that both have
};

// How a query fares with one indexed image, step by step; see Matcher::explain.
struct Explanation {
  MatchOptions options;

  std::size_t query_features = 0;  // of the first look
  std::size_t query_words = 0;     // distinct words of the photo's features, several of each
  std::size_t image_words = 0;     // distinct words of the image's features, one of each
  std::size_t common_words = 0;    // distinct

  std::size_t images = 0;           // of the index that have features
  std::optional<std::size_t> rank;  // by votes among them, from 1; nothing without a vote
  std::size_t shortlist = 0;        // images that a query verifies
  bool shortlisted = false;         // whether the image is among them

  // Features of the photo's second look, to which the steps that follow belong; nothing without
  // one.
  std::optional<std::size_t> second_look;
  std::vector<ExplainedPair> pairs;
  PoseAttempt attempt;
  Match by_features;  // before its pixels were compared

  Match match;  // as if no other image were found: evidence, probability and decision
  std::vector<EvidenceTerm> terms;  // of its probability; none where it does not follow from them

  std::optional<Match> judged;       // as the query judged it; nothing when it did not come to it
  std::optional<std::size_t> place;  // among the query's matches, from 1; nothing when not reported
  std::size_t total = 0;             // matches that the query reports, also beyond options.top
  std::optional<Rival> rival;        // where the query took features from the image
};

// A step in words.
struct ExplainedStep {
  std::string_view name;
  bool passed = false;
  std::string reason;  // sentences
};

// All steps: features, words, votes, pairs, pose, pixels, probability, decision, and the query's
// answer. Steps after one that failed say so or what they would have been.
std::vector<ExplainedStep> steps_of(const Explanation& explanation);

}  // namespace lookalike
