#pragma once

#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <vector>

#include "storage/sqlite.h"

namespace lookalike {

// Connections to one index file, for any number of threads: each takes one for a while.
class ConnectionPool {
 public:
  // A pool of this connection.
  explicit ConnectionPool(Connection connection);
  // `count` >= 1 connections for reading that all see the last published state.
  // Throws as open_for_reading().
  ConnectionPool(const std::filesystem::path& database, std::size_t count);

  // A connection that no other thread has, for which it may wait. A thread that holds one must not
  // wait for another one of the same pool.
  class Lease {
   public:
    explicit Lease(ConnectionPool& pool);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Connection& operator*() const { return *connection_; }

   private:
    ConnectionPool& pool_;
    Connection* connection_;
  };

  template <typename Work>
  auto with(const Work& work) {
    const Lease lease(*this);
    return work(*lease);
  }
  // For one thread alone, while no lease is out.
  Connection& first() { return connections_.front(); }

 private:
  void begin_reading();

  std::vector<Connection> connections_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<Connection*> free_;  // guarded by the mutex
};

}  // namespace lookalike
