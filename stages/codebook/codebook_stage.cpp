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

// Features per word from which seeds are drawn and moved to their means, at a fraction of the cost
// of all features. On the SURF descriptors of 500 photos (163,840 features, 4096 words) the
// objective was 0.8 % higher with 8 features a word than with 20, and 0.25 % with 13.
constexpr std::size_t kStartFeaturesPerWord = 12;

// Training features per cell centre.
constexpr std::size_t kFeaturesPerCentre = 64;

// Default numbers of cells, and the words from which they apply. The share of features that lose
// their nearest word: docs/measurements/performance.md, "More words".
constexpr std::size_t kFewestWordsWithCells = 16384;  // fewer are compared all at once
constexpr std::size_t kCellsOfTrainedWords = 64;
// Training more words on all features together takes too long: they are trained cell by cell.
constexpr std::size_t kMostWordsTrainedTogether = 65536;
constexpr std::size_t kCellsTrainedFirst = 512;

// Words whose thresholds are set between two calls of the watch.
constexpr std::size_t kWordsPerBatch = 4096;

// What every step of training needs.
struct Training {
  OpenClSession& session;
  const CodebookOptions& options;
  Random& random;
  const TrainingWatch& watch;
};

// Returns every step-th row.
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

std::vector<float> start_words(const Training& training, const RowFile& features,
                               std::size_t words) {
  const auto start = [&](const RowFile& part) {
    Seeds seeds = seed_words(training.session, part, words, training.random, training.watch);
    move_to_means(part, seeds.assignment, {seeds.words, part.cols()});
    return seeds.words;
  };
  const std::size_t step = features.rows() / (words * kStartFeaturesPerWord);
  return step < 2 ? start(features) : start(every(step, features));
}

KMeansResult train_words(const Training& training, const RowFile& features, std::size_t words) {
  return k_means(training.session, features, start_words(training, features, words),
                 training.options, training.watch);
}

// Returns the rows [first, first + count).
RowFile part_of(const RowFile& features, std::size_t first, std::size_t count) {
  RowFile part(features.folder(), features.cols());
  for (std::size_t done = 0; done < count; done += RowFile::kBatchRows) {
    const std::size_t rows = std::min(RowFile::kBatchRows, count - done);
    part.write(done, {features.read(first + done, rows), features.cols()});
  }
  return part;
}

// Returns the word, or cell, of each feature [n] among those of the assigner.
std::vector<std::uint32_t> assign_all(WordAssigner& assigner, const RowFile& features,
                                      const TrainingWatch& watch) {
  std::vector<std::uint32_t> words;
  words.reserve(features.rows());
  features.for_each_batch([&](std::size_t /*first*/, MatrixView<const float> rows) {
    watch.batch();
    const Assignment found = assigner.assign(rows);
    words.insert(words.end(), found.words.begin(), found.words.end());
  });
  return words;
}

// Features sorted by cell, stably.
struct SortedFeatures {
  RowFile features;
  std::vector<std::size_t> starts;  // [c + 1]: where each cell's features begin
};

SortedFeatures sort_by_cell(const RowFile& features, const std::vector<std::uint32_t>& cell_of,
                            std::size_t cells) {
  SortedFeatures sorted{RowFile(features.folder(), features.cols()),
                        std::vector<std::size_t>(cells + 1)};
  for (const std::uint32_t cell : cell_of) ++sorted.starts[cell + 1];
  std::partial_sum(sorted.starts.begin(), sorted.starts.end(), sorted.starts.begin());
  std::vector<std::size_t> next(sorted.starts.begin(), sorted.starts.end() - 1);
  features.for_each_batch([&](std::size_t first, MatrixView<const float> rows) {
    std::vector<std::vector<float>> of_cells(cells);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const auto row = rows.row(i);
      std::vector<float>& own = of_cells[cell_of[first + i]];
      own.insert(own.end(), row.begin(), row.end());
    }
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const MatrixView<const float> own(of_cells[cell], rows.cols());
      sorted.features.write(next[cell], own);
      next[cell] += own.rows();
    }
  });
  return sorted;
}

std::vector<float> train_centres(const Training& training, const RowFile& features,
                                 std::size_t cells) {
  const std::size_t step = features.rows() / (cells * kFeaturesPerCentre);
  return step < 2 ? train_words(training, features, cells).words
                  : train_words(training, every(step, features), cells).words;
}

void start_cells(Codebook& codebook) {
  codebook.cells.probes = WordCells::kMaxProbes;
  codebook.cells.starts = {0};
}

// Appends a cell of the words up to `end` that lie in no cell yet.
void add_cell(std::span<const float> centre, std::size_t end, Codebook& codebook) {
  codebook.cells.starts.push_back(static_cast<std::uint32_t>(end));
  codebook.cells.centres.insert(codebook.cells.centres.end(), centre.begin(), centre.end());
}

// Sets the words and cells of a codebook.
void train_cells(const Training& training, const Sample& sample, std::size_t cells,
                 Codebook& codebook) {
  const std::vector<float> centres = train_centres(training, sample.features, cells);
  const MatrixView<const float> centre_rows(centres, codebook.descriptor_size);
  const SortedFeatures sorted = [&] {
    WordAssigner assigner(training.session, centre_rows);
    return sort_by_cell(sample.features, assign_all(assigner, sample.features, training.watch),
                        centre_rows.rows());
  }();
  // Words allotted to all cells that end at or before `feature`. Cumulative, so that the total is
  // exact; words that a cell cannot use pass to the next.
  const auto words_up_to = [&](std::size_t feature) {
    const double share = static_cast<double>(feature) / static_cast<double>(sample.features.rows());
    return static_cast<std::size_t>(std::llround(share * static_cast<double>(sample.words)));
  };
  const TrainingWatch batches{.batch = training.watch.batch};
  const Training of_cell{training.session, training.options, training.random, batches};
  start_cells(codebook);
  for (std::size_t cell = 0; cell < centre_rows.rows(); ++cell) {
    const std::size_t first = sorted.starts[cell];
    const std::size_t features = sorted.starts[cell + 1] - first;
    const std::size_t words =
        std::min(features, words_up_to(sorted.starts[cell + 1]) - codebook.size());
    if (words == 0) continue;
    const KMeansResult result =
        train_words(of_cell, part_of(sorted.features, first, features), words);
    codebook.words.insert(codebook.words.end(), result.words.begin(), result.words.end());
    add_cell(centre_rows.row(cell), codebook.size(), codebook);
    training.watch.step(training.options.max_iterations + cell + 1, result.objective);
  }
}

// True if the cells are made first, and words are trained in each.
bool trains_by_cells(std::size_t words, const CodebookOptions& options) {
  return options.cells > 1 || (options.cells == 0 && words > kMostWordsTrainedTogether);
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

// Features sorted by word, then by number.
struct Members {
  std::vector<std::uint32_t> features;  // [n]
  std::vector<std::size_t> starts;      // [k + 1]: where each word's features begin

  std::span<const std::uint32_t> of(std::size_t word) const {
    return std::span(features).subspan(starts[word], starts[word + 1] - starts[word]);
  }
};

Members members_of(const std::vector<std::uint32_t>& assignment, std::size_t words) {
  Members members{std::vector<std::uint32_t>(assignment.size()),
                  std::vector<std::size_t>(words + 1)};
  for (const std::uint32_t word : assignment) ++members.starts[word + 1];
  std::partial_sum(members.starts.begin(), members.starts.end(), members.starts.begin());
  std::vector<std::size_t> next(members.starts.begin(), members.starts.end() - 1);
  for (std::size_t i = 0; i < assignment.size(); ++i) {
    members.features[next[assignment[i]]++] = static_cast<std::uint32_t>(i);
  }
  return members;
}

// Returns the medians of the members' projections; at least one member.
Projections word_thresholds(const Projector& project, const RowFile& features,
                            std::span<const std::uint32_t> members) {
  std::vector<Projections> projections;
  std::vector<float> feature(features.cols());
  for (const std::uint32_t member : members) {
    features.read(member, {feature, features.cols()});
    projections.push_back(project(feature));
  }
  Projections thresholds{};
  std::vector<float> column(members.size());
  for (std::size_t bit = 0; bit < kSignatureBits; ++bit) {
    std::ranges::transform(projections, column.begin(),
                           [bit](const Projections& values) { return values[bit]; });
    thresholds[bit] = median(column);
  }
  return thresholds;
}

}  // namespace

std::size_t cell_count(std::size_t words, const CodebookOptions& options) {
  if (options.cells > 0) return std::min<std::size_t>(words, options.cells);
  if (words < kFewestWordsWithCells) return 1;
  return trains_by_cells(words, options) ? kCellsTrainedFirst : kCellsOfTrainedWords;
}

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
  const Members members = members_of(assignment, words);
  std::vector<float> thresholds(words * kSignatureBits);
  const MatrixView<float> rows(thresholds, kSignatureBits);
  for (std::size_t batch = 0; batch < words; batch += kWordsPerBatch) {
    watch.batch();
    const std::size_t count = std::min(kWordsPerBatch, words - batch);
    parallel_ranges(count, [&](std::size_t first, std::size_t last) {
      for (std::size_t word = batch + first; word < batch + last; ++word) {
        const auto own = members.of(word);
        std::ranges::copy(own.empty() ? project(codebook.word_matrix().row(word))
                                      : word_thresholds(project, features, own),
                          rows.row(word).begin());
      }
    });
  }
  return thresholds;
}

void group_words(OpenClSession& session, const std::filesystem::path& folder, std::size_t cells,
                 const CodebookOptions& options, const TrainingWatch& watch, Codebook& codebook) {
  RowFile words(folder, codebook.descriptor_size);
  words.write(0, codebook.word_matrix());
  Random random(options.seed);
  const TrainingWatch batches{.batch = watch.batch};
  const KMeansResult grouped = train_words({session, options, random, batches}, words, cells);
  const MatrixView<const float> centres(grouped.words, words.cols());
  const SortedFeatures sorted = sort_by_cell(words, grouped.assignment, centres.rows());
  codebook.words = sorted.features.read(0, words.rows());
  start_cells(codebook);
  for (std::size_t cell = 0; cell < centres.rows(); ++cell) {
    const std::size_t end = sorted.starts[cell + 1];
    if (end > sorted.starts[cell]) add_cell(centres.row(cell), end, codebook);
  }
}

Codebook train_codebook(OpenClSession& session, const Sample& sample,
                        const CodebookOptions& options, const TrainingWatch& watch) {
  Random random(options.seed);
  const Training training{session, options, random, watch};
  Codebook codebook;
  codebook.descriptor_size = sample.features.cols();
  std::vector<std::uint32_t> assignment;
  const std::size_t cells = cell_count(sample.words, options);
  if (trains_by_cells(sample.words, options)) {
    train_cells(training, sample, cells, codebook);
  } else {
    KMeansResult result = train_words(training, sample.features, sample.words);
    codebook.words = std::move(result.words);
    assignment = std::move(result.assignment);
    if (cells > 1) {
      group_words(session, sample.features.folder(), cells, options, watch, codebook);
    }
  }
  if (cells > 1) {
    WordAssigner assigner(session, codebook);
    assignment = assign_all(assigner, sample.features, watch);
  }
  codebook.projection = random_projection(codebook.descriptor_size, random);
  codebook.thresholds = signature_thresholds(codebook, sample.features, assignment, watch);
  return codebook;
}

}  // namespace lookalike
