#include "storage/neighbours.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/parse_number.h"
#include "storage/blobs.h"
#include "storage/edge_rows.h"
#include "storage/schema.h"
#include "storage/sqlite.h"

namespace lookalike {
namespace {

constexpr const char* kLastCompared = "neighbours.last_compared";  // in the table `derived`

constexpr int kWeightBits = 6;  // of an edge's byte; its kind is above them
constexpr std::uint8_t kSteps = (1 << kWeightBits) - 1;
// The byte of an edge to an image that stands in: no edge by votes weighs as much.
constexpr std::uint8_t kStandsIn = 0xFF;

bool is_better(const Neighbour& a, const Neighbour& b) {
  return std::tuple(!a.stands_in(), a.by_votes(), -a.weight, a.image) <
         std::tuple(!b.stands_in(), b.by_votes(), -b.weight, b.image);
}

// Returns a weight in steps, [1, kSteps].
std::uint8_t steps_of(double weight) {
  require(weight > 0 && weight <= 1, "Neighbour: a weight is out of range");
  return static_cast<std::uint8_t>(std::max(1L, std::lround(weight * kSteps)));
}

std::uint8_t packed(const Neighbour& edge) {
  if (edge.stands_in()) return kStandsIn;
  const int most = edge.by_votes() ? kSteps - 1 : kSteps;  // leaves kStandsIn free
  const int steps = std::min<int>(steps_of(edge.weight), most);
  return static_cast<std::uint8_t>(steps | static_cast<int>(edge.kind) << kWeightBits);
}

}  // namespace

Neighbour reversed(const Neighbour& edge, ImageId image) {
  EdgeKind kind = edge.kind;
  if (edge.kind == EdgeKind::kInside) kind = EdgeKind::kAround;
  if (edge.kind == EdgeKind::kAround) kind = EdgeKind::kInside;
  return {image, edge.weight, kind};
}

void add_neighbour(Neighbour edge, std::vector<Neighbour>& edges) {
  // As stored, so that an edge that was stored and read compares as before.
  edge.weight = double{1} * steps_of(edge.weight) / kSteps;
  insert_edge(edge, edges, kMostNeighbours, is_better);
}

Bytes encode_neighbours(std::vector<Neighbour> edges) {
  std::ranges::sort(edges, {}, &Neighbour::image);
  ByteWriter out;
  ImageId last = 0;
  for (const Neighbour& edge : edges) {
    require(edge.image > last, "encode_neighbours: two edges to one image");
    out.put_varint(edge.image - last);
    out.put<std::uint8_t>(packed(edge));
    last = edge.image;
  }
  return out.take();
}

std::vector<Neighbour> decode_neighbours(ByteView bytes) {
  std::vector<Neighbour> edges;
  ByteReader in(bytes, ErrorKind::kStorage);
  std::uint64_t image = 0;
  while (!in.rest().empty()) {
    const std::uint64_t difference = in.get_varint();
    image += difference;
    const auto bits = in.get<std::uint8_t>();
    const int step = bits & kSteps;
    if (difference == 0 || difference > UINT32_MAX || image > UINT32_MAX || step == 0 ||
        edges.size() == kMostNeighbours) {
      in.fail("is damaged");
    }
    const EdgeKind kind =
        bits == kStandsIn ? EdgeKind::kStandsIn : static_cast<EdgeKind>(bits >> kWeightBits);
    edges.push_back({static_cast<ImageId>(image), double{1} * step / kSteps, kind});
  }
  std::ranges::sort(edges, is_better);
  return edges;
}

std::vector<Neighbour> read_neighbours(Connection& connection, std::int64_t image) {
  static const std::string query = edges_query("neighbours");
  return read_edges(connection, query, "edges of image", image, decode_neighbours);
}

std::vector<ImageId> represented_images(Connection& connection) {
  std::vector<ImageId> images;
  Rows rows = connection.rows(
      "SELECT image, edges FROM neighbours WHERE instr(edges, x'FF') > 0 ORDER BY image");
  while (rows.next()) {
    const std::int64_t image = rows.integer(0);
    const std::vector<Neighbour> edges = decode_named(
        connection, "edges of image", image, [&] { return decode_neighbours(rows.blob(1)); });
    const auto stand_in = std::ranges::find_if(edges, &Neighbour::stands_in);
    if (stand_in == edges.end()) continue;
    const auto is_there =
        connection.first<int>("SELECT 1 FROM images WHERE id = ?", std::int64_t{stand_in->image});
    if (is_there) images.push_back(static_cast<ImageId>(image));
  }
  return images;
}

void write_neighbours(Connection& connection, std::int64_t image,
                      const std::vector<Neighbour>& edges) {
  put_row(connection, "neighbours", image, encode_neighbours(edges));
}

ImageId last_compared(Connection& connection) {
  const auto text = read_derived(connection, kLastCompared);
  return parse_number<ImageId>(text.value_or("")).value_or(0);
}

void set_last_compared(Connection& connection, ImageId image) {
  put_row(connection, "derived", kLastCompared, std::to_string(image));
}

}  // namespace lookalike
