#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stages/match/match.h"
#include "tools/evaluate/truth.h"

namespace lookalike {

// The answer to one query, best first.
struct Answer {
  struct Found {
    std::vector<std::string> paths;  // every path of the image
    Quad quad{};
    double probability = 0;
    Decision decision = Decision::kNone;
  };
  std::vector<Found> found;
};

// One answer compared with the truth. An image is confirmed if its decision is same_object, variant
// or duplicate.
struct Scores {
  std::size_t relevant = 0;          // images that the query shows; 0: an unknown query
  std::size_t listed = 0;            // images in the answer
  std::size_t wrong_listed = 0;      // among them, those that are not relevant
  std::size_t wrong_confirmed = 0;   // among these, those that are confirmed
  bool first_relevant = false;       // the first image is relevant
  bool first_confirmed = false;      // the first image is confirmed, relevant or not
  bool any_confirmed = false;        // any image is confirmed: the query is predicted known
  std::size_t relevant_in_4 = 0;     // among the first four
  std::size_t relevant_in_5 = 0;     // among the first five
  double average_precision = 0;      // 0 for an unknown query
  std::size_t located_images = 0;    // relevant images with known corners
  std::size_t located_at_50 = 0;     // located images found with IoU >= 0.5
  std::size_t located_at_75 = 0;     // located images found with IoU >= 0.75
  std::size_t wrong_duplicates = 0;  // images decided to be duplicates that are not relevant
};

// Measures over a set of queries. Shares are in [0, 1], and 0 for an empty set.
struct Measures {
  std::size_t queries = 0;           // with at least one relevant image
  double recall_at_1 = 0;            // share of queries whose first answer is relevant
  double recall_at_1_confirmed = 0;  // share whose first answer is relevant and confirmed
  double recall_at_5 = 0;            // share with a relevant image among the first five
  double mean_average_precision = 0;
  double wrong_listed = 0;                // images listed that are not relevant, mean
  double wrong_confirmed = 0;             // images confirmed that are not relevant, mean
  double ns_score = 0;                    // relevant images among the first four, mean (UKBench)
  std::size_t located_queries = 0;        // relevant images with known corners
  double located_at_50 = 0;               // share of located_queries found with IoU >= 0.5
  double located_at_75 = 0;               // share of located_queries found with IoU >= 0.75
  std::size_t wrong_confirmed_first = 0;  // queries whose first answer is confirmed, not relevant
  std::size_t wrong_duplicates = 0;       // in the answers to all queries, known or not
  std::size_t unknown_queries = 0;        // without any relevant image
  double unknown_rejected = 0;            // share of unknown queries with nothing confirmed
  std::size_t unknown_confirmed = 0;      // unknown queries with something confirmed
  std::size_t unknown_listed = 0;         // unknown queries with anything in the answer
  // A query is predicted known when something is confirmed.
  double known_precision = 0;
  double known_recall = 0;
  double known_f1 = 0;
};

// An image of an answer with a probability.
struct Candidate {
  double probability = 0;
  bool relevant = false;
};

// Answers whose first image has a probability in [kUnsureFrom, kUnsureBelow).
struct UnsureFirst {
  std::size_t count = 0;
  double mean_probability = 0;
  double relevant = 0;  // share of those images that are relevant
};
inline constexpr double kUnsureFrom = 0.05;
inline constexpr double kUnsureBelow = 0.5;

// A minimum probability that keeps a wanted rate of errors.
struct Threshold {
  double probability = 0;
  double kept = 0;  // share of the relevant candidates that reach it
};

// Returns the middle value, the upper one of an even number; 0 for none.
double median(std::vector<double> values);

// True if an image's decision is same_object, variant or duplicate.
bool is_confirmed(const Answer::Found& found);

// True if one of an image's paths is that of a relevant image.
bool is_relevant(const TruthQuery& query, std::span<const std::string> paths);

// Returns the rank of the image in the answer, from 1; 0 if it is missing.
std::size_t rank_of(const RelevantImage& image, const Answer& answer);

// Returns the intersection over union of the image's true and answered quads, or with `boxes` of
// their upright bounding boxes; 0 if the image is not in the answer. Its quad must be known.
double overlap(const RelevantImage& image, const Answer& answer, bool boxes);

// Compares an answer with the truth. With `boxes`, compares quads by their bounding boxes, for
// axis-aligned truth.
Scores judge(const TruthQuery& query, const Answer& answer, bool boxes = false);

// Returns the measures over the scores of all queries.
Measures summarise(std::span<const Scores> scores);

// Combines judge() and summarise(); answers[i] is for queries[i].
// Throws Error(kInternal) when the sizes differ.
Measures measure(const std::vector<TruthQuery>& queries, const std::vector<Answer>& answers,
                 bool boxes = false);

// Returns the images of an answer whose probability is above 0 and at least `minimum`, in order.
std::vector<Candidate> candidates(const TruthQuery& query, const Answer& answer,
                                  double minimum = 0);

// Returns the expected calibration error: |mean probability - relevant share| of bins of
// probabilities, weighted by the sizes of the bins; 0 without candidates.
// Method: Naeini, Cooper, Hauskrecht, "Obtaining well calibrated probabilities", AAAI 2015.
double calibration_error(std::span<const Candidate> candidates);  // ten bins of equal width
// The same with ten bins of equal count, each extended by ties with its last candidate.
double calibration_error_equal_count(std::vector<Candidate> candidates);

// Returns the lowest probability for which at most a share `error_rate`, [0, 1], of the candidates
// that reach it is not relevant, and at least one is; nothing if there is none. Fewer than
// 1 / error_rate candidates allow no error.
std::optional<Threshold> threshold_for(std::vector<Candidate> candidates, double error_rate);

// Returns the figures of unsure first images. Throws Error(kInternal) when the sizes differ.
UnsureFirst unsure_first(const std::vector<TruthQuery>& queries,
                         const std::vector<Answer>& answers);

}  // namespace lookalike
