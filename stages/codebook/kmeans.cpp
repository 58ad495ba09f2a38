#include "stages/codebook/kmeans.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <utility>

namespace lookalike {
namespace {

// A round of seeding adds this part of the words so far. On SURF descriptors the objective of a
// quarter is within a percent of drawing one by one (tests/stages/codebook/seeding_test.cpp).
constexpr std::size_t kRoundDivisor = 4;

class Seeding {
 public:
  Seeding(OpenClSession& session, const RowFile& features, Random& random,
          const TrainingWatch& watch)
      : session_(session),
        features_(features),
        random_(random),
        watch_(watch),
        distances_(features.rows(), std::numeric_limits<float>::infinity()),
        cumulative_(features.rows()) {}

  void add_first() {
    const double at = random_.uniform() * static_cast<double>(features_.rows());
    add(features_.read(static_cast<std::size_t>(at), 1));
  }

  // Up to `count` different features; false when every feature is a word already.
  bool add_round(std::size_t count) {
    double sum = 0;
    for (std::size_t i = 0; i < distances_.size(); ++i) cumulative_[i] = sum += distances_[i];
    if (sum <= 0) return false;
    std::vector<std::size_t> drawn;
    for (std::size_t i = 0; i < count; ++i) drawn.push_back(draw(random_.uniform() * sum));
    std::ranges::sort(drawn);
    add(different_rows(drawn));
    return true;
  }

  std::size_t size() const { return words_.size() / features_.cols(); }
  std::vector<float> take() { return std::move(words_); }

 private:
  // The first feature whose cumulative distance is above `at`; its own distance is then above zero.
  std::size_t draw(double at) const {
    const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, at);
    auto index = static_cast<std::size_t>(found - cumulative_.begin());
    while (distances_[index] <= 0) --index;  // only where rounding made `at` the whole sum
    return index;
  }

  // The rows of the features drawn, each descriptor once, in the order of the features.
  std::vector<float> different_rows(const std::vector<std::size_t>& drawn) const {
    std::set<std::vector<float>> seen;
    std::vector<float> rows;
    for (const std::size_t index : drawn) {
      const auto [row, is_new] = seen.insert(features_.read(index, 1));
      if (is_new) rows.insert(rows.end(), row->begin(), row->end());
    }
    return rows;
  }

  void add(const std::vector<float>& fresh) {
    const std::vector<float> distances =
        assign_features(session_, features_, {fresh, features_.cols()}, watch_).squared_distances;
    std::ranges::transform(distances, distances_, distances_.begin(),
                           [](float a, float b) { return std::min(a, b); });
    words_.insert(words_.end(), fresh.begin(), fresh.end());
  }

  OpenClSession& session_;
  const RowFile& features_;
  Random& random_;
  const TrainingWatch& watch_;
  std::vector<float> distances_;    // to the nearest word so far, squared
  std::vector<double> cumulative_;  // of distances_
  std::vector<float> words_;
};

// Words that are moved together, whose sums take 8 MiB of memory for 64-D features; each such part
// reads all features.
constexpr std::size_t kWordsAtOnce = 16384;

double mean(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Gives each word without features one: of the largest word (ties: the lowest), the feature
// farthest from it (ties: the lowest), unless all features of that word are equal to it.
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

std::vector<float> seed_words(OpenClSession& session, const RowFile& features, std::size_t words,
                              Random& random, const TrainingWatch& watch) {
  Seeding seeding(session, features, random, watch);
  seeding.add_first();
  while (seeding.size() < words) {
    const std::size_t round = std::max<std::size_t>(1, seeding.size() / kRoundDivisor);
    if (!seeding.add_round(std::min(round, words - seeding.size()))) break;
  }
  return seeding.take();
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
