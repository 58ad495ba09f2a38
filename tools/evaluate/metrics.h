#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tools/evaluate/truth.h"

namespace lookalike {

// The answer to one query, best first.
struct Answer {
  struct Found {
    std::vector<std::string> paths;  // every path of the image
    Quad quad{};
    double probability = 0;
    bool same = false;  // decided to be the same object, or a duplicate
  };
  std::vector<Found> found;
};

// Measures over a set of queries. Shares are in [0, 1], and 0 of an empty set.
struct Measures {
  std::size_t queries = 0;  // with at least one relevant image
  double recall_at_1 = 0;   // share of queries whose first answer is relevant
  double recall_at_5 = 0;   // share with a relevant image among the first five
  double mean_average_precision = 0;
  double ns_score = 0;              // relevant images among the first four, mean (UKBench)
  std::size_t located_queries = 0;  // relevant images with known corners
  double located_at_50 = 0;         // share of them found with IoU >= 0.5
  double located_at_75 = 0;         // ... with IoU >= 0.75
  std::size_t unknown_queries = 0;  // without any relevant image
  double unknown_rejected = 0;  // share of those without a same object or duplicate in the answer
  // A query is predicted known when its answer has a same object or duplicate.
  double known_precision = 0;
  double known_recall = 0;
  double known_f1 = 0;
  double calibration_error = 0;  // expected, of probabilities above 0, in ten bins
};

// The middle value, the upper one of an even number; 0 without any.
double median(std::vector<double> values);

// Whether one of an image's paths is that of an image that the query shows.
bool is_relevant(const TruthQuery& query, std::span<const std::string> paths);

// Rank of the image in the answer, from 1; 0 when it is missing.
std::size_t rank_of(const RelevantImage& image, const Answer& answer);

// Intersection over union of the image's true and answered quads, or with `boxes` of their upright
// bounding boxes; 0 when the image is not in the answer. The image's quad must be known.
double overlap(const RelevantImage& image, const Answer& answer, bool boxes);

// answers[i] is for queries[i]. With `boxes`, quads are compared by their bounding boxes, for
// truth that is axis-aligned.
// Throws Error(kInternal) when the sizes differ.
Measures measure(const std::vector<TruthQuery>& queries, const std::vector<Answer>& answers,
                 bool boxes = false);

}  // namespace lookalike
