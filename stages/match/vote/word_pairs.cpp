#include "stages/match/vote/word_pairs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "base/hamming.h"
#include "base/parallel.h"
#include "base/signature.h"
#include "stages/match/vote/runs.h"

namespace lookalike {
namespace {

constexpr std::size_t kBlock = 64;  // postings decoded at once

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

  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

 private:
  std::vector<std::uint32_t> places_;
};

struct ImagePair {
  std::uint32_t image = 0;  // its place
  WordPair pair;
};

// Appends the pairs of a posting list and the query words of its word, numbered from `first`.
void append_pairs(const EncodedPostings& list, std::span<const QueryWord> words,
                  std::uint32_t first, const Places& places, std::uint32_t hamming_threshold,
                  std::vector<ImagePair>& pairs) {
  EncodedPostings::Images decoder(list);
  std::array<ImageId, kBlock> block{};
  ImageId last = 0;
  std::uint32_t place = 0;  // of a posting among those of its image
  for (std::size_t begin = 0; begin < list.size(); begin += kBlock) {
    const std::size_t size = std::min(kBlock, list.size() - begin);
    decoder.read(block.data(), size);
    for (std::size_t i = 0; i < size; ++i) {
      place = begin + i > 0 && block[i] == last ? place + 1 : 0;
      last = block[i];
      const std::uint32_t image = places.of(last);
      if (image == Places::kNone) continue;
      std::uint64_t signature = 0;
      std::memcpy(&signature, list.signatures() + (begin + i) * sizeof signature, sizeof signature);
      for (std::uint32_t word = 0; word < words.size(); ++word) {
        const std::uint32_t distance = hamming_distance(words[word].signature, signature);
        if (distance <= hamming_threshold)
          pairs.push_back({image, {first + word, place, distance}});
      }
    }
  }
}

}  // namespace

std::vector<std::vector<WordPair>> word_pairs(std::span<const QueryWord> words,
                                              std::span<const ImageId> images,
                                              const ForEachList& for_each_list,
                                              std::uint32_t hamming_threshold,
                                              std::size_t threads) {
  const Places places(images);
  std::vector<std::span<const QueryWord>> runs;
  for_each_run(
      words,
      [&](std::size_t first, std::size_t end) {
        runs.push_back(words.subspan(first, end - first));
      },
      &QueryWord::word);
  constexpr std::size_t kRunsAtOnce = 64;  // neighbours in the index
  std::vector<std::vector<ImagePair>> parts((runs.size() + kRunsAtOnce - 1) / kRunsAtOnce);
  parallel_for(parts.size(), threads, [&](std::size_t part) {
    const std::size_t last = std::min(runs.size(), (part + 1) * kRunsAtOnce);
    for (std::size_t i = part * kRunsAtOnce; i < last; ++i) {
      const auto first = static_cast<std::uint32_t>(runs[i].data() - words.data());
      for_each_list(runs[i].front().word, [&](const EncodedPostings& list) {
        append_pairs(list, runs[i], first, places, hamming_threshold, parts[part]);
      });
    }
  });
  std::vector<std::vector<WordPair>> pairs(images.size());
  for (const std::vector<ImagePair>& part : parts) {
    for (const ImagePair& each : part) pairs[each.image].push_back(each.pair);
  }
  return pairs;
}

}  // namespace lookalike
