#include "stages/match/vote/shortlist.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/signature.h"

namespace lookalike {
namespace {

constexpr double kSigmaBits = 16;
constexpr double kFixedPointOne = 1 << 20;

std::vector<std::uint32_t> weights_by_distance(std::uint32_t hamming_threshold) {
  std::vector<std::uint32_t> weights(kSignatureBits + 1, 0);
  const std::size_t threshold = std::min<std::size_t>(hamming_threshold, kSignatureBits);
  for (std::size_t h = 0; h <= threshold; ++h) {
    const double ratio = static_cast<double>(h) / kSigmaBits;
    weights[h] = static_cast<std::uint32_t>(std::lround(kFixedPointOne * std::exp(-ratio * ratio)));
  }
  return weights;
}

// Calls visit(first, end) for each run of equal neighbours.
template <typename Range, typename Visit, typename Key = std::identity>
void for_each_run(const Range& range, Visit visit, Key key = {}) {
  for (std::size_t first = 0; first < range.size();) {
    std::size_t end = first + 1;
    while (end < range.size() && std::invoke(key, range[end]) == std::invoke(key, range[first])) {
      ++end;
    }
    visit(first, end);
    first = end;
  }
}

double norm_of(std::span<const QueryWord> words) {
  double sum_of_squares = 0;
  for_each_run(
      words,
      [&](std::size_t first, std::size_t end) {
        sum_of_squares += static_cast<double>((end - first) * (end - first));
      },
      &QueryWord::word);
  return std::sqrt(sum_of_squares);
}

}  // namespace

Shortlist::Shortlist(PostingsOf postings_of, const std::unordered_map<ImageId, float>& norms,
                     std::uint32_t hamming_threshold)
    : postings_of_(std::move(postings_of)),
      image_count_(norms.size()),
      vote_weights_(weights_by_distance(hamming_threshold)) {
  ImageId largest = 0;
  for (const auto& [id, norm] : norms) largest = std::max(largest, id);
  norms_.assign(std::size_t{largest} + 1, 0);
  for (const auto& [id, norm] : norms) norms_[id] = norm;
}

void Shortlist::vote(std::span<const QueryWord> same_word, Scores& scores) const {
  const auto list = postings_of_(same_word.front().word);
  const WordPostings& postings = *list;
  std::size_t images_with_word = 0;
  for_each_run(postings.images, [&](std::size_t, std::size_t) { ++images_with_word; });
  const double idf = std::log(1 + (static_cast<double>(image_count_) + 0.5) /
                                      (static_cast<double>(images_with_word) + 0.5));
  for_each_run(postings.images, [&](std::size_t first, std::size_t end) {
    const ImageId image = postings.images[first];
    std::uint64_t sum = 0;
    std::uint64_t votes = 0;
    for (std::size_t i = first; i < end; ++i) {
      for (const QueryWord& query : same_word) {
        const std::uint32_t weight =
            vote_weights_[hamming_distance(query.signature, postings.signatures[i])];
        sum += weight;
        votes += weight > 0 ? 1 : 0;
      }
    }
    if (votes == 0 || image >= scores.size()) return;
    const double damped = static_cast<double>(sum) / std::sqrt(static_cast<double>(votes));
    scores[image] += static_cast<std::uint64_t>(std::llround(idf * idf * damped));
  });
}

std::vector<RankedImage> Shortlist::find(std::span<const QueryWord> words,
                                         std::size_t count) const {
  Scores scores(norms_.size(), 0);
  for_each_run(
      words,
      [&](std::size_t first, std::size_t end) { vote(words.subspan(first, end - first), scores); },
      &QueryWord::word);
  const double query_norm = norm_of(words) * kFixedPointOne;
  std::vector<RankedImage> ranked;
  for (std::size_t id = 0; id < scores.size(); ++id) {
    if (scores[id] == 0 || norms_[id] <= 0) continue;
    ranked.push_back({static_cast<ImageId>(id),
                      static_cast<double>(scores[id]) / (query_norm * double{norms_[id]})});
  }
  const auto better = [](const RankedImage& a, const RankedImage& b) {
    return a.score != b.score ? a.score > b.score : a.image < b.image;
  };
  count = std::min(count, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count),
                    ranked.end(), better);
  ranked.resize(count);
  return ranked;
}

}  // namespace lookalike
