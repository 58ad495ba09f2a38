#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hamming.h"
#include "stages/match/vote/posting_range.h"

namespace lookalike {

// A feature of one of several images.
struct BatchFeature {
  std::uint32_t word = 0;     // number among the words of a PostingRange
  std::uint32_t image = 0;    // number among the images
  std::uint32_t feature = 0;  // number among the features of the image
  std::uint64_t signature = 0;
};

// A posting that is near a feature.
struct NearPosting {
  ImageId image = 0;           // of the posting
  std::uint32_t at = 0;        // of the posting, in the list of the word
  std::uint32_t feature = 0;   // number among the features of its image
  std::uint32_t distance = 0;  // bits
};

// Calls visit(feature, at, distance) for each of the features, all of one word, and each posting of
// the word, list.images[at], whose signature is at most `threshold` bits away: by block of
// kSignatureBlock postings, then by feature, then by posting. Features have a `signature`.
template <typename Feature, typename Visit>
void for_each_near(std::span<const Feature> features, const PostingRange::List& list,
                   std::uint32_t threshold, const Visit& visit) {
  SignatureDistances distances;
  for (std::size_t first = 0; first < list.images.size(); first += kSignatureBlock) {
    const std::size_t size = std::min(kSignatureBlock, list.images.size() - first);
    const auto* column = reinterpret_cast<const std::uint8_t*>(list.signatures.data() + first);
    for (const Feature& feature : features) {
      const std::uint64_t near =
          near_signatures(feature.signature, column, size, threshold, distances);
      for_each_bit(near, [&](std::size_t i) {
        visit(feature, first + i, static_cast<std::uint32_t>(distances[i]));
      });
    }
  }
}

// The postings of a range that are near the features of some images: those of the same word whose
// signatures are at most some bits apart. Each list of the range is read once for all images.
class NearPostings {
 public:
  // Replaces what was found before. Returns false, without a result, if there are more than `most`.
  //   features   by word, then by image, then by feature
  //   images     number of images
  //   threshold  bits
  bool find(std::span<const BatchFeature> features, std::size_t images, const PostingRange& range,
            std::uint32_t threshold, std::size_t most);

  // Returns the near postings of an image, by word, and those of a word in the order of
  // for_each_near().
  std::span<const NearPosting> of(std::size_t image) const {
    const std::size_t begin = image == 0 ? 0 : ends_[image - 1];
    return std::span(near_).subspan(begin, ends_[image] - begin);
  }
  std::size_t size() const { return met_.size(); }

 private:
  struct Met {
    std::uint32_t image = 0;  // which has the feature
    NearPosting near;
  };

  std::vector<Met> met_{};           // by word
  std::vector<NearPosting> near_{};  // by image, then by word; perhaps more than are in use
  std::vector<std::size_t> ends_{};  // in near_, of each image
};

}  // namespace lookalike
