#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/byte_stream.h"
#include "storage/index_types.h"

// The neighbour graph of an index: for each image the few others that most surely show the same
// thing. It follows from the images, and is not part of their content (DECISIONS.md, 83).
namespace lookalike {

class Connection;

// What an edge of an image says about its neighbour.
enum class EdgeKind : std::uint8_t {
  kObject,   // both surely show the same thing
  kInside,   // so they do, and this image shows the neighbour whole, in a part of itself
  kAround,   // the reverse: the neighbour shows this image so
  kByVotes,  // many votes agree in turn and size, and no more is known
  // The neighbour stands for this image, which surely is a copy of kCopiesThatStand images and so
  // adds nothing to a search for neighbours. Of weight 1.
  kStandsIn,
};

// An edge of the graph.
struct Neighbour {
  ImageId image = 0;
  // The probability that both images show the same thing. Edge by votes: what its votes are worth
  // beside that. (0, 1], in steps of 1/63.
  double weight = 0;
  EdgeKind kind = EdgeKind::kObject;

  bool by_votes() const { return kind == EdgeKind::kByVotes; }
  bool stands_in() const { return kind == EdgeKind::kStandsIn; }
  bool operator==(const Neighbour&) const = default;
};

// Returns the edge of `image` as its other end has it.
Neighbour reversed(const Neighbour& edge, ImageId image);

// The edges of an image.
struct ImageNeighbours {
  ImageId image = 0;
  std::vector<Neighbour> edges;
};

// Maximum number of edges stored for an image.
inline constexpr std::size_t kMostNeighbours = 8;

// Number of copies of a picture among which neighbours are looked for. The others are joined to
// them, and the edges of these do not lead to the others.
inline constexpr std::size_t kCopiesThatStand = 5;

// Inserts an edge, its weight rounded to a step, into a list that is sorted best first. Keeps the
// better of two edges to one image, and drops the worst edge if the list exceeds kMostNeighbours.
// Verified edges come before edges by votes; among equals the heavier one is better, and then the
// one to the lower image number. So the order in which edges are added does not matter.
void add_neighbour(Neighbour edge, std::vector<Neighbour>& edges);

// Encodes the edges of an image, in any order. storage/FORMATS.md describes the bytes.
Bytes encode_neighbours(std::vector<Neighbour> edges);
// Returns the edges, best first. Throws Error(kStorage) for bytes that encode_neighbours() does not
// write.
std::vector<Neighbour> decode_neighbours(ByteView bytes);

// Returns the stored edges of an image of one database, best first, those to removed images
// included. Throws Error(kStorage) if they are damaged.
std::vector<Neighbour> read_neighbours(Connection& connection, std::int64_t image);
// Stores the edges of an image in place of earlier ones.
void write_neighbours(Connection& connection, std::int64_t image,
                      const std::vector<Neighbour>& edges);

// Returns the images for which another one stands in, ascending. Throws Error(kStorage) if edges
// are damaged.
std::vector<ImageId> represented_images(Connection& connection);

// Returns the last image whose neighbours were looked for among those before it, 0 for none.
ImageId last_compared(Connection& connection);
void set_last_compared(Connection& connection, ImageId image);

}  // namespace lookalike
