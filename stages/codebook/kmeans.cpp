#include "stages/codebook/kmeans.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/assign/assign.h"
#include "pipeline/parallel_ranges.h"

namespace lookalike {
namespace {

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

void mean_of(MatrixView<const float> features, std::span<const std::size_t> members,
             std::span<float> word) {
  std::vector<double> sums(word.size());
  for (const std::size_t member : members) {
    const auto row = features.row(member);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += row[i];
  }
  const auto count = static_cast<double>(members.size());
  for (std::size_t i = 0; i < sums.size(); ++i) word[i] = static_cast<float>(sums[i] / count);
}

// A word that is still without features stays where it is.
void move_to_means(MatrixView<const float> features, const Members& members,
                   MatrixView<float> words) {
  parallel_ranges(words.rows(), [&](std::size_t first, std::size_t last) {
    for (std::size_t word = first; word < last; ++word) {
      const std::size_t start = members.starts[word];
      const std::size_t count = members.starts[word + 1] - start;
      if (count == 0) continue;
      mean_of(features, std::span(members.order).subspan(start, count), words.row(word));
    }
  });
}

}  // namespace

Members members_of(const std::vector<std::uint32_t>& words, std::size_t word_count) {
  Members members;
  members.starts.resize(word_count + 1);
  for (const std::uint32_t word : words) ++members.starts[word + 1];
  std::partial_sum(members.starts.begin(), members.starts.end(), members.starts.begin());
  members.order.resize(words.size());
  std::vector<std::size_t> next(members.starts.begin(), members.starts.end() - 1);
  for (std::size_t i = 0; i < words.size(); ++i) members.order[next[words[i]]++] = i;
  return members;
}

KMeansResult k_means(OpenClSession& session, MatrixView<const float> features,
                     std::vector<float> words, const CodebookOptions& options,
                     const KMeansProgress& progress) {
  const std::size_t size = features.cols();
  KMeansResult result;
  result.words = std::move(words);
  while (true) {
    WordAssigner assigner(session, {result.words, size});
    Assignment assignment = assigner.assign(features);
    const double before = result.objective;
    result.objective = mean(assignment.squared_distances);
    ++result.iterations;
    progress(result.iterations, result.objective);
    const bool settled =
        result.iterations > 1 && before - result.objective < options.min_improvement * before;
    if (settled || result.objective == 0 || result.iterations >= options.max_iterations) {
      result.assignment = std::move(assignment.words);
      return result;
    }
    const std::size_t word_count = result.words.size() / size;
    reseed_empty_words(assignment, word_count);
    move_to_means(features, members_of(assignment.words, word_count), {result.words, size});
  }
}

}  // namespace lookalike
