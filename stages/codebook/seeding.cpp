#include "stages/codebook/seeding.h"

#include <algorithm>
#include <compare>
#include <limits>

#include "kernels/assign/assign.h"

namespace lookalike {
namespace {

// Of the words that there are: how many a round adds. On SURF descriptors the objective of a
// quarter is within a percent of drawing one by one (tests/stages/codebook/seeding_test.cpp).
constexpr std::size_t kRoundDivisor = 4;

class Seeding {
 public:
  Seeding(OpenClSession& session, MatrixView<const float> features, Random& random)
      : session_(session),
        features_(features),
        random_(random),
        distances_(features.rows(), std::numeric_limits<float>::infinity()),
        cumulative_(features.rows()) {}

  void add_first() {
    const double at = random_.uniform() * static_cast<double>(features_.rows());
    add({static_cast<std::size_t>(at)});
  }

  // Up to `count` different features; false when every feature is a word already.
  bool add_round(std::size_t count) {
    double sum = 0;
    for (std::size_t i = 0; i < distances_.size(); ++i) cumulative_[i] = sum += distances_[i];
    if (sum <= 0) return false;
    std::vector<std::size_t> drawn;
    for (std::size_t i = 0; i < count; ++i) drawn.push_back(draw(random_.uniform() * sum));
    drop_equal_features(drawn);
    add(drawn);
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

  // Keeps the first of those whose descriptors are the same, in the order of the features.
  void drop_equal_features(std::vector<std::size_t>& drawn) const {
    const auto compare = [&](std::size_t a, std::size_t b) {
      const auto x = features_.row(a);
      const auto y = features_.row(b);
      return std::lexicographical_compare_three_way(x.begin(), x.end(), y.begin(), y.end());
    };
    std::sort(drawn.begin(), drawn.end());
    std::stable_sort(drawn.begin(), drawn.end(),
                     [&](std::size_t a, std::size_t b) { return compare(a, b) < 0; });
    const auto equal = [&](std::size_t a, std::size_t b) { return compare(a, b) == 0; };
    drawn.erase(std::unique(drawn.begin(), drawn.end(), equal), drawn.end());
    std::sort(drawn.begin(), drawn.end());
  }

  void add(const std::vector<std::size_t>& drawn) {
    std::vector<float> fresh;
    for (const std::size_t index : drawn) {
      const auto row = features_.row(index);
      fresh.insert(fresh.end(), row.begin(), row.end());
    }
    WordAssigner assigner(session_, {fresh, features_.cols()});
    const std::vector<float> distances = assigner.assign(features_).squared_distances;
    std::transform(distances.begin(), distances.end(), distances_.begin(), distances_.begin(),
                   [](float a, float b) { return std::min(a, b); });
    words_.insert(words_.end(), fresh.begin(), fresh.end());
  }

  OpenClSession& session_;
  const MatrixView<const float> features_;
  Random& random_;
  std::vector<float> distances_;    // to the nearest word so far, squared
  std::vector<double> cumulative_;  // of distances_
  std::vector<float> words_;
};

}  // namespace

std::vector<float> seed_words(OpenClSession& session, MatrixView<const float> features,
                              std::size_t words, Random& random) {
  Seeding seeding(session, features, random);
  seeding.add_first();
  while (seeding.size() < words) {
    const std::size_t round = std::max<std::size_t>(1, seeding.size() / kRoundDivisor);
    if (!seeding.add_round(std::min(round, words - seeding.size()))) break;
  }
  return seeding.take();
}

}  // namespace lookalike
