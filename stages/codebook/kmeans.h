#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "config/options.h"
#include "kernels/session/session.h"
#include "pipeline/matrix_view.h"

namespace lookalike {

// Features in the order of the word that they are nearest to.
struct Members {
  std::vector<std::size_t> order;   // [n] features, by word, then ascending
  std::vector<std::size_t> starts;  // [k + 1]: where each word's features begin in `order`
};
Members members_of(const std::vector<std::uint32_t>& words, std::size_t word_count);

// Words, and the features' assignment to these very words.
struct KMeansResult {
  std::vector<float> words;               // [k][d]
  std::vector<std::uint32_t> assignment;  // [n]
  double objective = 0;                   // mean squared distance of a feature from its word
  std::size_t iterations = 0;
};

// Called after each iteration with its number, from 1, and the objective.
using KMeansProgress = std::function<void(std::size_t iteration, double objective)>;

// Lloyd's iterations on features [n][d], n >= 1, from the words [k][d] given: assignment on the
// device, then means on the host, summed in double precision in a fixed order. A word without
// features takes the feature that is farthest from the largest word. Stops when the objective
// falls by less than options.min_improvement of itself, or after options.max_iterations
// assignments.
// Method: Lloyd, "Least squares quantization in PCM", 1982.
KMeansResult k_means(OpenClSession& session, MatrixView<const float> features,
                     std::vector<float> words, const CodebookOptions& options,
                     const KMeansProgress& progress);

}  // namespace lookalike
