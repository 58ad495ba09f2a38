#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/pool.h"
#include "storage/sqlite.h"

namespace lookalike {

// Connections to one index file for several threads. Threads wait for a free one.
class ConnectionPool : public Pool<Connection> {
 public:
  // A pool of this connection.
  explicit ConnectionPool(Connection connection);
  // `count` >= 1 connections for reading that all see the last published state.
  // Throws as open_for_reading().
  ConnectionPool(const std::filesystem::path& database, std::size_t count);

  template <typename Work>
  auto with(const Work& work) {
    const Lease connection(*this);
    return work(*connection);
  }
  // For one thread alone, while no connection is lent.
  Connection& first() { return *first_; }

 private:
  Connection* first_ = nullptr;
};

}  // namespace lookalike
