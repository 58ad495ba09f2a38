#include "stages/codebook/codebook_stage.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "base/signature.h"

namespace lookalike {
namespace {

// Words start on a part of the features, at a fraction of the cost. On 500 small photos (131,072
// features, 2048 words) the objective after two iterations on all features was then that of three
// without, and seeding took a fifth of the time.
constexpr std::size_t kStartFeaturesPerWord = 16;
constexpr std::uint32_t kStartIterations = 4;

// Every step-th row.
RowFile every(std::size_t step, const RowFile& features) {
  RowFile part(features.folder(), features.cols());
  std::size_t next = 0;
  features.for_each_batch([&](std::size_t first, MatrixView<const float> rows) {
    std::vector<float> taken;
    for (; next < first + rows.rows(); next += step) {
      const auto row = rows.row(next - first);
      taken.insert(taken.end(), row.begin(), row.end());
    }
    part.write(part.rows(), {taken, rows.cols()});
  });
  return part;
}

std::vector<float> start_words(OpenClSession& session, const Sample& sample, Random& random,
                               CodebookOptions options, TrainingWatch watch) {
  const auto seeds = [&](const RowFile& features) {
    return seed_words(session, features, sample.words, random, watch);
  };
  const std::size_t step = sample.features.rows() / (sample.words * kStartFeaturesPerWord);
  if (step < 2) return seeds(sample.features);
  const RowFile part = every(step, sample.features);
  options.max_iterations = std::min(options.max_iterations, kStartIterations);
  watch.iteration = TrainingWatch{}.iteration;
  return k_means(session, part, seeds(part), options, watch).words;
}

using Row = std::span<double>;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void subtract(Row row, double factor, std::span<const double> other) {
  for (std::size_t i = 0; i < row.size(); ++i) row[i] -= factor * other[i];
}

float median(std::vector<float>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

Projections word_thresholds(const Projector& project, MatrixView<const float> members) {
  std::vector<Projections> projections;
  for (std::size_t i = 0; i < members.rows(); ++i) projections.push_back(project(members.row(i)));
  Projections thresholds{};
  std::vector<float> column(members.rows());
  for (std::size_t bit = 0; bit < kSignatureBits; ++bit) {
    std::ranges::transform(projections, column.begin(),
                           [bit](const Projections& values) { return values[bit]; });
    thresholds[bit] = median(column);
  }
  return thresholds;
}

// The first feature of each word among features sorted by word [k + 1].
std::vector<std::size_t> starts_of(const std::vector<std::uint32_t>& assignment,
                                   std::size_t words) {
  std::vector<std::size_t> starts(words + 1);
  for (const std::uint32_t word : assignment) ++starts[word + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  return starts;
}

// One past the last word, from `first` on, whose features fit into a batch together.
std::size_t end_of_batch(const std::vector<std::size_t>& starts, std::size_t first) {
  const auto past =
      std::upper_bound(starts.begin(), starts.end(), starts[first] + RowFile::kBatchRows);
  return std::max(first + 1, static_cast<std::size_t>(past - starts.begin()) - 1);
}

// The features of the words [first, last), sorted by word.
std::vector<float> features_of_words(const RowFile& features,
                                     const std::vector<std::uint32_t>& assignment,
                                     const std::vector<std::size_t>& starts, std::size_t first,
                                     std::size_t last) {
  std::vector<float> values((starts[last] - starts[first]) * features.cols());
  const MatrixView<float> members(values, features.cols());
  std::vector<std::size_t> next(starts.begin() + static_cast<std::ptrdiff_t>(first),
                                starts.begin() + static_cast<std::ptrdiff_t>(last));
  features.for_each_batch([&](std::size_t start, MatrixView<const float> rows) {
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const std::size_t word = assignment[start + i];
      if (word < first || word >= last) continue;
      std::ranges::copy(rows.row(i), members.row(next[word - first]++ - starts[first]).begin());
    }
  });
  return values;
}

}  // namespace

std::vector<float> random_projection(std::size_t descriptor_size, Random& random) {
  require(descriptor_size >= kSignatureBits, "random_projection: more rows than dimensions");
  std::vector<double> rows(kSignatureBits * descriptor_size);
  for (double& value : rows) value = random.normal();
  const auto row = [&](std::size_t i) {
    return Row(rows).subspan(i * descriptor_size, descriptor_size);
  };
  for (std::size_t i = 0; i < kSignatureBits; ++i) {
    for (int pass = 0; pass < 2; ++pass) {  // the second removes what rounding left
      for (std::size_t j = 0; j < i; ++j) subtract(row(i), dot(row(i), row(j)), row(j));
    }
    const double length = std::sqrt(dot(row(i), row(i)));
    for (double& value : row(i)) value /= length;
  }
  return {rows.begin(), rows.end()};
}

std::vector<float> signature_thresholds(const Codebook& codebook, const RowFile& features,
                                        const std::vector<std::uint32_t>& assignment,
                                        const TrainingWatch& watch) {
  const std::size_t words = codebook.size();
  const Projector project(codebook);
  const std::vector<std::size_t> starts = starts_of(assignment, words);
  std::vector<float> thresholds(words * kSignatureBits);
  const MatrixView<float> rows(thresholds, kSignatureBits);
  for (std::size_t from = 0, to = 0; from < words; from = to) {
    watch.batch();
    to = end_of_batch(starts, from);
    const std::vector<float> values = features_of_words(features, assignment, starts, from, to);
    const MatrixView<const float> batch(values, features.cols());
    parallel_ranges(to - from, [&](std::size_t first, std::size_t last) {
      for (std::size_t word = from + first; word < from + last; ++word) {
        const auto members =
            batch.middle_rows(starts[word] - starts[from], starts[word + 1] - starts[word]);
        std::ranges::copy(members.empty() ? project(codebook.word_matrix().row(word))
                                          : word_thresholds(project, members),
                          rows.row(word).begin());
      }
    });
  }
  return thresholds;
}

Codebook train_codebook(OpenClSession& session, const Sample& sample,
                        const CodebookOptions& options, const TrainingWatch& watch) {
  Random random(options.seed);
  KMeansResult result =
      k_means(session, sample.features, start_words(session, sample, random, options, watch),
              options, watch);
  Codebook codebook;
  codebook.descriptor_size = sample.features.cols();
  codebook.words = std::move(result.words);
  codebook.projection = random_projection(codebook.descriptor_size, random);
  codebook.thresholds = signature_thresholds(codebook, sample.features, result.assignment, watch);
  return codebook;
}

}  // namespace lookalike
