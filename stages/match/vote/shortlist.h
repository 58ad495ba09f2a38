#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "stages/match/vote/query_words.h"

namespace lookalike {

// An image of the shortlist.
struct RankedImage {
  ImageId image = 0;
  double score = 0;  // at least 0; more is better

  bool operator==(const RankedImage&) const = default;
};

// Ranks the images of an index by the votes of a query's words: tf-idf, with each vote weighted by
// the Hamming distance of the signatures (exp(-h^2 / 16^2), nothing above the threshold), v votes
// of one word for one image counting as sqrt(v), all divided by the image's norm and the query's.
// idf is smooth, so that a collection of one image still scores. Sums are integers, so the order of
// words and postings never matters.
// Method: Jegou, Douze, Schmid, "On the burstiness of visual elements", CVPR 2009.
class Shortlist {
 public:
  using PostingsOf = std::function<std::shared_ptr<const WordPostings>(std::uint32_t word)>;

  //   norms              of every live image; postings of other images are not counted
  //   hamming_threshold  bits
  Shortlist(PostingsOf postings_of, const std::unordered_map<ImageId, float>& norms,
            std::uint32_t hamming_threshold);

  std::size_t image_count() const { return image_count_; }

  // The best `count` images that got a vote, best first, ties by id. `words` are by word.
  std::vector<RankedImage> find(std::span<const QueryWord> words, std::size_t count) const;

 private:
  using Scores = std::vector<std::uint64_t>;  // fixed-point, by image id
  void vote(std::span<const QueryWord> same_word, Scores& scores) const;

  PostingsOf postings_of_;
  std::vector<float> norms_;  // by image id; 0 where there is no such image
  std::size_t image_count_ = 0;
  std::vector<std::uint32_t> vote_weights_;  // fixed-point, by Hamming distance
};

}  // namespace lookalike
