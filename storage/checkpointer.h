#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "storage/sqlite.h"

namespace lookalike {

// Copies the write-ahead log of a database into its file on a thread and a connection of its own,
// instead of in the commits, as SQLite does. Commits wait only while the log is longer than 64 MiB.
// Pages that a reader still needs stay in the log until a later checkpoint.
class Checkpointer {
 public:
  // writer: the only connection that writes; must outlive this. Throws Error(kStorage).
  explicit Checkpointer(Connection& writer);
  ~Checkpointer();  // hands checkpoints back to SQLite
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  void wait();  // until no copy is running or due

 private:
  static int after_commit(void* self, sqlite3* writer, const char* schema, int pages);
  void committed(int pages);
  void run(const std::stop_token& stop);

  Connection& writer_;
  Connection own_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any due_;
  std::condition_variable_any done_;
  bool is_due_ = false;
  bool is_running_ = false;
  std::jthread thread_;  // last: it uses the members above
};

}  // namespace lookalike
