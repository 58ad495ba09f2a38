#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/matrix_view.h"
#include "base/random.h"
#include "config/options.h"
#include "kernels/assign/assign.h"
#include "kernels/session/session.h"
#include "storage/row_file.h"

namespace lookalike {

// Words, and the features' assignment to these very words.
struct KMeansResult {
  std::vector<float> words;               // [k][d]
  std::vector<std::uint32_t> assignment;  // [n]
  double objective = 0;                   // mean squared distance of a feature from its word
  std::size_t iterations = 0;
};

// How a caller follows training; each function may throw to end it.
struct TrainingWatch {
  // Called after an iteration of k-means on all features, with its number, from 1 (again when
  // training starts over on the CPU), and the objective.
  std::function<void(std::size_t iteration, double objective)> iteration =
      [](std::size_t /*iteration*/, double /*objective*/) {};
  // Called before each batch of features that is assigned, and of words whose thresholds are set.
  std::function<void()> batch = [] {};
};

// The nearest of the words [k][d] to each of the features [n][d]; as WordAssigner::assign, by
// batches that are read in turn. Throws as WordAssigner and RowFile, and what the watch throws.
Assignment assign_features(OpenClSession& session, const RowFile& features,
                           MatrixView<const float> words, const TrainingWatch& watch);

// First words for k-means: features [n][d], each drawn with a probability proportional to its
// squared distance from the words drawn before. They are drawn in rounds, each a quarter of the
// words so far (one at first), from the distances at the round's start, so that the device gets few
// large assignments: all rounds together cost about as much as one assignment to all words.
// Returns [k][d]; fewer than k rows when there are fewer different features. Throws as
// assign_features.
// Method: Arthur and Vassilvitskii, "k-means++", SODA 2007, which draws one word a round; drawing
// many a round is Bahmani et al., "Scalable k-means++", VLDB 2012, without its final reduction.
std::vector<float> seed_words(OpenClSession& session, const RowFile& features, std::size_t words,
                              Random& random, const TrainingWatch& watch);

// Lloyd's iterations on features [n][d], n >= 1, from the words [k][d] given: assignment on the
// device, then means on the host, summed in double precision in a fixed order. A word without
// features takes the feature that is farthest from the largest word. Stops when the objective
// falls by less than options.min_improvement of itself, or after options.max_iterations
// assignments. Throws as assign_features.
// Method: Lloyd, "Least squares quantization in PCM", 1982.
KMeansResult k_means(OpenClSession& session, const RowFile& features, std::vector<float> words,
                     const CodebookOptions& options, const TrainingWatch& watch);

}  // namespace lookalike
