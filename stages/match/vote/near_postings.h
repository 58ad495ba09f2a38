#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "stages/match/vote/posting_range.h"
#include "stages/match/vote/word_pairs.h"

namespace lookalike {

// A feature of one of several images.
struct BatchFeature {
  std::uint32_t word = 0;     // number among the words of a PostingRange
  std::uint32_t image = 0;    // number among the images
  std::uint32_t feature = 0;  // number among the features of the image
  std::uint64_t signature = 0;
};

// The postings of a range that are near the features of some images: those of the same word whose
// signatures are at most some bits apart. Each list of the range is read once for all images.
class NearPostings {
 public:
  struct Limits {
    std::uint32_t threshold = 0;  // bits
    std::size_t postings = std::numeric_limits<std::size_t>::max();
    std::size_t threads = 1;
  };
  // Returns nothing if there are more near postings than the limit.
  //   features  by word, then by image, then by feature
  //   images    number of images
  static std::optional<NearPostings> find(std::span<const BatchFeature> features,
                                          std::size_t images, const PostingRange& range,
                                          const Limits& limits);

  // Calls visit(pairs) for successive parts of the pairs of an image, by word. A word's pairs lie
  // in one part: by block of kSignatureBlock postings, then by feature, then by posting.
  template <typename Visit>
  void for_each_part(std::size_t image, const Visit& visit) const {
    for (const Part& part : parts_) {
      const std::size_t begin = image == 0 ? 0 : part.ends[image - 1];
      visit(std::span(part.pairs).subspan(begin, part.ends[image] - begin));
    }
  }

 private:
  // The pairs of some words.
  struct Part {
    std::vector<SeenPair> pairs{};    // by image of the batch; query_word: number of the feature
    std::vector<std::size_t> ends{};  // of each image's pairs
  };
  std::vector<Part> parts_;
};

}  // namespace lookalike
