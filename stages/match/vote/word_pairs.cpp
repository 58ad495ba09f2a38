#include "stages/match/vote/word_pairs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "base/hamming.h"
#include "base/parallel.h"
#include "stages/match/vote/image_runs.h"

namespace lookalike {
namespace {

// The place of each image in a list of images.
class Places {
 public:
  explicit Places(std::span<const ImageId> images) {
    if (!images.empty()) end_ = std::ranges::max(images) + 1;
    places_.resize(end_, kNone);
    listed_.resize(end_ / kBits + 1);
    for (std::size_t i = 0; i < images.size(); ++i) {
      places_[images[i]] = static_cast<std::uint32_t>(i);
      listed_[images[i] / kBits] |= std::uint64_t{1} << images[i] % kBits;
    }
  }

  // Returns kNone for an image that the list lacks.
  std::uint32_t of(ImageId image) const { return image < end_ ? places_[image] : kNone; }

  // Sets a bit for each image of a block that is in the list. Looks into bits, of which more than
  // of the places fit a cache.
  std::uint64_t listed(std::span<const ImageId> block) const {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
      const ImageId image = std::min(block[i], end_);  // end_ is not in the list
      bits |= (listed_[image / kBits] >> image % kBits & 1U) << i;
    }
    return bits;
  }

  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

 private:
  static constexpr ImageId kBits = 64;

  ImageId end_ = 0;  // after the last image
  std::vector<std::uint32_t> places_;
  std::vector<std::uint64_t> listed_;
};

// A pair of the image at a place of the list.
struct PlacedPair {
  std::uint32_t image = 0;
  WordPair pair;
};

// The postings of a list that belong to the wanted images.
class WantedPostings {
 public:
  // Replaces what was read before. Reads only the signatures of wanted postings, since signatures
  // are most of a list's bytes.
  void read(const EncodedPostings& list, const Places& wanted) {
    postings_.clear();
    EncodedPostings::Images decoder(list);
    ImageRuns runs;
    std::array<ImageId, kSignatureBlock> ids{};
    for (std::size_t begin = 0; begin < list.size(); begin += ids.size()) {
      const auto block = std::span(ids).first(std::min(ids.size(), list.size() - begin));
      decoder.read(block.data(), block.size());
      for_each_bit(wanted.listed(block), [&](std::size_t i) {
        postings_.push_back({static_cast<std::uint32_t>(begin + i), wanted.of(block[i]),
                             runs.place(block, i)});
      });
      runs.end(block);
    }
    // Apart from the loop above, so that the processor waits for several at a time.
    signatures_.resize(postings_.size());
    for (std::size_t i = 0; i < postings_.size(); ++i) {
      std::memcpy(&signatures_[i], list.signatures() + postings_[i].number * sizeof(Signature),
                  sizeof(Signature));
    }
  }

  std::size_t size() const { return postings_.size(); }
  std::uint32_t image(std::size_t i) const { return postings_[i].image; }
  std::uint32_t place(std::size_t i) const { return postings_[i].place; }
  // u64 each, from the i-th on.
  const std::uint8_t* signatures(std::size_t i) const { return signatures_[i].data(); }

 private:
  using Signature = std::array<std::uint8_t, sizeof(std::uint64_t)>;

  struct Posting {
    std::uint32_t number = 0;  // in the list
    std::uint32_t image = 0;   // its place among the wanted ones
    std::uint32_t place = 0;   // among the postings of the image
  };
  std::vector<Posting> postings_;
  std::vector<Signature> signatures_;
};

// Appends the pairs of postings and query words, which are of one word; numbers[i] is that of
// words[i] in the query.
void append_pairs(const WantedPostings& postings, std::span<const QueryWord> words,
                  std::span<const std::uint32_t> numbers, std::uint32_t hamming_threshold,
                  std::vector<PlacedPair>& pairs) {
  SignatureDistances distances;
  for (std::size_t begin = 0; begin < postings.size(); begin += kSignatureBlock) {
    const std::size_t size = std::min(kSignatureBlock, postings.size() - begin);
    for (std::uint32_t word = 0; word < words.size(); ++word) {
      const std::uint64_t near = near_signatures(words[word].signature, postings.signatures(begin),
                                                 size, hamming_threshold, distances);
      for_each_bit(near, [&](std::size_t i) {
        pairs.push_back(
            {postings.image(begin + i),
             {numbers[word], postings.place(begin + i), static_cast<std::uint32_t>(distances[i])}});
      });
    }
  }
}

// Words of a query, and their numbers in it.
struct NumberedWords {
  void add(const QueryWord& word, std::uint32_t number) {
    words.push_back(word);
    numbers.push_back(number);
  }

  std::vector<QueryWord> words;
  std::vector<std::uint32_t> numbers;
};

// A query's words apart: those whose pairs were seen, and others.
struct SplitWords {
  SplitWords(std::span<const QueryWord> query, std::span<const QueryWord> seen)
      : number_of_seen(seen.size(), kNone) {
    const auto order = [](const QueryWord& word) { return std::pair(word.word, word.feature); };
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < query.size(); ++i) {
      while (next < seen.size() && order(seen[next]) < order(query[i])) ++next;
      if (next < seen.size() && order(seen[next]) == order(query[i])) {
        number_of_seen[next] = i;
      } else {
        unseen.add(query[i], i);
      }
    }
  }

  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::uint32_t> number_of_seen;  // in the query; kNone if it lacks the word
  NumberedWords unseen;
};

// Returns the pairs that were seen of the images, numbered as in the query.
std::vector<PlacedPair> seen_pairs(const SeenPairs& seen, const Places& images,
                                   std::span<const std::uint32_t> numbers) {
  std::vector<PlacedPair> pairs;
  for (const std::vector<ImagePair>& part : seen.parts) {
    for (const auto& [image, pair] : part) {
      const std::uint32_t place = images.of(image);
      const std::uint32_t number = numbers[pair.query_word];
      if (place == Places::kNone || number == SplitWords::kNone) continue;
      pairs.push_back({place, {number, pair.place, pair.distance}});
    }
  }
  return pairs;
}

}  // namespace

std::vector<std::vector<WordPair>> word_pairs(std::span<const QueryWord> words,
                                              std::span<const ImageId> images,
                                              const ForEachList& for_each_list,
                                              std::uint32_t hamming_threshold, std::size_t threads,
                                              const SeenPairs& seen) {
  const Places places(images);
  const SplitWords split(words, seen.words);
  const NumberedWords& unseen = split.unseen;
  const std::vector<std::span<const QueryWord>> runs = word_runs(unseen.words);
  constexpr std::size_t kRunsAtOnce = 64;  // neighbours in the index
  std::vector<std::vector<PlacedPair>> parts(1 + (runs.size() + kRunsAtOnce - 1) / kRunsAtOnce);
  parts.front() = seen_pairs(seen, places, split.number_of_seen);
  parallel_for(parts.size() - 1, threads, [&](std::size_t part) {
    WantedPostings postings;
    const std::size_t last = std::min(runs.size(), (part + 1) * kRunsAtOnce);
    for (std::size_t i = part * kRunsAtOnce; i < last; ++i) {
      const auto first = static_cast<std::size_t>(runs[i].data() - unseen.words.data());
      const auto numbers = std::span(unseen.numbers).subspan(first, runs[i].size());
      for_each_list(runs[i].front().word, [&](const EncodedPostings& list) {
        postings.read(list, places);
        append_pairs(postings, runs[i], numbers, hamming_threshold, parts[part + 1]);
      });
    }
  });
  std::vector<std::size_t> counts(images.size());
  for (const std::vector<PlacedPair>& part : parts) {
    for (const PlacedPair& each : part) ++counts[each.image];
  }
  std::vector<std::vector<WordPair>> pairs(images.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].reserve(counts[i]);
  for (std::vector<PlacedPair>& part : parts) {
    for (const PlacedPair& each : part) pairs[each.image].push_back(each.pair);
    part = {};
  }
  return pairs;
}

}  // namespace lookalike
