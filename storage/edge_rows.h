#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "storage/blobs.h"
#include "storage/schema.h"
#include "storage/sqlite.h"

// What the edges of neighbours.h and those of prints.h have in common.
namespace lookalike {

// Inserts an edge into a list that is sorted by is_better(a, b). Keeps the better of two edges to
// one image, and drops the worst edge if the list exceeds `most`.
template <typename Edge, typename Better>
void insert_edge(Edge edge, std::vector<Edge>& edges, std::size_t most, const Better& is_better) {
  const auto known = std::ranges::find(edges, edge.image, &Edge::image);
  if (known != edges.end()) {
    if (!is_better(edge, *known)) return;
    edges.erase(known);
  }
  edges.insert(std::ranges::upper_bound(edges, edge, is_better), std::move(edge));
  if (edges.size() > most) edges.resize(most);
}

// Returns the SQL that read_edges() needs for a table.
inline std::string edges_query(const std::string& table) {
  return "SELECT edges, " + is_row_intact(table) + " FROM " + table + " WHERE image = ?";
}

// Returns the edges of an image of one database; none if it has no row. Throws Error(kStorage),
// which names the image as `what`, if its row is damaged or decode(bytes) throws.
template <typename Edge>
std::vector<Edge> read_edges(Connection& connection, const std::string& query, const char* what,
                             std::int64_t image, std::vector<Edge> (&decode)(ByteView)) {
  Rows rows = connection.rows(query, image);
  if (!rows.next()) return {};
  return decode_named(connection, what, image, [&] {
    if (rows.integer(1) == 0) throw Error(ErrorKind::kStorage, "do not match their checksum");
    return decode(rows.blob(0));
  });
}

}  // namespace lookalike
