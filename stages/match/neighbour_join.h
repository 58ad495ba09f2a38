#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "storage/index_reader.h"
#include "storage/neighbours.h"
#include "storage/prints.h"

namespace lookalike {

struct SharedSearch;
class VoteJoin;

// What an indexed image has to do with earlier ones.
struct FoundNeighbours {
  std::vector<Neighbour> edges;        // the best kMostNeighbours, best first
  std::vector<PrintPairEdges> prints;  // those of one print with it, each with the edge back
};

// Looks for the neighbours of a batch of indexed images, each among the images before it: those
// that surely show what it shows, by features or else by pixels, and those whose votes agree in
// turn and size; the best kMostNeighbours of both, best first. Once kCopiesThatStand whole copies
// are found, these are the neighbours, and the first one stands in. The images are looked at in the
// order of their votes until kMostNeighbours are sure. Those that are one print with other content
// get edges of their own (prints.h). Results do not depend on the batch.
class NeighbourJoin {
 public:
  struct Image {
    ImageId id = 0;
    double share = 1;  // of the usual numbers of images that votes give, as Matcher::Candidates has
  };
  // True if an image may be voted for by a later one; see VoteJoin::IsVoter.
  using IsVoter = std::function<bool(ImageId image, ImageId earlier)>;

  // Joins the votes of the batch, unless voting for each image by itself reads fewer lists. The
  // batch, is_voter and before_range are those of VoteJoin; `shared` must outlive it. Throws
  // Error(kStorage) for damaged lists.
  NeighbourJoin(SharedSearch& shared, std::vector<Image> batch, IsVoter is_voter,
                const std::function<void()>& before_range);
  ~NeighbourJoin();

  // Returns a number of images of a batch that fits the memory for it.
  static std::size_t most_images(const IndexReader& index);

  // Reads what the images of the batch from the i-th on need, for as many as there is room for;
  // returns the end of these, after i. Not while neighbours() runs.
  std::size_t read(std::size_t i);
  // Returns the neighbours of the i-th image, which was read. Thread-safe.
  FoundNeighbours neighbours(std::size_t i) const;

 private:
  SharedSearch& shared_;
  const std::vector<Image> batch_;
  const IsVoter is_voter_;
  std::unique_ptr<VoteJoin> join_;  // null: images vote by themselves
};

}  // namespace lookalike
