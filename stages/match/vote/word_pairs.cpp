#include "stages/match/vote/word_pairs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

#include "base/hamming.h"
#include "base/parallel.h"

namespace lookalike {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// The place of each image in a list of images.
class Places {
 public:
  explicit Places(std::span<const ImageId> images) {
    if (images.empty()) return;
    places_.resize(std::size_t{std::ranges::max(images)} + 1, kNone);
    for (std::size_t i = 0; i < images.size(); ++i) {
      places_[images[i]] = static_cast<std::uint32_t>(i);
    }
  }
  // Returns kNone for an image that the list lacks.
  std::uint32_t of(ImageId image) const { return image < places_.size() ? places_[image] : kNone; }

 private:
  std::vector<std::uint32_t> places_;
};

// A word pair of one of the images in a list.
struct ListedPair {
  std::uint32_t at = 0;  // of the image in the list
  WordPair pair;
};

// The postings of a list that belong to the wanted images.
class WantedPostings {
 public:
  // Replaces what was read before. Writes every posting, and the next one over it unless it is
  // wanted: a branch would be mispredicted. Reads only the signatures of wanted postings, since
  // signatures are most of a list's bytes.
  void read(const EncodedPostings& list, const Places& wanted) {
    if (postings_.size() < list.size()) postings_.resize(list.size());
    std::size_t count = 0;
    EncodedPostings::Images decoder(list);
    std::array<ImageId, kSignatureBlock> block{};
    ImageId last = 0;  // before the first image
    std::uint32_t place = 0;
    for (std::size_t begin = 0; begin < list.size(); begin += block.size()) {
      const std::size_t size = std::min(block.size(), list.size() - begin);
      decoder.read(block.data(), size);
      for (std::size_t i = 0; i < size; ++i) {
        place = block[i] == last ? place + 1 : 0;
        last = block[i];
        const std::uint32_t image = wanted.of(last);
        postings_[count] = {static_cast<std::uint32_t>(begin + i), image, place};
        count += image == kNone ? 0 : 1;
      }
    }
    signatures_.resize(count * sizeof(std::uint64_t));
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(signatures_.data() + i * sizeof(std::uint64_t),
                  list.signatures() + postings_[i].number * sizeof(std::uint64_t),
                  sizeof(std::uint64_t));
    }
  }

  std::size_t size() const { return signatures_.size() / sizeof(std::uint64_t); }
  std::uint32_t image(std::size_t i) const { return postings_[i].image; }
  std::uint32_t place(std::size_t i) const { return postings_[i].place; }
  // u64 each, from the i-th on.
  const std::uint8_t* signatures(std::size_t i) const {
    return signatures_.data() + i * sizeof(std::uint64_t);
  }

 private:
  struct Posting {
    std::uint32_t number = 0;  // in the list
    std::uint32_t image = 0;   // its place among the wanted ones
    std::uint32_t place = 0;   // among the postings of the image
  };
  std::vector<Posting> postings_;  // those that are wanted, then others
  Bytes signatures_;
};

// The words of a query whose pairs were seen.
struct SeenWords {
  SeenWords(std::span<const QueryWord> query, const SeenPairs& seen)
      : is_seen(query.size()), numbers(seen.words.size(), kNone) {
    const auto order = [](const QueryWord& word) { return std::pair(word.word, word.feature); };
    std::uint32_t at = 0;
    for (const SeenPairs::Part& part : seen.parts) {
      for (std::uint32_t i = part.first; i < part.end; ++i) {
        while (at < query.size() && order(query[at]) < order(seen.words[i])) ++at;
        if (at == query.size() || order(query[at]) != order(seen.words[i])) continue;
        is_seen[at] = true;
        numbers[i] = at++;
      }
    }
  }

  std::vector<bool> is_seen;           // by number in the query
  std::vector<std::uint32_t> numbers;  // in the query, of the words seen; kNone if it lacks one
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

// Appends the pairs of postings and of those query words that were not seen, all of one word.
//   first  number of the first query word
void append_pairs(const WantedPostings& postings, std::span<const QueryWord> words,
                  std::uint32_t first, const SeenWords& seen, std::uint32_t hamming_threshold,
                  std::vector<ListedPair>& pairs) {
  SignatureDistances distances;
  for (std::size_t begin = 0; begin < postings.size(); begin += kSignatureBlock) {
    const std::size_t size = std::min(kSignatureBlock, postings.size() - begin);
    for (std::uint32_t word = 0; word < words.size(); ++word) {
      if (seen.is_seen[first + word]) continue;
      const std::uint64_t near = near_signatures(words[word].signature, postings.signatures(begin),
                                                 size, hamming_threshold, distances);
      for_each_bit(near, [&](std::size_t i) {
        pairs.push_back(
            {postings.image(begin + i),
             {first + word, postings.place(begin + i), static_cast<std::uint32_t>(distances[i])}});
      });
    }
  }
}

}  // namespace

std::vector<std::vector<WordPair>> word_pairs(std::span<const QueryWord> words,
                                              std::span<const ImageId> images,
                                              const ForEachList& for_each_list,
                                              std::uint32_t hamming_threshold, std::size_t threads,
                                              const SeenPairs& seen) {
  const Places places(images);
  const SeenWords seen_words(words, seen);
  const std::vector<std::span<const QueryWord>> runs = word_runs(words);
  constexpr std::size_t kRunsAtOnce = 64;  // neighbours in the index
  const std::size_t seen_parts = seen.parts.size();
  std::vector<std::vector<ListedPair>> parts(seen_parts +
                                             (runs.size() + kRunsAtOnce - 1) / kRunsAtOnce);
  parallel_for(parts.size(), threads, [&](std::size_t part) {
    if (part < seen_parts) {
      parts[part] = listed_pairs(seen.parts[part].pairs, places, seen_words.numbers);
      return;
    }
    WantedPostings postings;
    const std::size_t begin = (part - seen_parts) * kRunsAtOnce;
    for (std::size_t i = begin; i < std::min(runs.size(), begin + kRunsAtOnce); ++i) {
      const auto first = static_cast<std::uint32_t>(runs[i].data() - words.data());
      const auto is_seen = seen_words.is_seen.begin() + first;
      if (std::all_of(is_seen, is_seen + static_cast<std::ptrdiff_t>(runs[i].size()),
                      std::identity{})) {
        continue;
      }
      for_each_list(runs[i].front().word, [&](const EncodedPostings& list) {
        postings.read(list, places);
        append_pairs(postings, runs[i], first, seen_words, hamming_threshold, parts[part]);
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
