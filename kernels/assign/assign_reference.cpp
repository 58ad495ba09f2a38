#include <algorithm>
#include <cmath>
#include <span>

#include "base/error.h"
#include "kernels/assign/assign.h"

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

}  // namespace

bool is_nearest(MatrixView<const float> words, MatrixView<const float> descriptors, std::size_t m,
                const Assignment& answer) {
  require(m <= words.rows() && (descriptors.empty() || words.cols() == descriptors.cols()),
          "is_nearest: mismatched shapes");
  const std::size_t answers = descriptors.rows() * m;
  if (answer.words.size() != answers || answer.squared_distances.size() != answers) return false;
  std::vector<double> distances(words.rows());
  for (std::size_t row = 0; row < descriptors.rows(); ++row) {
    for (std::size_t word = 0; word < words.rows(); ++word) {
      distances[word] = squared_distance(descriptors.row(row), words.row(word));
    }
    std::vector<double> sorted = distances;
    std::partial_sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(m),
                      sorted.end());
    const std::uint32_t* found = answer.words.data() + row * m;
    for (std::size_t rank = 0; rank < m; ++rank) {
      const std::uint32_t word = found[rank];
      const bool is_repeated = std::find(found, found + rank, word) != found + rank;
      if (word >= words.rows() || is_repeated) return false;
      const double distance = distances[word];
      const auto reported = static_cast<double>(answer.squared_distances[row * m + rank]);
      if (distance > sorted[rank] * (1 + kRelativeTolerance)) return false;
      if (std::abs(reported - distance) > distance * kRelativeTolerance) return false;
    }
  }
  return true;
}

}  // namespace lookalike
