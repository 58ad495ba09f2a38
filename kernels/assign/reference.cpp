#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "base/error.h"
#include "kernels/assign/assign.h"
#include "kernels/assign/word_search.h"

namespace lookalike {
namespace {

constexpr double kRelativeTolerance = 1e-5;

double squared_distance(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += difference * difference;
  }
  return sum;
}

std::vector<double> squared_distances(MatrixView<const float> words,
                                      std::span<const float> descriptor) {
  std::vector<double> distances(words.rows());
  for (std::size_t word = 0; word < words.rows(); ++word) {
    distances[word] = squared_distance(descriptor, words.row(word));
  }
  return distances;
}

// Returns the distances of all words, infinite outside the descriptor's nearest cells.
std::vector<double> squared_distances(const Codebook& codebook, std::span<const float> descriptor) {
  const WordCells& cells = codebook.cells;
  const MatrixView<const float> centres(cells.centres, codebook.descriptor_size);
  const std::vector<double> to_centres = squared_distances(centres, descriptor);
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t cell) { return to_centres[cell]; });
  order.resize(probes_of(cells));
  std::vector<double> distances(codebook.size(), std::numeric_limits<double>::infinity());
  for (const std::size_t cell : order) {
    for (std::size_t word = cells.starts[cell]; word < cells.starts[cell + 1]; ++word) {
      distances[word] = squared_distance(descriptor, codebook.word_matrix().row(word));
    }
  }
  return distances;
}

// True if the m words found are the nearest by these distances [k] of all words.
bool are_nearest(const std::vector<double>& distances, std::span<const std::uint32_t> found,
                 std::span<const float> squared_distances) {
  std::vector<double> sorted = distances;
  std::partial_sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(found.size()),
                    sorted.end());
  for (std::size_t rank = 0; rank < found.size(); ++rank) {
    const std::uint32_t word = found[rank];
    const auto before = found.first(rank);
    if (word >= distances.size() || std::ranges::find(before, word) != before.end()) return false;
    const double distance = distances[word];
    const auto reported = static_cast<double>(squared_distances[rank]);
    if (!(distance <= sorted[rank] * (1 + kRelativeTolerance))) return false;
    if (!(std::abs(reported - distance) <= distance * kRelativeTolerance)) return false;
  }
  return true;
}

// True if the words of each descriptor are its nearest.
//   distances_of(descriptor)  returns the distances [k] of all words
template <typename DistancesOf>
bool are_nearest(MatrixView<const float> descriptors, std::size_t m, const Assignment& answer,
                 const DistancesOf& distances_of) {
  const std::size_t answers = descriptors.rows() * m;
  if (answer.words.size() != answers || answer.squared_distances.size() != answers) return false;
  for (std::size_t row = 0; row < descriptors.rows(); ++row) {
    if (!are_nearest(distances_of(descriptors.row(row)),
                     std::span(answer.words).subspan(row * m, m),
                     std::span(answer.squared_distances).subspan(row * m, m))) {
      return false;
    }
  }
  return true;
}

void check_shapes(MatrixView<const float> words, MatrixView<const float> descriptors,
                  std::size_t m) {
  require(m <= words.rows() && (descriptors.empty() || words.cols() == descriptors.cols()),
          "is_nearest: mismatched shapes");
}

}  // namespace

bool is_nearest(MatrixView<const float> words, MatrixView<const float> descriptors, std::size_t m,
                const Assignment& answer) {
  check_shapes(words, descriptors, m);
  return are_nearest(descriptors, m, answer, [&](std::span<const float> descriptor) {
    return squared_distances(words, descriptor);
  });
}

bool is_nearest(const Codebook& codebook, MatrixView<const float> descriptors, std::size_t m,
                const Assignment& answer) {
  check_shapes(codebook.word_matrix(), descriptors, m);
  return are_nearest(descriptors, m, answer, [&](std::span<const float> descriptor) {
    return squared_distances(codebook, descriptor);
  });
}

}  // namespace lookalike
