#include "stages/codebook/signature_training.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "pipeline/error.h"
#include "pipeline/parallel_ranges.h"
#include "pipeline/signature.h"
#include "stages/codebook/kmeans.h"

namespace lookalike {
namespace {

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

Projections word_thresholds(const Projector& project, MatrixView<const float> features,
                            std::span<const std::size_t> members) {
  std::vector<Projections> projections;
  for (const std::size_t member : members) projections.push_back(project(features.row(member)));
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

std::vector<float> random_projection(std::size_t descriptor_size, Random& random) {
  require(descriptor_size >= kSignatureBits, "random_projection: more rows than dimensions");
  std::vector<double> rows(kSignatureBits * descriptor_size);
  for (double& value : rows) value = random.normal();
  const auto row = [&](std::size_t i) {
    return Row(rows).subspan(i * descriptor_size, descriptor_size);
  };
  for (std::size_t i = 0; i < kSignatureBits; ++i) {
    for (int pass = 0; pass < 2; ++pass) {  // the second takes what rounding left of the first
      for (std::size_t j = 0; j < i; ++j) subtract(row(i), dot(row(i), row(j)), row(j));
    }
    const double length = std::sqrt(dot(row(i), row(i)));
    for (double& value : row(i)) value /= length;
  }
  return {rows.begin(), rows.end()};
}

std::vector<float> signature_thresholds(const Codebook& codebook, MatrixView<const float> features,
                                        const std::vector<std::uint32_t>& assignment) {
  const std::size_t words = codebook.size();
  const Projector project(codebook);
  const Members members = members_of(assignment, words);
  std::vector<float> thresholds(words * kSignatureBits);
  parallel_ranges(words, [&](std::size_t first, std::size_t last) {
    for (std::size_t word = first; word < last; ++word) {
      const std::span of_word =
          std::span(members.order)
              .subspan(members.starts[word], members.starts[word + 1] - members.starts[word]);
      const Projections row = of_word.empty() ? project(codebook.word_matrix().row(word))
                                              : word_thresholds(project, features, of_word);
      std::ranges::copy(row,
                        thresholds.begin() + static_cast<std::ptrdiff_t>(word * kSignatureBits));
    }
  });
  return thresholds;
}

}  // namespace lookalike
