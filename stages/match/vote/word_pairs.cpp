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

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// The place of each image in a list of images.
class Places {
 public:
  explicit Places(std::span<const ImageId> images) {
    if (!images.empty()) end_ = std::size_t{std::ranges::max(images)} + 1;
    places_.resize(end_, kNone);
    listed_.resize(end_ / kBits + 1);
    for (std::size_t i = 0; i < images.size(); ++i) {
      places_[images[i]] = static_cast<std::uint32_t>(i);
      listed_[images[i] / kBits] |= std::uint64_t{1} << images[i] % kBits;
    }
  }

  // Returns kNone for an image that the list lacks.
  std::uint32_t of(ImageId image) const { return image < end_ ? places_[image] : kNone; }

  // Sets a bit for each image of a block that is in the list. Tests a bitmap, which fits a cache
  // better than the places.
  std::uint64_t listed(std::span<const ImageId> block) const {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
      const std::size_t image = std::min<std::size_t>(block[i], end_);  // end_ is not in the list
      bits |= (listed_[image / kBits] >> image % kBits & 1U) << i;
    }
    return bits;
  }

 private:
  static constexpr std::size_t kBits = 64;

  std::size_t end_ = 0;  // after the last image
  std::vector<std::uint32_t> places_;
  std::vector<std::uint64_t> listed_;
};

// A word pair of one of the images in a list.
struct ListedPair {
  std::uint32_t at = 0;  // of the image in the list
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
        postings_.push_back(
            {static_cast<std::uint32_t>(begin + i), wanted.of(block[i]), runs.place(block, i)});
      });
      runs.leave(block);
    }
    // In a loop of its own, so that cache misses overlap.
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

// Appends the pairs of postings and query words, which are of one word.
//   numbers  of the words in the query
void append_pairs(const WantedPostings& postings, std::span<const QueryWord> words,
                  std::span<const std::uint32_t> numbers, std::uint32_t hamming_threshold,
                  std::vector<ListedPair>& pairs) {
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

// The words of a query, split into those whose pairs were seen, and others.
struct SplitWords {
  SplitWords(std::span<const QueryWord> query, const SeenPairs& seen)
      : number_of_seen(seen.words.size(), kNone) {
    const auto order = [](const QueryWord& word) { return std::pair(word.word, word.feature); };
    std::uint32_t next = 0;  // in the query
    const auto add_unseen = [&](const auto& is_before) {
      for (; next < query.size() && is_before(query[next]); ++next) unseen.add(query[next], next);
    };
    for (const SeenPairs::Part& part : seen.parts) {
      for (std::uint32_t i = part.first; i < part.end; ++i) {
        const auto known = order(seen.words[i]);
        add_unseen([&](const QueryWord& word) { return order(word) < known; });
        if (next < query.size() && order(query[next]) == known) number_of_seen[i] = next++;
      }
    }
    add_unseen([](const QueryWord&) { return true; });
  }

  std::vector<std::uint32_t> number_of_seen;  // in the query; kNone if it lacks the word
  NumberedWords unseen;
};

// Returns the pairs of the images among those seen, numbered as in the query.
std::vector<ListedPair> listed_pairs(std::span<const SeenPair> seen, const Places& images,
                                     std::span<const std::uint32_t> numbers) {
  std::vector<ListedPair> pairs;
  for (const auto& [image, pair] : seen) {
    const std::uint32_t at = images.of(image);
    const std::uint32_t number = numbers[pair.query_word];
    if (at == kNone || number == kNone) continue;
    pairs.push_back({at, {number, pair.place, pair.distance}});
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
  const SplitWords split(words, seen);
  const NumberedWords& unseen = split.unseen;
  const std::vector<std::span<const QueryWord>> runs = word_runs(unseen.words);
  constexpr std::size_t kRunsAtOnce = 64;  // neighbours in the index
  const std::size_t seen_parts = seen.parts.size();
  std::vector<std::vector<ListedPair>> parts(seen_parts +
                                             (runs.size() + kRunsAtOnce - 1) / kRunsAtOnce);
  parallel_for(parts.size(), threads, [&](std::size_t part) {
    if (part < seen_parts) {
      parts[part] = listed_pairs(seen.parts[part].pairs, places, split.number_of_seen);
      return;
    }
    WantedPostings postings;
    const std::size_t begin = (part - seen_parts) * kRunsAtOnce;
    for (std::size_t i = begin; i < std::min(runs.size(), begin + kRunsAtOnce); ++i) {
      const auto first = static_cast<std::size_t>(runs[i].data() - unseen.words.data());
      const auto numbers = std::span(unseen.numbers).subspan(first, runs[i].size());
      for_each_list(runs[i].front().word, [&](const EncodedPostings& list) {
        postings.read(list, places);
        append_pairs(postings, runs[i], numbers, hamming_threshold, parts[part]);
      });
    }
  });
  std::vector<std::size_t> counts(images.size());
  for (const std::vector<ListedPair>& part : parts) {
    for (const ListedPair& each : part) ++counts[each.at];
  }
  std::vector<std::vector<WordPair>> pairs(images.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].reserve(counts[i]);
  for (std::vector<ListedPair>& part : parts) {
    for (const ListedPair& each : part) pairs[each.at].push_back(each.pair);
    part = {};
  }
  return pairs;
}

}  // namespace lookalike
