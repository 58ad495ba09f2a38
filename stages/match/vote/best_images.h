#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/artefacts.h"
#include "storage/index_types.h"

namespace lookalike {

// An image of the shortlist.
struct RankedImage {
  ImageId image = 0;
  double score = 0;  // at least 0; more is better

  bool operator==(const RankedImage&) const = default;
};

// Returns the content of an indexed image.
using ContentOf = std::function<ContentHash(ImageId)>;

// Keeps the best `count` of many images, and all that tie with the last of them.
class BestImages {
 public:
  //   room  number of images up to which none are dropped, if more than 2 * count
  explicit BestImages(std::size_t count, std::size_t room = 1024);

  void add(RankedImage image) {
    if (image.score < lowest_) return;
    images_.push_back(image);
    if (images_.size() >= most_) shrink();
  }
  // Returns the best, in no order, and those that tie with the last.
  std::vector<RankedImage> unordered() const;
  // Returns the best, best first; ties by content.
  std::vector<RankedImage> ranked(const ContentOf& content_of) const;

 private:
  void shrink();

  std::size_t count_;
  std::size_t most_;
  double lowest_ = 0;  // score of the last one kept, once there are `count`
  std::vector<RankedImage> images_;
};

// Returns what the votes of one word for one image add to its score, fixed-point: `count` votes
// that weigh `weight` together. Sums are integers, so their order does not matter.
std::uint64_t vote_score(double idf, std::size_t count, std::uint64_t weight);

}  // namespace lookalike
