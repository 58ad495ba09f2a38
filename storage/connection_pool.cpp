#include "storage/connection_pool.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "storage/schema.h"

namespace lookalike {

ConnectionPool::ConnectionPool(Connection connection) {
  connections_.push_back(std::move(connection));
  free_.push_back(&first());
}

ConnectionPool::ConnectionPool(const std::filesystem::path& database, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) connections_.push_back(open_for_reading(database));
  begin_reading();
  for (Connection& connection : connections_) free_.push_back(&connection);
}

// SQLite's default build has no call that gives several connections one state. So all of them
// begin, and begin again if something was published meanwhile, which the data version tells.
void ConnectionPool::begin_reading() {
  const auto data_version = [&] {
    return first().first<std::int64_t>("PRAGMA data_version").value();
  };
  const auto begin = [](Connection& each) {
    each.execute("BEGIN");
    each.first<std::int64_t>("SELECT count(*) FROM segments");
  };
  while (true) {
    const std::int64_t before = data_version();
    // The first one last: its version is read outside a transaction.
    std::for_each(connections_.rbegin(), connections_.rend(), begin);
    if (data_version() == before) return;
    for (Connection& connection : connections_) connection.execute("ROLLBACK");
  }
}

ConnectionPool::Lease::Lease(ConnectionPool& pool) : pool_(pool) {
  std::unique_lock lock(pool_.mutex_);
  pool_.returned_.wait(lock, [&] { return !pool_.free_.empty(); });
  connection_ = pool_.free_.back();
  pool_.free_.pop_back();
}

ConnectionPool::Lease::~Lease() {
  const std::lock_guard lock(pool_.mutex_);
  pool_.free_.push_back(connection_);
  pool_.returned_.notify_one();
}

}  // namespace lookalike
