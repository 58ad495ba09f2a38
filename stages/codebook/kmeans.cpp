#include "stages/codebook/kmeans.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "stages/codebook/resident_features.h"

namespace lookalike {
namespace {

// A round of seeding adds this fraction of the words so far, but at least this fraction of all
// words. On the SURF descriptors of 500 photos (163,840 features, 4096 words) 9 rounds of half and
// a 32nd gave the objective of 38 rounds of a quarter, in three quarters of the time of 18 rounds.
constexpr std::size_t kRoundDivisor = 2;
constexpr std::size_t kMinRoundDivisor = 32;

class Seeding {
 public:
  Seeding(OpenClSession& session, const RowFile& features, Random& random,
          const TrainingWatch& watch)
      : features_(features),
        resident_(session, features),
        random_(random),
        watch_(watch),
        nearest_{std::vector<std::uint32_t>(features.rows()),
                 std::vector<float>(features.rows(), std::numeric_limits<float>::infinity())},
        cumulative_(features.rows()) {}

  void add_first() {
    const double at = random_.uniform() * static_cast<double>(features_.rows());
    add(features_.read(static_cast<std::size_t>(at), 1));
  }

  // Adds up to `count` different features; false if every feature is a word already.
  bool add_round(std::size_t count) {
    const std::vector<float>& distances = nearest_.squared_distances;
    double sum = 0;
    for (std::size_t i = 0; i < distances.size(); ++i) cumulative_[i] = sum += distances[i];
    if (sum <= 0) return false;
    std::vector<std::size_t> drawn;
    for (std::size_t i = 0; i < count; ++i) drawn.push_back(draw(random_.uniform() * sum));
    std::ranges::sort(drawn);
    add(different_rows(drawn));
    return true;
  }

  std::size_t size() const { return words_.size() / features_.cols(); }
  Seeds take() { return {std::move(words_), std::move(nearest_.words)}; }

 private:
  // Returns the first feature whose cumulative distance is above `at`; its own distance is above
  // zero.
  std::size_t draw(double at) const {
    const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, at);
    auto index = static_cast<std::size_t>(found - cumulative_.begin());
    // Rounding may have made `at` the whole sum.
    while (nearest_.squared_distances[index] <= 0) --index;
    return index;
  }

  // Returns the rows of the features drawn, each descriptor once, in the order of the features.
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
    const auto first_word = static_cast<std::uint32_t>(size());
    words_.insert(words_.end(), fresh.begin(), fresh.end());
    resident_.nearest({fresh, features_.cols()}, watch_.batch,
                      [&](std::size_t first, const Assignment& found) {
                        for (std::size_t i = 0; i < found.words.size(); ++i) {
                          float& distance = nearest_.squared_distances[first + i];
                          if (found.squared_distances[i] >= distance) continue;
                          distance = found.squared_distances[i];
                          nearest_.words[first + i] = first_word + found.words[i];
                        }
                      });
  }

  const RowFile& features_;
  ResidentFeatures resident_;
  Random& random_;
  const TrainingWatch& watch_;
  Assignment nearest_;              // among the words so far
  std::vector<double> cumulative_;  // sums of nearest_.squared_distances
  std::vector<float> words_;
};

// Words moved in one pass over all features; their sums take 8 MiB of memory for 64-D features.
constexpr std::size_t kWordsAtOnce = 16384;

// Words that a feature is compared with between searches among all words, and iterations per
// search. On the SURF descriptors of 500 photos (163,840 features, 4096 words) the objective was
// 0.7 % higher with 4 words than with 8, and 0.2 % with 6; a search for 8 took 1.5 times as long as
// one for 4, with PoCL.
constexpr std::size_t kListedWords = 6;
constexpr std::size_t kIterationsPerSearch = 10;

double mean(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Gives each word without features the feature of the largest word that is farthest from it (ties:
// the lowest, for both), unless all features of that word equal it. Returns true if a word was
// given one.
bool reseed_empty_words(Assignment& assignment, std::size_t word_count) {
  std::vector<std::size_t> counts(word_count);
  for (const std::uint32_t word : assignment.words) ++counts[word];
  bool reseeded = false;
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
    reseeded = true;
  }
  return reseeded;
}

void add(std::span<const float> row, std::span<double> sum) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += row[i];
}

// Moves the words [first_word, first_word + n) to the means of their features. Each thread sums its
// own words, in the order of the features.
void move_part(const RowFile& features, const std::vector<std::uint32_t>& assignment,
               std::size_t first_word, MatrixView<float> words) {
  std::vector<double> values(words.size());
  const MatrixView<double> sums(values, words.cols());
  std::vector<std::size_t> counts(words.rows());
  features.for_each_batch([&](std::size_t first, MatrixView<const float> rows) {
    parallel_ranges(words.rows(), [&](std::size_t from, std::size_t to) {
      for (std::size_t i = 0; i < rows.rows(); ++i) {
        const std::size_t word = assignment[first + i] - first_word;  // wraps below the first
        if (word < from || word >= to) continue;
        ++counts[word];
        add(rows.row(i), sums.row(word));
      }
    });
  });
  for (std::size_t word = 0; word < words.rows(); ++word) {
    if (counts[word] == 0) continue;
    std::ranges::transform(sums.row(word), words.row(word).begin(), [&](double sum) {
      return static_cast<float>(sum / static_cast<double>(counts[word]));
    });
  }
}

// Keeps eight sums side by side, so that the compiler vectorises the loop.
float squared_distance(std::span<const float> a, std::span<const float> b) {
  std::array<float, 8> sums{};
  for (std::size_t i = 0; i < a.size(); i += sums.size()) {
    for (std::size_t j = 0; j < sums.size(); ++j) {
      const float difference = a[i + j] - b[i + j];
      sums[j] += difference * difference;
    }
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0F);
}

// Finds the nearest word of each feature: now and then among all words, on the device, and in
// between among the words that were nearest then.
class NearestWords {
 public:
  NearestWords(OpenClSession& session, const RowFile& features, const TrainingWatch& watch)
      : session_(session), features_(features), watch_(watch) {
    nearest_.words.resize(features.rows());
    nearest_.squared_distances.resize(features.rows());
  }

  void search(MatrixView<const float> words) {
    listed_ = std::min(kListedWords, words.rows());
    lists_.resize(features_.rows() * listed_);
    WordAssigner assigner(session_, words);
    features_.for_each_batch([&](std::size_t first, MatrixView<const float> rows) {
      watch_.batch();
      const Assignment found = assigner.nearest(rows, listed_);
      std::ranges::copy(found.words, lists_.begin() + static_cast<std::ptrdiff_t>(first * listed_));
      for (std::size_t i = 0; i < rows.rows(); ++i) {
        nearest_.words[first + i] = found.words[i * listed_];
        nearest_.squared_distances[first + i] = found.squared_distances[i * listed_];
      }
    });
  }

  void compare_listed(MatrixView<const float> words) {
    features_.for_each_batch([&](std::size_t first, MatrixView<const float> rows) {
      watch_.batch();
      parallel_ranges(rows.rows(), [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) compare(words, first + i, rows.row(i));
      });
    });
  }

  Assignment& get() { return nearest_; }

 private:
  void compare(MatrixView<const float> words, std::size_t feature, std::span<const float> row) {
    float& nearest = nearest_.squared_distances[feature];
    nearest = std::numeric_limits<float>::infinity();
    for (const std::uint32_t word : std::span(lists_).subspan(feature * listed_, listed_)) {
      const float distance = squared_distance(row, words.row(word));
      if (distance >= nearest) continue;
      nearest = distance;
      nearest_.words[feature] = word;
    }
  }

  OpenClSession& session_;
  const RowFile& features_;
  const TrainingWatch& watch_;
  Assignment nearest_;
  std::size_t listed_ = 0;
  std::vector<std::uint32_t> lists_;  // [n][listed_]
};

}  // namespace

void move_to_means(const RowFile& features, const std::vector<std::uint32_t>& assignment,
                   MatrixView<float> words) {
  for (std::size_t first = 0; first < words.rows(); first += kWordsAtOnce) {
    const std::size_t count = std::min(kWordsAtOnce, words.rows() - first);
    move_part(features, assignment, first, words.middle_rows(first, count));
  }
}

Seeds seed_words(OpenClSession& session, const RowFile& features, std::size_t words, Random& random,
                 const TrainingWatch& watch) {
  Seeding seeding(session, features, random, watch);
  seeding.add_first();
  while (seeding.size() < words) {
    const std::size_t round =
        std::max({std::size_t{1}, seeding.size() / kRoundDivisor, words / kMinRoundDivisor});
    if (!seeding.add_round(std::min(round, words - seeding.size()))) break;
    watch.seeds(seeding.size());
  }
  return seeding.take();
}

KMeansResult k_means(OpenClSession& session, const RowFile& features, std::vector<float> words,
                     const CodebookOptions& options, const TrainingWatch& watch) {
  KMeansResult result;
  result.words = std::move(words);
  const MatrixView<float> moving(result.words, features.cols());
  NearestWords nearest(session, features, watch);
  for (std::size_t since_search = 0; true;) {
    if (since_search == 0) {
      nearest.search(moving);
    } else {
      nearest.compare_listed(moving);
    }
    Assignment& assignment = nearest.get();
    const double before = result.objective;
    result.objective = mean(assignment.squared_distances);
    ++result.iterations;
    watch.step(result.iterations, result.objective);
    const bool settled =
        result.iterations > 1 && before - result.objective < options.min_improvement * before;
    if (settled || result.objective == 0 || result.iterations >= options.max_iterations) {
      result.assignment = std::move(assignment.words);
      return result;
    }
    // A reseeded word has moved far: search again.
    const bool reseeded = reseed_empty_words(assignment, moving.rows());
    since_search = reseeded ? 0 : (since_search + 1) % kIterationsPerSearch;
    move_to_means(features, assignment.words, moving);
  }
}

}  // namespace lookalike
