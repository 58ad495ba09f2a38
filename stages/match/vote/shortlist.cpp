#include "stages/match/vote/shortlist.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "base/hamming.h"
#include "base/parallel.h"

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

// As std::llround() of a value from 0 to 2^63, without a call.
std::uint64_t rounded(double value) {
  const auto whole = static_cast<std::uint64_t>(value);
  return whole + (value - static_cast<double>(whole) >= 0.5 ? 1 : 0);
}

// Calls visit(i) for each bit that is set, ascending.
template <typename Visit>
void for_each_bit(std::uint64_t bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(std::countr_zero(bits)));
}

// Of the images that are named by bits, those that differ from the image before.
std::size_t count_changes(std::span<const ImageId> images, std::uint64_t bits, ImageId before) {
  std::size_t count = 0;
  for_each_bit(bits, [&](std::size_t i) {
    count += images[i] != (i == 0 ? before : images[i - 1]) ? 1 : 0;
  });
  return count;
}

bool is_better(const RankedImage& a, const RankedImage& b) {
  return a.score > b.score;
}

// Keeps the best `count`, and those whose score is that of the last of them, in no order.
void keep_best(std::vector<RankedImage>& images, std::size_t count) {
  if (images.size() <= count) return;
  const auto last = images.begin() + static_cast<std::ptrdiff_t>(count) - 1;
  std::nth_element(images.begin(), last, images.end(), is_better);
  const double score = last->score;
  std::erase_if(images, [&](const RankedImage& image) { return image.score < score; });
}

}  // namespace

Shortlist::Shortlist(ForEachList for_each_list, ContentOf content_of,
                     const std::unordered_map<ImageId, float>& norms, std::vector<bool> removed,
                     std::uint32_t hamming_threshold)
    : for_each_list_(std::move(for_each_list)),
      content_of_(std::move(content_of)),
      image_count_(norms.size()),
      removed_(std::move(removed)),
      hamming_threshold_(std::min<std::uint32_t>(hamming_threshold, kSignatureBits)),
      vote_weights_(weights_by_distance(hamming_threshold_)) {
  ImageId largest = 0;
  for (const auto& [id, norm] : norms) largest = std::max(largest, id);
  norms_.assign(std::size_t{largest} + 1, 0);
  for (const auto& [id, norm] : norms) norms_[id] = norm;
  while (vote_weights_[hamming_threshold_] == 0) --hamming_threshold_;  // as from 62 bits
}

// A bit for each of the first `size` images that was not removed.
std::uint64_t Shortlist::not_removed(const Block& images, std::size_t size) const {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const bool removed = images[i] < removed_.size() && removed_[images[i]];
    bits |= std::uint64_t{removed ? 0U : 1U} << i;
  }
  return bits;
}

// Appends the votes for the images of a list, image after image, and returns the number of images
// in it, with votes or without.
std::size_t Shortlist::collect(const EncodedPostings& postings,
                               std::span<const QueryWord> same_word,
                               std::vector<Votes>& votes) const {
  EncodedPostings::Images decoder(postings);
  Block images;
  SignatureDistances distances;
  std::array<Votes, kSignatureBlock> found;  // of the postings of a block
  const std::size_t first_vote = votes.size();
  std::size_t image_count = 0;
  ImageId last = 0;
  for (std::size_t first = 0; first < postings.size(); first += kSignatureBlock) {
    const std::size_t size = std::min(kSignatureBlock, postings.size() - first);
    const std::size_t changes = decoder.read(images.data(), size);
    const std::uint64_t counted = removed_.empty() ? ~std::uint64_t{0} : not_removed(images, size);
    image_count += removed_.empty() ? changes : count_changes(images, counted, last);
    last = images[size - 1];
    const std::uint8_t* signatures = postings.signatures() + first * sizeof(std::uint64_t);
    std::uint64_t voted = 0;
    for (const QueryWord& query : same_word) {
      const std::uint64_t near = counted & near_signatures(query.signature, signatures, size,
                                                           hamming_threshold_, distances);
      for_each_bit(near & ~voted, [&](std::size_t i) { found[i] = {images[i], 0, 0}; });
      voted |= near;
      for_each_bit(near, [&](std::size_t i) {
        ++found[i].count;
        found[i].weight += vote_weights_[distances[i]];
      });
    }
    for_each_bit(voted, [&](std::size_t i) {
      if (votes.size() > first_vote && votes.back().image == images[i]) {
        votes.back().count += found[i].count;
        votes.back().weight += found[i].weight;
      } else {
        votes.push_back(found[i]);
      }
    });
  }
  return image_count;
}

void Shortlist::vote(std::span<const QueryWord> same_word, std::vector<Votes>& votes,
                     Scores& scores) const {
  votes.clear();
  std::size_t images_with_word = 0;
  for_each_list_(same_word.front().word, [&](const EncodedPostings& list) {
    images_with_word += collect(list, same_word, votes);
  });
  const double idf = std::log(1 + (static_cast<double>(image_count_) + 0.5) /
                                      (static_cast<double>(images_with_word) + 0.5));
  for (const Votes& each : votes) {
    if (each.image >= scores.size()) continue;
    const auto weight = static_cast<double>(each.weight);
    const double damped =
        each.count == 1 ? weight : weight / std::sqrt(static_cast<double>(each.count));
    // Threads vote for the same images.
    std::atomic_ref(scores[each.image])
        .fetch_add(rounded(idf * idf * damped), std::memory_order_relaxed);
  }
}

std::vector<RankedImage> Shortlist::find(std::span<const QueryWord> words, std::size_t count,
                                         std::size_t threads) const {
  constexpr std::size_t kRunsAtOnce = 16;  // neighbours in the index
  std::vector<std::span<const QueryWord>> runs;
  for_each_run(
      words,
      [&](std::size_t first, std::size_t end) {
        runs.push_back(words.subspan(first, end - first));
      },
      &QueryWord::word);
  Scores scores(norms_.size(), 0);
  parallel_for((runs.size() + kRunsAtOnce - 1) / kRunsAtOnce, threads, [&](std::size_t part) {
    std::vector<Votes> votes;
    const std::size_t end = std::min(runs.size(), (part + 1) * kRunsAtOnce);
    for (std::size_t i = part * kRunsAtOnce; i < end; ++i) vote(runs[i], votes, scores);
  });
  return best(scores, norm_of(words) * kFixedPointOne, count);
}

std::vector<RankedImage> Shortlist::best(const Scores& scores, double query_norm,
                                         std::size_t count) const {
  std::vector<RankedImage> images;
  if (count == 0) return images;
  std::size_t most = std::max<std::size_t>(2 * count, 1024);
  double lowest = 0;  // score of the best so far, once there are enough
  for (std::size_t id = 0; id < scores.size(); ++id) {
    if (scores[id] == 0 || norms_[id] <= 0) continue;
    const RankedImage image = {static_cast<ImageId>(id),
                               static_cast<double>(scores[id]) / (query_norm * double{norms_[id]})};
    if (image.score < lowest) continue;
    images.push_back(image);
    if (images.size() < most) continue;
    keep_best(images, count);
    lowest = std::ranges::max_element(images, is_better)->score;
    most = std::max(most, 2 * images.size());
  }
  keep_best(images, count);
  std::ranges::sort(images, is_better);
  order_ties(images, count);
  images.resize(std::min(images.size(), count));
  return images;
}

// Orders those of the first `count` that have the same score, and what ties with them.
void Shortlist::order_ties(std::vector<RankedImage>& ranked, std::size_t count) const {
  for_each_run(
      ranked,
      [&](std::size_t first, std::size_t end) {
        if (end - first < 2 || first >= count) return;
        std::vector<std::pair<ContentHash, ImageId>> tied;
        for (std::size_t i = first; i < end; ++i) {
          tied.emplace_back(content_of_(ranked[i].image), ranked[i].image);
        }
        std::ranges::sort(tied);
        for (std::size_t i = first; i < end; ++i) ranked[i].image = tied[i - first].second;
      },
      &RankedImage::score);
}

}  // namespace lookalike
