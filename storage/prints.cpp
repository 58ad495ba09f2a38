#include "storage/prints.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "storage/edge_rows.h"
#include "storage/schema.h"
#include "storage/sqlite.h"

namespace lookalike {
namespace {

constexpr double kAgreementSteps = 255;
constexpr unsigned kBits = 8;  // of a byte

bool agrees_better(const PrintEdge& a, const PrintEdge& b) {
  return std::tuple(-a.agreement, a.image) < std::tuple(-b.agreement, b.image);
}

std::uint8_t in_steps(double agreement) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(agreement, 0.0, 1.0) * kAgreementSteps));
}

void put_bits(const std::vector<bool>& bits, ByteWriter& out) {
  Bytes bytes((bits.size() + kBits - 1) / kBits);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) bytes[i / kBits] |= static_cast<std::uint8_t>(1U << (i % kBits));
  }
  out.put_array(bytes.data(), bytes.size());
}

std::vector<bool> get_bits(std::size_t count, ByteReader& in) {
  const auto bytes = in.get_vector<std::uint8_t>((count + kBits - 1) / kBits);
  std::vector<bool> bits(count);
  for (std::size_t i = 0; i < count; ++i) bits[i] = (bytes[i / kBits] >> (i % kBits) & 1U) != 0;
  return bits;
}

}  // namespace

void add_print(PrintEdge edge, std::vector<PrintEdge>& edges) {
  edge.agreement = in_steps(edge.agreement) / kAgreementSteps;  // as stored
  insert_edge(std::move(edge), edges, kMostPrints, agrees_better);
}

Bytes encode_prints(std::vector<PrintEdge> edges) {
  std::ranges::sort(edges, {}, &PrintEdge::image);
  ByteWriter out;
  if (edges.empty()) return out.take();
  const PrintCells grid = edges.front().cells;
  out.put<std::uint8_t>(grid.columns);
  out.put<std::uint8_t>(grid.rows);
  ImageId last = 0;
  for (const PrintEdge& edge : edges) {
    const std::size_t cells = std::size_t{grid.columns} * grid.rows;
    require(edge.image > last && edge.cells.columns == grid.columns &&
                edge.cells.contradicting.size() == cells && edge.cells.exact.size() == cells,
            "encode_prints: two edges to one image, or two grids");
    out.put_varint(edge.image - last);
    out.put<std::uint8_t>(in_steps(edge.agreement));
    put_bits(edge.cells.contradicting, out);
    put_bits(edge.cells.exact, out);
    last = edge.image;
  }
  return out.take();
}

std::vector<PrintEdge> decode_prints(ByteView bytes) {
  std::vector<PrintEdge> edges;
  ByteReader in(bytes, ErrorKind::kStorage);
  if (in.rest().empty()) return edges;
  const auto columns = in.get<std::uint8_t>();
  const auto rows = in.get<std::uint8_t>();
  const std::size_t cells = std::size_t{columns} * rows;
  std::uint64_t image = 0;
  while (!in.rest().empty()) {
    const std::uint64_t difference = in.get_varint();
    image += difference;
    if (cells == 0 || difference == 0 || difference > UINT32_MAX || image > UINT32_MAX ||
        edges.size() == kMostPrints) {
      in.fail("is damaged");
    }
    PrintEdge edge{static_cast<ImageId>(image), in.get<std::uint8_t>() / kAgreementSteps, {}};
    edge.cells = {columns, rows, get_bits(cells, in), {}};
    edge.cells.exact = get_bits(cells, in);
    edges.push_back(std::move(edge));
  }
  std::ranges::sort(edges, agrees_better);
  return edges;
}

std::vector<PrintEdge> read_prints(Connection& connection, std::int64_t image) {
  static const std::string query = edges_query("prints");
  return read_edges(connection, query, "prints of image", image, decode_prints);
}

void write_prints(Connection& connection, std::int64_t image, const std::vector<PrintEdge>& edges) {
  if (edges.empty()) {
    connection.run("DELETE FROM prints WHERE image = ?", image);
    return;
  }
  put_row(connection, "prints", image, encode_prints(edges));
}

}  // namespace lookalike
