#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "storage/sqlite.h"

namespace lookalike {

// Copies the write-ahead log of a database into its file, on a thread and over a connection of its
// own, so that a writer that commits a lot does not wait for it. SQLite's own checkpoint would be
// part of the commit. The log stays below 64 MiB and one transaction, unless a reader holds an old
// state: a commit that would leave more waits for the copy.
//
// Pages that a reader still needs stay in the log until a later checkpoint.
class Checkpointer {
 public:
  // writer: the only connection that writes; must outlive this. Throws Error(kStorage).
  explicit Checkpointer(Connection& writer);
  ~Checkpointer();  // SQLite checkpoints in commits again
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  void wait();  // until nothing is copied or due

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
  std::jthread thread_;  // last: it uses what is above
};

}  // namespace lookalike
