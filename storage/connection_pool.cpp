#include "storage/connection_pool.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "storage/schema.h"

namespace lookalike {
namespace {

using Connections = std::vector<std::unique_ptr<Connection>>;

// Begins a transaction on every connection, all in one state. SQLite's default build has no call
// for that, so all begin again if the data version shows that something was published meanwhile.
void begin_reading(Connections& connections) {
  const auto data_version = [&] {
    return connections.front()->first<std::int64_t>("PRAGMA data_version").value();
  };
  const auto begin = [](const std::unique_ptr<Connection>& each) {
    each->execute("BEGIN");
    each->first<std::int64_t>("SELECT count(*) FROM segments");
  };
  while (true) {
    const std::int64_t before = data_version();
    // The first one last: its version is read outside a transaction.
    std::for_each(connections.rbegin(), connections.rend(), begin);
    if (data_version() == before) return;
    for (const auto& connection : connections) connection->execute("ROLLBACK");
  }
}

}  // namespace

ConnectionPool::ConnectionPool(Connection connection) {
  auto only = std::make_unique<Connection>(std::move(connection));
  first_ = only.get();
  add(std::move(only));
}

ConnectionPool::ConnectionPool(const std::filesystem::path& database, std::size_t count) {
  Connections connections;
  for (std::size_t i = 0; i < count; ++i) {
    connections.push_back(std::make_unique<Connection>(open_for_reading(database)));
  }
  begin_reading(connections);
  first_ = connections.front().get();
  for (auto& connection : connections) add(std::move(connection));
}

}  // namespace lookalike
