#include "stages/codebook/seeding.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace lookalike {
namespace {

// Of the words that there are: how many a round adds. On SURF descriptors the objective of a
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

}  // namespace

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

}  // namespace lookalike
