#include "stages/match/vote/shortlist.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <utility>

#include "base/hamming.h"
#include "base/parallel.h"
#include "stages/match/vote/runs.h"

namespace lookalike {
namespace {

// Counts the images at set bits that differ from the image before.
std::size_t count_changes(std::span<const ImageId> images, std::uint64_t bits, ImageId before) {
  std::size_t count = 0;
  for_each_bit(bits, [&](std::size_t i) {
    count += images[i] != (i == 0 ? before : images[i - 1]) ? 1 : 0;
  });
  return count;
}

// Returns a bit for each of the images, set if it is in the set.
std::uint64_t members(std::span<const ImageId> images, const ImageSet& set) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    bits |= std::uint64_t{set.contains(images[i]) ? 1U : 0U} << i;
  }
  return bits;
}

// Numbers the postings of each image in a list, which is read block by block.
class ImageRuns {
 public:
  // Returns the number of postings of the same image before the i-th of the block.
  std::uint32_t place(std::span<const ImageId> block, std::size_t i) const {
    std::size_t first = i;
    while (first > 0 && block[first - 1] == block[i]) --first;
    const auto place = static_cast<std::uint32_t>(i - first);
    return first == 0 && block[0] == last_ ? before_ + place : place;
  }

  // Leaves a block, which is not empty, for the next one.
  void leave(std::span<const ImageId> block) {
    before_ = place(block, block.size() - 1) + 1;
    last_ = block.back();
  }

 private:
  ImageId last_ = 0;          // of the blocks so far
  std::uint32_t before_ = 0;  // its postings so far
};

}  // namespace

Shortlist::Shortlist(ForEachList for_each_list, ContentOf content_of, std::vector<float> norms,
                     std::vector<bool> removed, std::uint32_t hamming_threshold)
    : for_each_list_(std::move(for_each_list)),
      content_of_(std::move(content_of)),
      norms_(std::move(norms)),
      image_count_(static_cast<std::size_t>(
          std::ranges::count_if(norms_, [](float norm) { return norm >= 0; }))),
      removed_(std::move(removed)),
      hamming_threshold_(hamming_threshold),
      vote_weights_(voting_weights(hamming_threshold)) {}

void Shortlist::load(const OpenClSession& session, const ForEachList& for_each_list,
                     std::size_t words, std::uint64_t postings, std::size_t threads) {
  const DeviceVotes::Index index = {for_each_list, words, postings, image_count_, norms_, removed_};
  device_ = std::make_unique<DeviceVotes>(session, index, vote_weights_, threads);
}

// Returns a bit for each of the first `size` images, set unless it was removed.
std::uint64_t Shortlist::not_removed(const Block& images, std::size_t size) const {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const bool removed = images[i] < removed_.size() && removed_[images[i]];
    bits |= std::uint64_t{removed ? 0U : 1U} << i;
  }
  return bits;
}

// Adds the votes for the images of a list, in order, and the pairs if wanted; returns the number of
// its images, with votes or without.
//   first_word  number of the first query word
std::size_t Shortlist::collect(const EncodedPostings& postings,
                               std::span<const QueryWord> same_word, std::uint32_t first_word,
                               Part& part) const {
  EncodedPostings::Images decoder(postings);
  Block block;
  ImageRuns runs;
  SignatureDistances distances;
  std::array<Votes, kSignatureBlock> found;
  std::vector<Votes>& votes = part.votes;
  const std::size_t first_vote = votes.size();
  std::size_t image_count = 0;
  ImageId last = 0;
  for (std::size_t first = 0; first < postings.size(); first += kSignatureBlock) {
    const std::size_t size = std::min(kSignatureBlock, postings.size() - first);
    const std::size_t changes = decoder.read(block.data(), size);
    const std::uint64_t counted = removed_.empty() ? ~std::uint64_t{0} : not_removed(block, size);
    const std::span<const ImageId> images = std::span(block).first(size);
    image_count += removed_.empty() ? changes : count_changes(images, counted, last);
    last = images.back();
    const std::uint64_t voters =
        part.among == nullptr ? counted : counted & members(images, *part.among);
    if (voters == 0) {
      runs.leave(images);
      continue;
    }
    const std::uint8_t* signatures = postings.signatures() + first * sizeof(std::uint64_t);
    std::uint64_t voted = 0;
    for (std::uint32_t word = 0; word < same_word.size(); ++word) {
      const std::uint64_t near = voters & near_signatures(same_word[word].signature, signatures,
                                                          size, vote_weights_.threshold, distances);
      for_each_bit(near & ~voted, [&](std::size_t i) { found[i] = {images[i], 0, 0}; });
      voted |= near;
      for_each_bit(near, [&](std::size_t i) {
        ++found[i].count;
        found[i].weight += vote_weights_.weights[distances[i]];
      });
      if (!part.keeps_pairs) continue;
      for_each_bit(near, [&](std::size_t i) {
        part.seen.pairs.push_back(
            {images[i],
             {first_word + word, runs.place(images, i), static_cast<std::uint32_t>(distances[i])}});
      });
    }
    part.keeps_pairs = part.keeps_pairs && part.seen.pairs.size() <= kMostSeenPairs;
    runs.leave(images);
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

void Shortlist::vote(std::span<const QueryWord> same_word, std::uint32_t first_word, Part& part,
                     Scores& scores) const {
  part.votes.clear();
  std::size_t images_with_word = 0;
  for_each_list_(same_word.front().word, [&](const EncodedPostings& list) {
    images_with_word += collect(list, same_word, first_word, part);
  });
  const double idf = inverse_frequency(image_count_, images_with_word);
  for (const Votes& each : part.votes) {
    if (each.image >= scores.size()) continue;
    // Threads vote for the same images.
    std::atomic_ref(scores[each.image])
        .fetch_add(vote_score(idf, each.count, each.weight), std::memory_order_relaxed);
  }
}

std::vector<RankedImage> Shortlist::find(std::span<const QueryWord> words, std::size_t count,
                                         std::size_t threads, SeenPairs* seen,
                                         const ImageSet* among, std::size_t most_seen) const {
  if (seen) *seen = {};
  const double query_norm = norm_of(words, &QueryWord::word) * kVotingOne;
  if (device_ && among == nullptr && !words.empty()) {
    VotingQuery query{.features = {}, .norm = query_norm};
    for (const QueryWord& each : words) query.features.push_back({each.word, each.signature});
    try {
      const std::vector<VotedImage> voted = device_->vote(std::move(query), count);
      return best(query_norm, count, [&](const auto& visit) {
        for (const VotedImage& each : voted) visit(each.image, each.score);
      });
    } catch (const DeviceOutOfMemory&) {
      // The scores do not fit: vote on the host.
    }
  }
  const Scores scores = host_scores(words, threads, seen, among, most_seen);
  return best(query_norm, count, [&](const auto& visit) {
    for (std::size_t id = 0; id < scores.size(); ++id) visit(id, scores[id]);
  });
}

Shortlist::Scores Shortlist::host_scores(std::span<const QueryWord> words, std::size_t threads,
                                         SeenPairs* seen, const ImageSet* among,
                                         std::size_t most_seen) const {
  constexpr std::size_t kRunsAtOnce = 16;  // neighbours in the index
  const std::vector<std::span<const QueryWord>> runs = word_runs(words);
  Scores scores(norms_.size(), 0);
  std::vector<SeenPairs::Part> parts((runs.size() + kRunsAtOnce - 1) / kRunsAtOnce);
  // Beyond the distance of votes there may be further pairs.
  const bool keeps_pairs = seen && vote_weights_.threshold == hamming_threshold_;
  std::atomic<std::size_t> pair_count = 0;
  parallel_for(parts.size(), threads, [&](std::size_t i) {
    const std::size_t first = i * kRunsAtOnce;
    const std::size_t end = std::min(runs.size(), first + kRunsAtOnce);
    Part part;
    part.keeps_pairs = keeps_pairs;
    part.among = among;
    part.seen.first = part.seen.end = static_cast<std::uint32_t>(runs[first].data() - words.data());
    for (std::size_t run = first; run < end; ++run) {
      part.keeps_pairs = part.keeps_pairs && pair_count < most_seen;
      const std::size_t before = part.seen.pairs.size();
      vote(runs[run], static_cast<std::uint32_t>(runs[run].data() - words.data()), part, scores);
      if (!part.keeps_pairs) {
        part.seen.pairs.resize(before);
        continue;
      }
      part.seen.end += static_cast<std::uint32_t>(runs[run].size());
      pair_count += part.seen.pairs.size() - before;
    }
    parts[i] = std::move(part.seen);
  });
  if (keeps_pairs) *seen = {{words.begin(), words.end()}, std::move(parts)};
  return scores;
}

// for_each(visit) calls visit(id, score) for each image that may be among the best, in any order.
template <typename ForEach>
std::vector<RankedImage> Shortlist::best(double query_norm, std::size_t count,
                                         const ForEach& for_each) const {
  BestImages best(count);
  for_each([&](std::size_t id, std::uint64_t score) {
    if (score == 0 || norms_[id] <= 0) return;
    best.add(
        {static_cast<ImageId>(id), static_cast<double>(score) / (query_norm * double{norms_[id]})});
  });
  return best.ranked(content_of_);
}

}  // namespace lookalike
