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

// Words and the features' assignment to them, not always to the nearest; see k_means().
struct KMeansResult {
  std::vector<float> words;               // [k][d]
  std::vector<std::uint32_t> assignment;  // [n]
  double objective = 0;                   // mean squared distance of a feature from its word
  std::size_t iterations = 0;
};

// Callbacks during training; each may throw to end it.
struct TrainingWatch {
  // Called after each iteration of k-means on all features, with its number, from 1 (again when
  // training starts over on the CPU), and the objective. With cells, called after each iteration on
  // their centres and after each cell.
  std::function<void(std::size_t step, double objective)> step = [](std::size_t /*step*/,
                                                                    double /*objective*/) {};
  // Called with the number of first words so far after each round of seed_words().
  std::function<void(std::size_t words)> seeds = [](std::size_t /*words*/) {};
  // Called before each batch of features to assign, and of words whose thresholds are set.
  std::function<void()> batch = [] {};
};

struct Seeds {
  std::vector<float> words;               // [k][d]
  std::vector<std::uint32_t> assignment;  // [n]: the nearest seed of each feature
};

// Chooses first words for k-means: k = `words` different features of [n][d], n >= 1. The first is
// drawn uniformly, each other with a probability proportional to its squared distance from the
// nearest word of earlier rounds. A round draws half as many features as there are words so far, at
// least k / 32, and at least one, so that the device gets few large assignments: all rounds
// together cost about as much as one assignment to all words. Equal features drawn in one round
// give one word. Returns fewer than k words if there are fewer different features, but at least
// one. Throws as ResidentFeatures, and what the watch throws. Method: Arthur and Vassilvitskii,
// "k-means++", SODA 2007, which draws one word a round; rounds of several are from Bahmani et al.,
// "Scalable k-means++", VLDB 2012, without its final reduction.
Seeds seed_words(OpenClSession& session, const RowFile& features, std::size_t words, Random& random,
                 const TrainingWatch& watch);

// Moves words [k][d] to the means of their features, summed in double precision in the order of the
// features. A word without features stays. Throws as RowFile.
//   assignment  [n]: the word of each feature
void move_to_means(const RowFile& features, const std::vector<std::uint32_t>& assignment,
                   MatrixView<float> words);

// Runs Lloyd's iterations on features [n][d], n >= 1, from the words [k][d] given. The first
// iteration, every tenth after it, and the one after a word was emptied compare each feature with
// all words, on the device; the others compare it with the 6 words that were nearest then, on the
// host. So with more than 6 words a feature's word may not be the nearest, and the objective is a
// little higher. A word without features takes the feature that is farthest from the largest word.
// Stops when the objective falls by less than options.min_improvement of itself, or after
// options.max_iterations iterations. Throws as WordAssigner and RowFile, and what the watch throws.
// Method: Lloyd, "Least squares quantization in PCM", 1982; the lists of near words are from Drake
// and Hamerly, "Accelerated k-means with adaptive distance bounds", OPT 2012, without bounds.
KMeansResult k_means(OpenClSession& session, const RowFile& features, std::vector<float> words,
                     const CodebookOptions& options, const TrainingWatch& watch);

}  // namespace lookalike
