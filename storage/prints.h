#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/byte_stream.h"
#include "storage/index_types.h"

// Which images of an index are of one print with other content, and in which cells they differ.
// Like the neighbour graph, this follows from the images and is not part of their content.
namespace lookalike {

class Connection;

// Cells of an image on its grid, row by row; see print_grid().
struct PrintCells {
  std::uint8_t columns = 0;
  std::uint8_t rows = 0;
  std::vector<bool> contradicting;  // [rows * columns], true where the other image contradicts
  std::vector<bool> exact;          // [rows * columns], true where both agree exactly

  bool operator==(const PrintCells&) const = default;
};

// An edge from an image to another image of its print.
struct PrintEdge {
  ImageId image = 0;     // the other one
  double agreement = 0;  // share of textured cells that agree exactly, [0, 1], in steps of 1/255
  PrintCells cells{};    // of the image that has the edge

  bool operator==(const PrintEdge&) const = default;
};

// The edges between an image and another image of its print.
struct PrintPairEdges {
  PrintEdge to_other{};
  PrintEdge back{};
};

// The edges of an image.
struct ImagePrints {
  ImageId image = 0;
  std::vector<PrintEdge> edges;
};

// Maximum number of edges stored for an image. Even one shows nearly all that is distinctive.
inline constexpr std::size_t kMostPrints = 4;

// Inserts an edge, its agreement rounded to a step, into a list that is sorted best first: by
// agreement, ties by the lower image number. Keeps the better of two edges to one image, and drops
// the worst edge if the list exceeds kMostPrints. The order in which edges are added does not
// matter.
void add_print(PrintEdge edge, std::vector<PrintEdge>& edges);

// Encodes the edges of an image, all on one grid. storage/FORMATS.md describes the bytes.
Bytes encode_prints(std::vector<PrintEdge> edges);
// Returns the edges, best first. Throws Error(kStorage) for bytes that encode_prints() does not
// write.
std::vector<PrintEdge> decode_prints(ByteView bytes);

// Returns the stored edges of an image of one database, best first, those to removed images
// included. Throws Error(kStorage) if they are damaged.
std::vector<PrintEdge> read_prints(Connection& connection, std::int64_t image);
// Stores the edges of an image in place of earlier ones.
void write_prints(Connection& connection, std::int64_t image, const std::vector<PrintEdge>& edges);

}  // namespace lookalike
