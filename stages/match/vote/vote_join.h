#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/voting/voting.h"
#include "stages/match/vote/best_images.h"
#include "stages/match/vote/posting_range.h"
#include "stages/match/vote/vote_spread.h"
#include "stages/match/vote/word_pairs.h"

namespace lookalike {

// The votes of a batch of indexed images for those before them, as Shortlist gives them to each
// alone. Instead of reading the lists of an image's words for each image, it reads each list once
// for the batch, or once for each range of earlier images if these do not fit its memory, and
// compares the postings of all images of the batch with it. Results do not depend on ranges,
// batches or threads.
class VoteJoin {
 public:
  struct Index {
    ForEachList for_each_list;  // called from several threads
    ContentOf content_of;
    std::span<const float> norms;      // by image; at most 0 where there is no live image
    const std::vector<bool>& removed;  // by image, perhaps shorter
    std::size_t image_count = 0;
    std::uint32_t hamming_threshold = 0;  // bits
    std::uint64_t postings = 0;           // or an upper bound
    std::function<void()> before_range;   // called before lists are read; may throw
  };
  // Postings in memory beside those of the batch, and pairs, each at most about this many.
  struct Limits {
    std::size_t postings = std::size_t{12} << 20U;
    std::size_t pairs = std::size_t{4} << 20U;
  };
  // An image of the batch.
  struct Image {
    ImageId id = 0;
    std::span<const std::uint32_t> words;  // of its features, ascending
    std::size_t candidates = 0;            // number of images that are wanted, the best by votes
    std::size_t shortlist = 0;             // and among how many others their votes are judged
  };
  // True if an image may be voted for by a later one. Asked, perhaps from several threads, for
  // images before the batch by the constructor, and for images of the batch by ranked().
  using IsVoter = std::function<bool(ImageId image, ImageId earlier)>;

  // Reads the lists, and votes for the images before the batch and within it. The batch is the live
  // images with features from its first one to its last, ascending. What `index` refers to must
  // outlive the join, as is_voter must.
  VoteJoin(Index index, std::span<const Image> batch, IsVoter is_voter, std::size_t threads,
           Limits limits);
  VoteJoin(Index index, std::span<const Image> batch, IsVoter is_voter, std::size_t threads)
      : VoteJoin(std::move(index), batch, std::move(is_voter), threads, Limits{}) {}

  struct Ranked {
    std::vector<RankedImage> candidates;  // best first, ties by content
    VoteSpread spread;                    // of the shortlist, in single precision
  };
  // Returns the votes of the i-th image of the batch, those that is_voter() accepts by now.
  Ranked ranked(std::size_t i) const;

  // Prepares the pairs of the images of the batch from the i-th on with those before the batch that
  // may be candidates, for as many as there is room for; forgets those of images before the i-th.
  // Reads lists again only for images whose pairs found no room while they voted. Returns the end
  // of what is prepared, after i. Not while other calls run.
  std::size_t read_pairs(std::size_t i);
  // Returns the pairs of the i-th image with each of its candidates, as word_pairs() does; call it
  // after read_pairs() for the image. Query words are numbers of the image's features.
  std::vector<std::vector<WordPair>> pairs(std::size_t i,
                                           std::span<const RankedImage> candidates) const;
  // Returns the signatures of the i-th image's features, in the order of its record.
  std::vector<std::uint64_t> signatures(std::size_t i) const;

  // Returns how many lists a join reads, and voting for each image by itself would. A small batch
  // in a large index is better off without a join.
  struct Reads {
    std::size_t joined = 0;
    std::size_t alone = 0;
  };
  static Reads reads(std::span<const Image> batch, std::uint64_t postings, std::size_t images,
                     const Limits& limits);

 private:
  // A feature of an image of the batch.
  struct Feature {
    std::uint32_t word = 0;  // number in words_
    std::uint64_t signature = 0;
  };
  // The votes of an image for those before the batch.
  struct Early {
    BestImages best;
    std::vector<float> scores{};  // the best ones, in no order
    float lowest = 0;             // no lower one is among them
  };
  using Scores = std::vector<std::uint64_t>;  // fixed-point, by image from the range's first on

  const PostingRange& range(std::size_t i);
  void set_features(std::span<const Image> batch);
  void vote(std::size_t i, const PostingRange& range, Scores& scores) const;
  void keep_best(std::size_t i, const PostingRange& range, const Scores& scores);
  double value(std::size_t i, ImageId image, std::uint64_t score) const;
  void keep_pairs(std::size_t i, const PostingRange& range);
  void forget_pairs(std::size_t i);
  void add_pairs(std::size_t i, const PostingRange& range, std::span<const ImageId> images,
                 std::span<std::vector<WordPair>> pairs) const;

  const Index index_;
  const IsVoter is_voter_;
  const std::size_t threads_;
  const Limits limits_;
  const VotingWeights weights_;
  const std::vector<Image> batch_;          // without the words
  const std::vector<std::uint32_t> words_;  // of the batch, ascending
  const PostingRange own_;                  // of the batch
  std::vector<std::vector<Feature>> features_;
  std::vector<double> query_norms_;
  std::vector<Early> early_;
  std::vector<Scores> late_;                         // by image, for those before it in the batch
  std::vector<std::pair<ImageId, ImageId>> ranges_;  // before the batch, first and end
  std::unique_ptr<PostingRange> loaded_;             // the last range read
  // The candidates before the batch, and their pairs, of images for which they were read.
  struct ReadPairs {
    std::vector<ImageId> images{};  // ascending
    std::vector<std::vector<WordPair>> pairs{};
    std::size_t count = 0;  // of pairs
    bool is_read = true;    // false: there was no room
  };
  std::vector<ReadPairs> read_;
  std::atomic<std::size_t> kept_pairs_ = 0;
  std::size_t pairs_of_an_image_ = 0;  // mean of those last read again
};

}  // namespace lookalike
