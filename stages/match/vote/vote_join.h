#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/voting/voting.h"
#include "stages/match/vote/best_images.h"
#include "stages/match/vote/near_postings.h"
#include "stages/match/vote/posting_range.h"
#include "stages/match/vote/vote_spread.h"
#include "stages/match/vote/word_pairs.h"

namespace lookalike {

// The votes of a batch of indexed images for the images before them, with the results that
// Shortlist has for each image alone. Instead of reading the posting lists for each image, it reads
// each list once for the whole batch, or, if the earlier images do not fit in memory, once for each
// range of them. Results do not depend on ranges, batches or threads.
class VoteJoin {
 public:
  struct Index {
    ForEachListOf for_each_list;  // called from several threads
    ContentOf content_of;
    std::span<const float> norms;      // by image; at most 0 where there is no live image
    const std::vector<bool>& removed;  // by image, perhaps shorter
    std::size_t image_count = 0;
    std::uint32_t hamming_threshold = 0;  // bits
    std::uint64_t postings = 0;           // or an upper bound
    std::function<void()> before_range;   // called before lists are read; may throw
  };
  // What may be in memory at a time, approximately.
  struct Limits {
    std::size_t postings = std::size_t{12} << 20U;      // without those of the batch
    std::size_t near_postings = std::size_t{2} << 20U;  // of all threads
    std::size_t pairs = std::size_t{12} << 20U;
  };
  // An image of the batch.
  struct Image {
    ImageId id = 0;
    std::span<const std::uint32_t> words;  // of its features, ascending
    std::size_t candidates = 0;            // number of the best images that ranked() returns
    std::size_t shortlist = 0;             // number of the best images whose spread it returns
  };
  // True if an image may be voted for by a later one. Asked, perhaps from several threads, for
  // images before the batch by the constructor, and for images of the batch by ranked().
  using IsVoter = std::function<bool(ImageId image, ImageId earlier)>;

  // Reads the lists and counts the votes. The batch is ascending and not empty, and all its images
  // are live and have features. is_voter(image, earlier) must be false for a live image between two
  // of the batch that is not in it. What `index` refers to must outlive the join.
  VoteJoin(Index index, std::span<const Image> batch, IsVoter is_voter, std::size_t threads,
           Limits limits);

  struct Ranked {
    std::vector<RankedImage> candidates;  // best first, ties by content
    VoteSpread spread;                    // of the shortlist, in single precision
  };
  // Returns the votes of the i-th image of the batch. Of the images in the batch, only those count
  // that is_voter() accepts now.
  Ranked ranked(std::size_t i) const;

  // Prepares pairs() for the i-th image of the batch and as many after it as there is room for;
  // forgets the pairs of the images before it. Reads lists again only for images whose pairs had no
  // room while their votes were counted. Returns the end of the prepared images, more than i. Must
  // not be called while another call runs.
  std::size_t read_pairs(std::size_t i);
  // Returns the pairs of the i-th image with each of its candidates, as word_pairs() does. The
  // image must be prepared by read_pairs(). Query words are numbers of the image's features.
  std::vector<std::vector<WordPair>> pairs(std::size_t i,
                                           std::span<const RankedImage> candidates) const;
  // Returns the signatures of the i-th image's features, in the order of its record.
  std::vector<std::uint64_t> signatures(std::size_t i) const;

  // Returns how many lists a join reads, and how many are read if each image votes alone. A join
  // does not pay for a small batch in a large index.
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
    std::vector<float> scores{};  // the best, in no order
    float lowest = 0;             // lower scores are not kept
  };
  using Scores = std::vector<std::uint64_t>;  // fixed-point, by image from the range's first on
  struct Votes {
    std::uint32_t count = 0;
    std::uint64_t weight = 0;
  };
  // The memory of a thread.
  struct Work {
    NearPostings found{};
    Scores scores{};
    std::vector<Votes> votes{};          // of one word, by image from the range's first on
    std::vector<std::uint32_t> voted{};  // indices of those that are not empty
  };
  // The near postings of one image.
  struct Near {
    const PostingRange& range;
    // As NearPostings::of() returns them; nothing if they are too many to be in memory.
    std::optional<std::span<const NearPosting>> postings;
  };

  const PostingRange& range(std::size_t i);
  void set_features(std::span<const Image> batch);
  std::vector<BatchFeature> by_word(std::span<const std::size_t> images) const;
  template <typename Use>
  void join(std::span<const std::size_t> images, const PostingRange& range, const Use& use);
  void vote(std::size_t i, const Near& near, Work& work) const;
  void keep_best(std::size_t i, const PostingRange& range, const Scores& scores);
  double value(std::size_t i, ImageId image, std::uint64_t score) const;
  std::vector<std::vector<WordPair>> pairs_with(std::size_t i, std::span<const ImageId> images,
                                                const Near& near) const;
  std::vector<std::vector<WordPair>> find_pairs(std::size_t i, std::span<const ImageId> images,
                                                const PostingRange& range) const;
  void keep_pairs(std::size_t i, const Near& near);
  void forget_pairs(std::size_t i);

  const Index index_;
  const IsVoter is_voter_;
  const std::size_t threads_;
  const Limits limits_;
  const VotingWeights weights_;
  const std::vector<Image> batch_;           // without the words
  const std::vector<std::uint32_t> words_;   // of the batch, ascending
  const PostingRange own_;                   // of the batch
  std::vector<double> idf_;                  // of words_
  std::atomic<std::size_t> joined_at_once_;  // images of which join() looks for near postings
  std::vector<Work> work_;                   // by thread
  std::vector<std::vector<Feature>> features_;
  std::vector<double> query_norms_;
  std::vector<Early> early_;
  std::vector<Scores> late_;                         // by image, for those before it in the batch
  std::vector<std::pair<ImageId, ImageId>> ranges_;  // before the batch, first and end
  std::unique_ptr<PostingRange> loaded_;             // the last range read
  // The pairs of an image with its candidates before the batch.
  struct ReadPairs {
    std::vector<ImageId> images{};               // the candidates, ascending
    std::vector<std::vector<WordPair>> pairs{};  // of each candidate
    std::size_t count = 0;                       // of all pairs
    bool is_read = true;                         // false: there was no room, and the rest is empty
  };
  std::vector<ReadPairs> read_;
  std::atomic<std::size_t> kept_pairs_ = 0;
  std::size_t pairs_of_an_image_ = 0;  // mean of those last read again
};

}  // namespace lookalike
