#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/assign/assign.h"

namespace lookalike {
namespace {

constexpr double kRelativeTolerance = 1e-5;

}  // namespace

double squared_distance_reference(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += difference * difference;
  }
  return sum;
}

Assignment nearest_reference(MatrixView<const float> words, MatrixView<const float> descriptors,
                             std::size_t m) {
  require(m <= words.rows() && (descriptors.empty() || words.cols() == descriptors.cols()),
          "nearest_reference: mismatched shapes");
  Assignment result;
  std::vector<std::pair<double, std::uint32_t>> order(words.rows());
  for (std::size_t row = 0; row < descriptors.rows(); ++row) {
    for (std::uint32_t word = 0; word < order.size(); ++word) {
      order[word] = {squared_distance_reference(descriptors.row(row), words.row(word)), word};
    }
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(m);
    std::partial_sort(order.begin(), end, order.end());
    std::for_each(order.begin(), end, [&](const auto& entry) {
      result.words.push_back(entry.second);
      result.squared_distances.push_back(static_cast<float>(entry.first));
    });
  }
  return result;
}

bool is_nearest(MatrixView<const float> words, MatrixView<const float> descriptors, std::size_t m,
                const Assignment& answer) {
  const Assignment expected = nearest_reference(words, descriptors, m);
  if (answer.words.size() != expected.words.size()) return false;
  if (answer.squared_distances.size() != expected.words.size()) return false;
  for (std::size_t i = 0; i < answer.words.size(); ++i) {
    if (answer.words[i] >= words.rows()) return false;
    const double distance =
        squared_distance_reference(descriptors.row(i / m), words.row(answer.words[i]));
    const double best = static_cast<double>(expected.squared_distances[i]);
    const double reported = static_cast<double>(answer.squared_distances[i]);
    if (distance > best * (1 + kRelativeTolerance)) return false;
    if (std::abs(reported - distance) > distance * kRelativeTolerance) return false;
  }
  return true;
}

}  // namespace lookalike
