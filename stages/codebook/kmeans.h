#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/matrix_view.h"
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

// What a caller follows training by; each may throw to end it.
struct TrainingWatch {
  // After an iteration of k-means on all features, with its number, from 1 (again when training
  // starts over on the CPU), and the objective.
  std::function<void(std::size_t iteration, double objective)> iteration =
      [](std::size_t /*iteration*/, double /*objective*/) {};
  // Before each batch of features that is assigned, and of words that are given thresholds.
  std::function<void()> batch = [] {};
};

// The nearest of the words [k][d] to each of the features [n][d]; as WordAssigner::assign, by
// batches that are read one after the other. Throws as WordAssigner and RowFile, and what the watch
// throws.
Assignment assign_features(OpenClSession& session, const RowFile& features,
                           MatrixView<const float> words, const TrainingWatch& watch);

// Lloyd's iterations on features [n][d], n >= 1, from the words [k][d] given: assignment on the
// device, then means on the host, summed in double precision in a fixed order. A word without
// features takes the feature that is farthest from the largest word. Stops when the objective
// falls by less than options.min_improvement of itself, or after options.max_iterations
// assignments. Throws as assign_features.
// Method: Lloyd, "Least squares quantization in PCM", 1982.
KMeansResult k_means(OpenClSession& session, const RowFile& features, std::vector<float> words,
                     const CodebookOptions& options, const TrainingWatch& watch);

}  // namespace lookalike
