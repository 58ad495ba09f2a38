#include "stages/codebook/kmeans.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace lookalike {
namespace {

// Whose sums are kept in memory, 8 MiB of them for 64-D features; each such part reads all of them.
constexpr std::size_t kWordsAtOnce = 16384;

double mean(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Gives each word without features one: of the largest word (ties: the lowest), the feature
// farthest from it (ties: the lowest). None is taken where all features of that word are equal to
// it.
void reseed_empty_words(Assignment& assignment, std::size_t word_count) {
  std::vector<std::size_t> counts(word_count);
  for (const std::uint32_t word : assignment.words) ++counts[word];
  for (std::size_t empty = 0; empty < word_count; ++empty) {
    if (counts[empty] > 0) continue;
    const auto largest =
        static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
    std::size_t farthest = 0;
    float distance = 0;
    for (std::size_t i = 0; i < assignment.words.size(); ++i) {
      if (assignment.words[i] == largest && assignment.squared_distances[i] > distance) {
        farthest = i;
        distance = assignment.squared_distances[i];
      }
    }
    if (distance <= 0 || counts[largest] < 2) continue;
    assignment.words[farthest] = static_cast<std::uint32_t>(empty);
    assignment.squared_distances[farthest] = 0;
    --counts[largest];
    ++counts[empty];
  }
}

void add(std::span<const float> row, std::span<double> sum) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += row[i];
}

// Moves the words [first, first + n) to the means of their features; one that has none stays.
void move_to_means(const RowFile& features, const std::vector<std::uint32_t>& assignment,
                   std::size_t first_word, MatrixView<float> words) {
  std::vector<double> values(words.size());
  const MatrixView<double> sums(values, words.cols());
  std::vector<std::size_t> counts(words.rows());
  features.for_each_batch([&](std::size_t first, MatrixView<const float> rows) {
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const std::size_t word = assignment[first + i] - first_word;  // wraps below the first
      if (word >= words.rows()) continue;
      ++counts[word];
      add(rows.row(i), sums.row(word));
    }
  });
  for (std::size_t word = 0; word < words.rows(); ++word) {
    if (counts[word] == 0) continue;
    std::ranges::transform(sums.row(word), words.row(word).begin(), [&](double sum) {
      return static_cast<float>(sum / static_cast<double>(counts[word]));
    });
  }
}

}  // namespace

Assignment assign_features(OpenClSession& session, const RowFile& features,
                           MatrixView<const float> words, const TrainingWatch& watch) {
  WordAssigner assigner(session, words);
  Assignment all;
  all.words.reserve(features.rows());
  all.squared_distances.reserve(features.rows());
  features.for_each_batch([&](std::size_t /*first*/, MatrixView<const float> rows) {
    watch.batch();
    const auto [nearest, distances] = assigner.assign(rows);
    all.words.insert(all.words.end(), nearest.begin(), nearest.end());
    all.squared_distances.insert(all.squared_distances.end(), distances.begin(), distances.end());
  });
  return all;
}

KMeansResult k_means(OpenClSession& session, const RowFile& features, std::vector<float> words,
                     const CodebookOptions& options, const TrainingWatch& watch) {
  KMeansResult result;
  result.words = std::move(words);
  const MatrixView<float> moving(result.words, features.cols());
  while (true) {
    Assignment assignment = assign_features(session, features, moving, watch);
    const double before = result.objective;
    result.objective = mean(assignment.squared_distances);
    ++result.iterations;
    watch.iteration(result.iterations, result.objective);
    const bool settled =
        result.iterations > 1 && before - result.objective < options.min_improvement * before;
    if (settled || result.objective == 0 || result.iterations >= options.max_iterations) {
      result.assignment = std::move(assignment.words);
      return result;
    }
    reseed_empty_words(assignment, moving.rows());
    for (std::size_t first = 0; first < moving.rows(); first += kWordsAtOnce) {
      const std::size_t count = std::min(kWordsAtOnce, moving.rows() - first);
      move_to_means(features, assignment.words, first, moving.middle_rows(first, count));
    }
  }
}

}  // namespace lookalike
