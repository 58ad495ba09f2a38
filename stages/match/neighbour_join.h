#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "stages/match/neighbours.h"
#include "storage/index_reader.h"

namespace lookalike {

struct SharedSearch;
class VoteJoin;

// Finds the neighbours of a batch of indexed images, each among the images before it. Candidates
// are verified in the order of their votes until kMostNeighbours are sure. A neighbour surely shows
// the same thing, by its features or else by pixels, or its votes agree in turn and size. Once
// kCopiesThatStand candidates are whole copies of the image, only verified neighbours count, and
// the first copy stands in for the image. Candidates that are of one print with the image but have
// other content are no neighbours: they get edges of their own (prints.h). Results do not depend on
// the batch.
class NeighbourJoin {
 public:
  struct Image {
    ImageId id = 0;
    double share = 1;  // of the usual number of candidates, (0, 1]; smaller in a small index
  };
  // True if an image may be voted for by a later one; see VoteJoin::IsVoter.
  using IsVoter = std::function<bool(ImageId image, ImageId earlier)>;

  // Joins the votes of the batch, unless fewer lists are read if each image votes alone. An empty
  // batch has no effect; otherwise batch, is_voter and before_range are those of VoteJoin. `shared`
  // must outlive the join. Throws Error(kStorage) for damaged lists, and what before_range throws.
  NeighbourJoin(SharedSearch& shared, std::vector<Image> batch, IsVoter is_voter,
                const std::function<void()>& before_range);
  ~NeighbourJoin();

  // Returns the number of images that a batch of this index should have at most, for its memory.
  static std::size_t most_images(const IndexReader& index);

  // Prepares neighbours() for the i-th image and as many after it as there is room for. Returns the
  // end of the prepared images, more than i. Must not be called while neighbours() runs.
  std::size_t read(std::size_t i);
  // Returns the neighbours of the i-th image, which must be prepared by read(). Thread-safe.
  FoundNeighbours neighbours(std::size_t i) const;

 private:
  SharedSearch& shared_;
  const std::vector<Image> batch_;
  const IsVoter is_voter_;
  std::unique_ptr<VoteJoin> join_;  // null: each image votes alone
};

}  // namespace lookalike
