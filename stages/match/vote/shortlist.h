#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/artefacts.h"
#include "base/hamming.h"
#include "kernels/voting/voting.h"
#include "stages/match/vote/best_images.h"
#include "stages/match/vote/device_votes.h"
#include "stages/match/vote/query_words.h"
#include "stages/match/vote/word_pairs.h"
#include "storage/stored_features.h"

namespace lookalike {

// A set of images, by number.
class ImageSet {
 public:
  explicit ImageSet(std::size_t images) : bits_((images + kBits - 1) / kBits) {}

  void add(ImageId image) { bits_[image / kBits] |= std::uint64_t{1} << image % kBits; }
  bool contains(ImageId image) const {
    return image / kBits < bits_.size() && (bits_[image / kBits] >> image % kBits & 1U) != 0;
  }

 private:
  static constexpr std::size_t kBits = 64;
  std::vector<std::uint64_t> bits_;
};

// Ranks the images of an index by the votes of a query's words: tf-idf, divided by the norms of the
// image and the query. A vote weighs exp(-h^2 / 16^2) for signatures at the Hamming distance h, and
// 0 above the threshold; v votes of one word for one image count as sqrt(v). idf is smooth, so that
// a collection of one image still scores. Sums are integers, so neither the order of words and
// postings nor the number of threads matters.
// Method: Jegou, Douze, Schmid, "On the burstiness of visual elements", CVPR 2009.
class Shortlist {
 public:
  //   for_each_list      called from several threads
  //   norms              by image id; negative where there is no live image
  //   removed            by image id, perhaps shorter; true if the image's postings do not count
  //   hamming_threshold  bits
  Shortlist(ForEachList for_each_list, ContentOf content_of, std::vector<float> norms,
            std::vector<bool> removed, std::uint32_t hamming_threshold);

  // Loads all posting lists onto the session's device. find() then votes there, for all waiting
  // queries at once, with the same result to the bit; a query whose scores do not fit votes on the
  // host. Not while find() runs.
  //   words     of the codebook
  //   postings  of the index, or an upper bound
  // Throws as DeviceVotes, and leaves the shortlist unchanged.
  void load(const OpenClSession& session, const ForEachList& for_each_list, std::size_t words,
            std::uint64_t postings, std::size_t threads);

  std::size_t image_count() const { return image_count_; }
  const std::vector<float>& norms() const { return norms_; }  // by image, as given
  bool has(ImageId image) const { return image < norms_.size() && norms_[image] >= 0; }

  // Returns the best `count` images with votes, best first; ties by content, so that the order does
  // not depend on how the index was made. `words` are sorted by word, then by feature. Works on at
  // most `threads` >= 1 threads.
  //   seen       null, or where to put the pairs that the votes come from: none if the device
  //              votes, or if signatures too far apart to vote are within the threshold
  //   among      null for all images, or those that get votes; the frequencies of words are of all
  //              images. The host votes then
  //   most_seen  number of pairs after which the pairs of further words are left out
  std::vector<RankedImage> find(std::span<const QueryWord> words, std::size_t count,
                                std::size_t threads, SeenPairs* seen = nullptr,
                                const ImageSet* among = nullptr,
                                std::size_t most_seen = kMostSeenPairs) const;

 private:
  // The votes of one word for one image.
  struct Votes {
    ImageId image = 0;
    std::uint32_t count = 0;
    std::uint64_t weight = 0;  // sum, fixed-point
  };
  // Maximum size of the pairs of a query: 64 MiB, and the rest of the words begun.
  static constexpr std::size_t kMostSeenPairs = (std::size_t{1} << 26U) / sizeof(SeenPair);
  using Scores = std::vector<std::uint64_t>;           // fixed-point, by image id
  using Block = std::array<ImageId, kSignatureBlock>;  // a block of postings

  // What a thread collects of some words.
  struct Part {
    std::vector<Votes> votes;  // of one word
    SeenPairs::Part seen;
    bool keeps_pairs = false;
    const ImageSet* among = nullptr;
  };

  std::uint64_t not_removed(const Block& images, std::size_t size) const;

  void vote(std::span<const QueryWord> same_word, std::uint32_t first_word, Part& part,
            Scores& scores) const;
  std::size_t collect(const EncodedPostings& postings, std::span<const QueryWord> same_word,
                      std::uint32_t first_word, Part& part) const;
  Scores host_scores(std::span<const QueryWord> words, std::size_t threads, SeenPairs* seen,
                     const ImageSet* among, std::size_t most_seen) const;
  template <typename ForEach>
  std::vector<RankedImage> best(double query_norm, std::size_t count,
                                const ForEach& for_each) const;

  ForEachList for_each_list_;
  ContentOf content_of_;
  std::vector<float> norms_;  // by image id
  std::size_t image_count_ = 0;
  std::vector<bool> removed_;
  const std::uint32_t hamming_threshold_;
  VotingWeights vote_weights_;
  std::unique_ptr<DeviceVotes> device_;
};

}  // namespace lookalike
